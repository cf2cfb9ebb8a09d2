/** The server process of this window: started with the first request, restarted by the next one after a crash. */

import { mkdir } from "node:fs/promises";
import * as vscode from "vscode";
import type { Watching } from "../../page/port";
import { Fault } from "../faults";
import type { Operations, Watched } from "../wire";
import { t } from "../words";
import type { Connection } from "./connection";
import {
  discard,
  environments,
  findProgram,
  type Place,
  type Program,
  placeOf,
  refreshScript,
  setUp,
  tidy,
} from "./program";

const [MOST_CRASHES, CRASHES_WITHIN_MS] = [3, 3 * 60 * 1000];

export interface Asking extends Watching {
  /** Never asks the user anything; rejects with the kind `notSetUp` instead. */
  readonly quietly?: boolean;
}

export type ServerState = "stopped" | "starting" | "running" | "failed";

export class Server implements vscode.Disposable {
  state: ServerState = "stopped";
  /** The version of the server that ran last. */
  version: string | undefined;
  readonly #states = new vscode.EventEmitter<ServerState>();
  readonly #meters = new vscode.EventEmitter<Watched>();
  readonly onState = this.#states.event;
  readonly onMeter = this.#meters.event;
  readonly #context: vscode.ExtensionContext;
  readonly #log: vscode.LogOutputChannel;
  readonly #place: Place;
  readonly #closing = new AbortController();
  readonly #listener: vscode.Disposable;
  #connection: Promise<Connection> | undefined;
  #ending: Promise<void> = Promise.resolve();
  #settingUp: Promise<void> | undefined;
  /** Why it is in the state `failed`. After too many crashes only a restart by the user starts it again. */
  #failure: { readonly fault: Fault; readonly isFinal: boolean } | undefined;
  #crashes: number[] = [];

