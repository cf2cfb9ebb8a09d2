/** Follows the chat in use: polls files until there may be one, then has the server watch it. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { ChatInUse } from "../house";
import type { Server, ServerState } from "../server/server";
import type { Watched, WatchParams } from "../wire";
import { t } from "../words";

/** What to watch, and a way to see without a server whether it may exist. */
export interface Target {
  readonly params: WatchParams;
  /** Changes when another chat may be there; empty while there is none. */
  signs(): Promise<string>;
}

const [EVERY_MS, SOON_MS, SHARE_OF_TIME] = [5000, 200, 100];
const ABOUT_THE_CHAT = new Set(["chatNotFound", "chatUnreadable", "tooLarge", "cancelled"]);

export class Follower implements vscode.Disposable {
  inUse: ChatInUse | undefined;
  trouble: Fault | undefined;
  readonly #server: Server;
  readonly #changed: () => void;
  readonly #listeners: vscode.Disposable;
  #target: Target | undefined;
  /** While the server reports; without it files are looked at now and then. */
  #watchId: string | undefined;
  /** The signs with which the server refused a chat. */
  #refused: string | undefined;
  /** Whether it refused for a reason other than the chat, so that retrying alone does not help. */
  #needsHelp = false;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(server: Server, changed: () => void) {
    this.#server = server;
    this.#changed = changed;
    this.#listeners = vscode.Disposable.from(
      server.onMeter((moved) => moved.watchId === this.#watchId && this.#take(moved)),
      server.onState((state) => this.#serverMoved(state)),
      vscode.window.onDidChangeWindowState(({ focused }) => focused && this.#lookIn(0)),
    );
  }

  begin(target: Target | undefined): void {
    this.#leave();
    this.#target = target;
    this.#forgive();
    this.#tell(undefined, undefined);
    this.#lookIn(0);
  }

  /** Look now, also at what was refused before. */
  lookAgain(): Promise<void> {
    this.#forgive();
    return this.look();
  }

  look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  dispose(): void {
    this.#leave();
    this.#target = undefined;
    clearTimeout(this.#timer);
    this.#listeners.dispose();
  }

  async #lookOnce(): Promise<void> {
    const [target, begun] = [this.#target, performance.now()];
    if (target === undefined || this.#watchId !== undefined) {
      return;
    }
    let soon: number | undefined;
    const signs = this.#needsHelp ? undefined : await target.signs().catch(() => undefined);
    if (target !== this.#target) {
      soon = 0; // another one is looked for at once
    } else if (signs === "") {
      this.#tell(undefined, undefined);
    } else if (signs !== undefined && signs !== this.#refused) {
      soon = await this.#ask(target, signs);
    }
    // Spend at most one percent of the time looking, however many files there are.
    const rest = Math.max(EVERY_MS, (performance.now() - begun) * SHARE_OF_TIME);
    this.#lookIn(soon ?? rest, soon !== undefined);
  }

  /** Have the server watch; returns the delay before another look if that is to be soon. */
  async #ask(target: Target, signs: string): Promise<number | undefined> {
    const before = this.#server.state;
    const watched = await this.#server
      .ask("watch", target.params, { quietly: true })
      .catch((problem) =>
        problem instanceof Fault ? problem : new Fault("internal", t("The chat could not be measured.")),
      );
    if (target !== this.#target) {
      this.#unwatch(watched instanceof Fault ? undefined : watched.watchId);
      return 0;
    }
    if (!(watched instanceof Fault)) {
      this.#watchId = watched.watchId;
      this.#take(watched);
      return undefined;
    }
    return this.#refuse(watched, signs, before);
  }

  /** A missing chat is no trouble; an unreadable one is retried when it changes. */
  #refuse(fault: Fault, signs: string, before: ServerState): number | undefined {
    if (fault.kind === "serverFailed" && before !== "failed") {
      return SOON_MS;
    }
    [this.#refused, this.#needsHelp] = [signs, !ABOUT_THE_CHAT.has(fault.kind)];
    const isNone = fault.kind === "chatNotFound" || fault.kind === "cancelled";
    this.#tell(undefined, isNone ? undefined : fault);
    const isNeeded = vscode.workspace.textDocuments.some(({ uri }) => uri.scheme.startsWith("compact-chat"));
    if (isNone && before !== "running" && !isNeeded && this.#server.isIdle && this.#server.state === "running") {
      void this.#server.stop(); // it was started for nothing
    }
    return undefined;
  }

  /** Drop a chat that is gone: the next look finds another one, or none. */
  #take({ uri, report }: Watched): void {
    if (report.warnings.some(({ code }) => code === "chatGone")) {
      this.#leave();
      this.#tell(undefined, undefined);
      this.#lookIn(SOON_MS);
    } else {
      const { tool, title } = report;
      this.#tell({ uri, tool, title, report }, undefined);
    }
  }

  /** Watch again after the server ended, and after it was restarted or set up. */
  #serverMoved(state: ServerState): void {
    if (this.#watchId !== undefined && (state === "stopped" || state === "failed")) {
      this.#watchId = undefined;
      this.#lookIn(SOON_MS);
    } else if (this.#needsHelp && (state === "stopped" || state === "running")) {
      this.#forgive();
      this.#lookIn(0);
    }
  }

  #forgive(): void {
    [this.#refused, this.#needsHelp] = [undefined, false];
  }

  #tell(inUse: ChatInUse | undefined, trouble: Fault | undefined): void {
    const isSame = inUse === undefined && this.inUse === undefined && trouble === this.trouble;
    [this.inUse, this.trouble] = [inUse, trouble];
    if (!isSame) {
      this.#changed();
    }
  }

  #leave(): void {
    this.#unwatch(this.#watchId);
    this.#watchId = undefined;
  }

  #unwatch(watchId: string | undefined): void {
    if (watchId !== undefined && this.#server.state === "running") {
      this.#server.ask("unwatch", { watchId }, { quietly: true }).catch(() => undefined);
    }
  }

  /** Look in a while, or not before the window is used. */
  #lookIn(milliseconds: number, isWanted = true): void {
    clearTimeout(this.#timer);
    if (this.#target !== undefined) {
      const { focused, active } = vscode.window.state;
      const next = () => (isWanted || focused || active ? void this.look() : this.#lookIn(EVERY_MS, false));
      this.#timer = setTimeout(next, milliseconds).unref();
    }
  }
}
