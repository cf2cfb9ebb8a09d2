/** A plan while a person changes it: the options so far, and what the server says would come of them. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { Server } from "../house";
import type { ChatRef, Options, Preview } from "../wire";
import { withoutMarks } from "./choices";
import type { Outlook } from "./headline";

export class Rehearsal implements Outlook, vscode.Disposable {
  #preview: Preview;
  #problem: string | undefined;
  #options: Options;
  /** The options of the preview. */
  #planned: Options;
  #running: vscode.CancellationTokenSource | undefined;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly onChanged = this.#changed.event;

  private constructor(
    readonly server: Server,
    readonly chat: ChatRef,
    options: Options,
    preview: Preview,
  ) {
    this.#options = options;
    this.#planned = options;
    this.#preview = preview;
  }

  /** Asks for the first preview; choices about messages that the chat no longer has are forgotten. */
  static async of(
    server: Server,
    chat: ChatRef,
    options: Options,
    token: vscode.CancellationToken,
  ): Promise<Rehearsal> {
    const rehearse = async (given: Options) =>
      new Rehearsal(server, chat, given, await server.ask("preview", { chat, options: given }, { token }));
    try {
      return await rehearse(options);
    } catch (problem) {
      if (!(problem instanceof Fault) || problem.kind !== "messageNotFound") {
        throw problem;
      }
    }
    const rehearsal = await rehearse(withoutMarks(options));
    rehearsal.#problem = vscode.l10n.t("Taken back: the chat no longer has a message that you had chosen.");
    return rehearsal;
  }

  get options(): Options {
    return this.#options;
  }

  get preview(): Preview {
    return this.#preview;
  }

  get problem(): string | undefined {
    return this.#problem;
  }

  get isBusy(): boolean {
    return this.#running !== undefined;
  }

  /** Asks for a preview of other options, in place of one that is still asked for; what the server refuses is taken back. */
  async propose(options: Options): Promise<void> {
    const before = this.#options;
    this.#problem = undefined;
    try {
      await this.#ask(options);
    } catch (problem) {
      await this.#takeBack(before, problem);
    }
  }

  /** Notes why the plan could not be carried out; every choice stays. */
  refused(sentence: string): void {
    this.#problem = sentence;
    this.#changed.fire();
  }

  /** Waits until the preview is that of the options. */
  async settled(): Promise<void> {
    while (this.isBusy) {
      await new Promise<void>((resolve) => {
        const waiting = this.onChanged(() => {
          waiting.dispose();
          resolve();
        });
      });
    }
  }

  dispose(): void {
    this.#stop();
    this.#changed.dispose();
  }

  /** Resolves too where a later choice has taken its place. */
  async #ask(options: Options): Promise<void> {
    this.#stop();
    const running = new vscode.CancellationTokenSource();
    this.#running = running;
    this.#options = options;
    this.#changed.fire();
    try {
      const preview = await this.server.ask("preview", { chat: this.chat, options }, { token: running.token });
      if (this.#running === running) {
        this.#preview = preview;
        this.#planned = options;
      }
    } catch (problem) {
      if (this.#running === running) {
        throw problem;
      }
    } finally {
      this.#ended(running);
    }
  }

  /** Goes back to the options before; where their own preview was given up for the refused one, it is asked for again. */
  async #takeBack(before: Options, problem: unknown): Promise<void> {
    this.#problem = takenBack(problem);
    this.#options = before;
    if (before === this.#planned) {
      this.#changed.fire();
      return;
    }
    try {
      await this.#ask(before);
    } catch (another) {
      this.#problem = takenBack(another);
      this.#options = this.#planned;
      this.#changed.fire();
    }
  }

  #ended(running: vscode.CancellationTokenSource): void {
    running.dispose();
    if (this.#running === running) {
      this.#running = undefined;
      this.#changed.fire();
    }
  }

  #stop(): void {
    const running = this.#running;
    this.#running = undefined;
    running?.cancel();
  }
}

/** Words what the server says against a choice, without the path of the param that it is about. */
function takenBack(problem: unknown): string {
  const told = problem instanceof Error ? problem.message : String(problem);
  return vscode.l10n.t("Taken back: {0}", told.replace(/^\$[\w.[\]]*:? /u, ""));
}