  constructor(context: vscode.ExtensionContext, log: vscode.LogOutputChannel) {
    this.#context = context;
    this.#log = log;
    this.#place = placeOf(context);
    this.#listener = vscode.workspace.onDidChangeConfiguration((change) => {
      if (["interpreter", "server.path"].some((name) => change.affectsConfiguration(`compactChat.${name}`))) {
        void this.stop();
      }
    });
  }

  /** Ask for an operation, starting the server where needed; rejects with a `Fault`. */
  async ask<Name extends keyof Operations>(
    name: Name,
    params: Operations[Name]["params"],
    asking: Asking = {},
  ): Promise<Operations[Name]["result"]> {
    return (await this.#connected(asking.quietly ?? false)).ask(name, params, asking);
  }

  /** Whether it could be started now without a question to the user. */
  async isAtHand(): Promise<boolean> {
    return vscode.workspace.isTrusted && (await findProgram(this.#place)) !== undefined;
  }

  /** Set it up, asking once for all callers; rejects with a `Fault` if declined or failed. `isChoosing`: the user names the Python. */
  async setUp(isChoosing = false): Promise<void> {
    this.#expectReady();
    const make = async () => {
      const isReady = !isChoosing && (await this.isAtHand());
      if (!isReady) {
        await setUp(this.#place, this.#log, isChoosing, this.#closing.signal);
      }
      if (!isReady || this.state === "failed") {
        await this.stop();
      }
    };
    this.#settingUp ??= make().finally(() => {
      this.#settingUp = undefined;
    });
    await this.#settingUp;
  }

  async restart(): Promise<void> {
    await this.stop();
    await this.#connected(false);
  }

  /** Stop it; the next request starts the program that fits then. */
  stop(): Promise<void> {
    const connection = this.#connection;
    [this.#connection, this.#crashes] = [undefined, []];
    this.#ending = this.#ending
      .then(async () => (await connection?.catch(() => undefined))?.end())
      .then(() => {
        this.#failure = undefined;
        this.#become("stopped");
      });
    return this.#ending;
  }

  dispose(): Promise<void> {
    this.#closing.abort();
    this.#listener.dispose();
    return this.stop().finally(() => vscode.Disposable.from(this.#states, this.#meters).dispose());
  }

  async #connected(quietly: boolean): Promise<Connection> {
    await this.#ending;
    this.#expectReady();
    if (this.#failure !== undefined && (quietly || this.#failure.isFinal)) {
      throw this.#failure.fault;
    }
    if (this.#connection === undefined) {
      const program = await this.#program(quietly);
      this.#expectReady();
      this.#connection ??= this.#started(program);
    }
    return this.#connection;
  }

  /** Find the program; set it up first if the user asked, or agreed to an earlier version. */
  async #program(quietly: boolean): Promise<Program> {
    const found = await findProgram(this.#place);
    if (found !== undefined) {
      return found;
    }
    const missing = new Fault("notSetUp", t("Compact Chat is not set up yet."));
    const isUpdate = (await environments(this.#place)).length > 0;
    if (!quietly || isUpdate) {
      await this.setUp().catch((problem) => {
        // An update that failed, or that the user stopped, is not tried again before a command asks for it.
        const fault = problem instanceof Fault && problem.kind !== "cancelled" ? problem : missing;
        this.#failure = isUpdate ? { fault, isFinal: false } : this.#failure;
        throw problem;
      });
    }
    const program = await findProgram(this.#place);
    if (program === undefined) {
      throw missing;
    }
    return program;
  }

  async #started(program: Program): Promise<Connection> {
    this.#become("starting");
    const commandLine = [program.command, ...program.args].join(" ");
    try {
      await mkdir(program.cwd, { recursive: true });
      const { connect } = await import("./connection.js"); // not loaded when the editor starts
      const connection: Connection = await connect(program, {
        context: this.#context,
        log: this.#log,
        metered: (moved) => this.#meters.fire(moved),
        died: () => this.#died(connection),
      });
      this.version = connection.version;
      this.#log.info(`started: ${commandLine}`);
      this.#failure = undefined;
      this.#become("running");
      void refreshScript(this.#context, program);
      if (program.origin === "own") {
        void tidy(this.#place, program.command).catch(() => undefined); // the next start tries again
      }
      return connection;
    } catch (problem) {
      this.#log.error(`not started: ${commandLine}: ${problem instanceof Error ? problem.message : problem}`);
      const fault = await this.#whyNotStarted(program, problem);
      this.#connection = undefined;
      this.#failure = { fault, isFinal: false };
      this.#become("failed");
      throw fault;
    }
  }

  /** A program of the settings is fixed there; our own environment is installed again. */
  async #whyNotStarted({ origin, command }: Program, problem: unknown): Promise<Fault> {
    if (problem instanceof Fault) {
      return problem;
    }
    if (origin === "path" || origin === "interpreter") {
      const setting = `compactChat.${origin === "path" ? "server.path" : origin}`;
      return new Fault(
        "wrongServer",
        t('Cannot start Compact Chat with "{0}". Check the setting {1}.', command, setting),
      );
    }
    if (origin === "own") {
      await discard(command);
      return new Fault("notSetUp", t("The server did not start. Set it up again."));
    }
    return new Fault("unexplained", t("The server did not start. See the log."));
  }

  #died(connection: Connection): void {
    this.#connection = undefined;
    void connection.end();
    const now = Date.now();
    this.#crashes = [...this.#crashes.filter((time) => now - time < CRASHES_WITHIN_MS), now];
    if (this.#crashes.length < MOST_CRASHES) {
      this.#become("stopped");
      return;
    }
    const sentence = t("The Compact Chat server stopped several times and was not restarted.");
    this.#failure = { fault: new Fault("serverFailed", sentence), isFinal: true };
    this.#become("failed");
  }

  /** Start no process in a folder that is not trusted, or in a window that is closing. */
  #expectReady(): void {
    if (!vscode.workspace.isTrusted) {
      throw new Fault("notTrusted", t("Compact Chat is off until you trust this folder."));
    }
    if (this.#closing.signal.aborted) {
      throw new Fault("cancelled", t("The window is closing."));
    }
  }

  #become(state: ServerState): void {
    this.state = state;
    this.#states.fire(state);
  }
}
