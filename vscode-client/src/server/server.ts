/** The Python server of this window: started at the first question, and again after a crash. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { Asking, MeterMoved, OperationName, Server, ServerState } from "../house";
import type { Operations } from "../wire";
import type { Connection } from "./client";
import { countCrashes } from "./crashes";
import { whyNotStarted } from "./diagnose";
import { placeOf } from "./locate";
import { commandLine, isSame, type Program } from "./program";
import { expectTrust, Provision } from "./provision";

export function createServer(context: vscode.ExtensionContext, log: vscode.LogOutputChannel): Server {
  return new PythonServer(context, log);
}

class PythonServer implements Server {
  state: ServerState = "stopped";
  private readonly states = new vscode.EventEmitter<ServerState>();
  private readonly meters = new vscode.EventEmitter<MeterMoved>();
  readonly onState = this.states.event;
  readonly onMeter = this.meters.event;

  private readonly provision: Provision;
  private readonly crashes = countCrashes();
  private readonly listening: vscode.Disposable[];
  /** Why it is in the state `failed`; `isFinal` where only a person's wish starts it again. */
  private failure: { readonly fault: Fault; readonly isFinal: boolean } | undefined;
  /** The connection; none where the active Python did not start it, and another one is to be tried. */
  private current: Promise<Connection | undefined> | undefined;
  private ending: Promise<void> = Promise.resolve();
  private underWay = 0;
  private isDisposed = false;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly log: vscode.LogOutputChannel,
  ) {
    this.provision = new Provision(placeOf(context), log, () => this.appeared());
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

  isAtHand(): Promise<boolean> {
    return this.provision.isAtHand();
  }

  async setUp(choosing = false): Promise<void> {
    await this.provision.setUp(choosing);
    await this.reconsider();
  }

  async restart(): Promise<void> {
    await this.stop();
    this.crashes.forget();
    await this.connected(false);
  }

  stop(): Promise<void> {
    const current = this.current;
    this.current = undefined;
    this.ending = this.ending
      .then(async () => (await current?.catch(() => undefined))?.end())
      .then(() => {
        this.failure = undefined;
        this.become("stopped");
      });
    return this.ending;
  }

  dispose(): void {
    this.isDisposed = true;
    vscode.Disposable.from(...this.listening, this.provision).dispose();
    void this.stop().finally(() => vscode.Disposable.from(this.states, this.meters).dispose());
  }

  private async connected(quietly: boolean): Promise<Connection> {
    expectTrust();
    await this.ending;
    this.expectOpen();
    if (this.failure !== undefined && (quietly || this.failure.isFinal)) {
      throw this.failure.fault;
    }
    if (this.current === undefined) {
      const program = await this.provision.program(quietly);
      this.expectOpen();
      this.current ??= this.started(program);
    }
    return (await this.current) ?? this.connected(quietly);
  }

  /** A window that closes leaves no process behind, whatever is still asked. */
  private expectOpen(): void {
    if (this.isDisposed) {
      throw new Fault("cancelled", vscode.l10n.t("The window is closing."));
    }
  }

  private async started(program: Program): Promise<Connection | undefined> {
    this.become("starting");
    try {
      const { connect } = await import("./client.js");
      const { context, log } = this;
      const metered = (moved: MeterMoved) => this.meters.fire(moved);
      const connection = await connect(program, { context, log, metered, died: () => this.died(connection) });
      log.info(`started: ${commandLine(program)}`);
      this.failure = undefined;
      this.become("running");
      void this.provision.use(program);
      return connection;
    } catch (problem) {
      await this.notStarted(program, problem);
      return undefined;
    }
  }

  /** Rejects with the fault, unless another program may take the place of this one. */
  private async notStarted(program: Program, problem: unknown): Promise<void> {
    this.log.error(`not started: ${commandLine(program)}: ${problem instanceof Error ? problem.message : problem}`);
    const fault = this.provision.mayPassOver(program)
      ? undefined
      : await whyNotStarted(program, problem, this.context.globalStorageUri.fsPath, vscode.l10n.t);
    const isMissing = fault === undefined || fault.kind === "notSetUp";
    this.current = undefined;
    this.failure = isMissing ? undefined : { fault, isFinal: false };
    this.become(isMissing ? "stopped" : "failed");
    if (fault !== undefined) {
      throw fault;
    }
  }

  private died(connection: Connection): void {
    this.current = undefined;
    void connection.end();
    if (!this.crashes.note()) {
      this.become("stopped");
      return;
    }
    const sentence = vscode.l10n.t("The server ended unexpectedly several times, so it was not started again.");
    this.failure = { fault: new Fault("serverFailed", sentence), isFinal: true };
    this.become("failed");
  }

  /** Ends the server where another program is the right one now; one that failed or stopped is worth another try. */
  private async reconsider(): Promise<void> {
    this.crashes.forget();
    const current = this.current;
    const running = current && (await current.catch(() => undefined));
    const program = running && (await this.provision.found());
    if (running !== undefined && this.current !== current) {
      return; // it was ended meanwhile, and what is there now was found since
    }
    if (running === undefined || program === undefined || !isSame(program, running.program)) {
      await this.stop();
    }
  }

  /** Lets refused callers know that another try is worth it; what is running is left alone. */
  private appeared(): void {
    if (this.current === undefined && !this.isDisposed) {
      void this.stop();
    }
  }

  private become(state: ServerState): void {
    this.state = state;
    this.states.fire(state);
  }
}
