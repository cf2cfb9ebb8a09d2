/** The Python server of this window: started at the first question, and again after a crash. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { Asking, MeterMoved, OperationName, Server, ServerState } from "../house";
import type { Operations } from "../wire";
import type { Connection } from "./client";
import { countCrashes } from "./crashes";
import { whyNotStarted } from "./diagnose";
import { markUsed, tidy } from "./environment";
import { locate, type Place, placeOf } from "./locate";
import { commandLine, isSame, type Program } from "./program";
import { setUp } from "./setup";

export function createServer(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Server {
  return new PythonServer(context, log);
}

class PythonServer implements Server {
  state: ServerState = "stopped";
  private readonly states = new vscode.EventEmitter<ServerState>();
  private readonly meters = new vscode.EventEmitter<MeterMoved>();
  readonly onState = this.states.event;
  readonly onMeter = this.meters.event;

  private readonly place: Place;
  private readonly crashes = countCrashes();
  private readonly listening: vscode.Disposable[];
  /** Why it is in the state `failed`; `isFinal` where only a person's wish starts it again. */
  private failure: { readonly fault: Fault; readonly isFinal: boolean } | undefined;
  private current: Promise<Connection> | undefined;
  private ending: Promise<void> = Promise.resolve();
  private settingUp: Promise<void> | undefined;
  private underWay = 0;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.place = placeOf(context);
    this.listening = [
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.reconsider()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (["interpreter", "server.path"].some((name) => change.affectsConfiguration(`compactChat.${name}`))) {
          void this.reconsider();
        }
      }),
    ];
  }

  get isIdle(): boolean {
    return this.underWay === 0;
  }

  async ask<Name extends OperationName>(
    name: Name,
    params: Operations[Name]["params"],
    asking: Asking = {},
  ): Promise<Operations[Name]["result"]> {
    this.underWay += 1;
    try {
      const connection = await this.connected(asking.quietly ?? false);
      return await connection.ask(name, params, asking);
    } finally {
      this.underWay -= 1;
    }
  }

  async isAtHand(): Promise<boolean> {
    return vscode.workspace.isTrusted && (await locate(this.place, false)) !== undefined;
  }

  setUp(choosing = false): Promise<void> {
    this.settingUp ??= this.settled(choosing).finally(() => {
      this.settingUp = undefined;
    });
    return this.settingUp;
  }

  async restart(): Promise<void> {
    await this.stop();
    this.crashes.forget();
    await this.connected(false);
  }

  stop(): Promise<void> {
    const current = this.current;
    this.current = undefined;
    this.failure = undefined;
    this.ending = this.ending
      .then(async () => (await current?.catch(() => undefined))?.end())
      .then(() => this.become("stopped"));
    return this.ending;
  }

  dispose(): void {
    vscode.Disposable.from(...this.listening).dispose();
    void this.stop().finally(() => vscode.Disposable.from(this.states, this.meters).dispose());
  }

  private async connected(quietly: boolean): Promise<Connection> {
    expectTrust();
    await this.ending;
    if (this.failure !== undefined && (quietly || this.failure.isFinal)) {
      throw this.failure.fault;
    }
    if (this.current === undefined) {
      const program = await this.program(quietly);
      this.current ??= this.started(program);
    }
    return this.current;
  }

  private async program(quietly: boolean): Promise<Program> {
    let program = await locate(this.place, !quietly);
    if (program === undefined && !quietly) {
      await this.setUp();
      program = await locate(this.place, false);
    }
    if (program === undefined) {
      throw new Fault("notSetUp", vscode.l10n.t("The server of Compact Chat is not set up yet."));
    }
    return program;
  }

  private async started(program: Program): Promise<Connection> {
    this.become("starting");
    try {
      const { connect } = await import("./client.js");
      const { context, log } = this;
      const metered = (moved: MeterMoved) => this.meters.fire(moved);
      const connection = await connect(program, { context, log, metered, died: () => this.died(connection) });
      this.log.info(`started: ${commandLine(program)}`);
      this.failure = undefined;
      this.become("running");
      void this.keepTidy(program);
      return connection;
    } catch (problem) {
      throw await this.notStarted(program, problem);
    }
  }

  private async notStarted(program: Program, problem: unknown): Promise<Fault> {
    this.current = undefined;
    const fault = await whyNotStarted(program, problem, this.place.storage, vscode.l10n.t);
    this.log.error(
      `${program.command} ${program.args.join(" ")}: ${problem instanceof Error ? problem.message : problem}`,
    );
    this.failure = fault.kind === "notSetUp" ? undefined : { fault, isFinal: false };
    this.become(fault.kind === "notSetUp" ? "stopped" : "failed");
    return fault;
  }

  private died(connection: Connection): void {
    this.current = undefined;
    void connection.end();
    if (!this.crashes.note()) {
      this.become("stopped");
      return;
    }
    const sentence = vscode.l10n.t("The server ended unexpectedly several times; the log tells more.");
    this.failure = { fault: new Fault("serverFailed", sentence), isFinal: true };
    this.become("failed");
  }

  private async settled(choosing: boolean): Promise<void> {
    expectTrust();
    if (choosing || (await locate(this.place, true)) === undefined) {
      await setUp(this.place, this.log, choosing);
    }
    await this.stop();
  }

  /** Starts again where another program is the right one now; a failed or stopped server is only worth another try. */
  private async reconsider(): Promise<void> {
    this.crashes.forget();
    const running = this.state === "running" ? await this.current : undefined;
    const program = running && (await locate(this.place, false));
    if (running === undefined || program === undefined || !isSame(program, running.program)) {
      await this.stop();
    }
  }

  private async keepTidy(program: Program): Promise<void> {
    if (program.origin === "own") {
      await markUsed(program.command);
      await tidy(this.place.storage, program.command);
    }
  }

  private become(state: ServerState): void {
    this.state = state;
    this.states.fire(state);
  }
}

function expectTrust(): void {
  if (!vscode.workspace.isTrusted) {
    throw new Fault("notTrusted", vscode.l10n.t("Compact Chat starts nothing in a folder that you do not trust."));
  }
}
