/** Follows the chat in use: waits until files say that there may be one, has the server watch it, and renews that. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { ChatInUse } from "../house";
import type { Server, ServerState } from "../server/server";
import type { Watched, WatchParams } from "../wire";
import { t } from "../words";

/** What is followed, and how to see without a server that there may be something to follow. */
export interface Target {
  readonly params: WatchParams;
  /** Changes when another chat may be there; empty while there is none. */
  signs(): Promise<string>;
}

/** `waiting`: looks at files now and then. `asking`: the server was asked to watch. `following`: it reports. */
type State =
  | { readonly kind: "off" | "asking" }
  | { readonly kind: "waiting"; readonly refused?: string; readonly needsHelp?: boolean }
  | { readonly kind: "following"; readonly watchId: string };

const [EVERY_MS, SOON_MS, SETTLED_MS, SHARE_OF_TIME] = [5000, 200, 100, 100];
const ABOUT_THE_CHAT = new Set(["chatNotFound", "chatUnreadable", "tooLarge", "cancelled"]);

export class Follower implements vscode.Disposable {
  inUse: ChatInUse | undefined;
  trouble: Fault | undefined;
  readonly #server: Server;
  readonly #changed: () => void;
  readonly #listeners: vscode.Disposable;
  #state: State = { kind: "off" };
  #target: Target | undefined;
  #looking: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(server: Server, changed: () => void) {
    this.#server = server;
    this.#changed = changed;
    this.#listeners = vscode.Disposable.from(
      server.onMeter((moved) => this.#hear(moved)),
      server.onState((state) => this.#serverMoved(state)),
      vscode.window.onDidChangeWindowState(({ focused }) => focused && this.#lookIn(0)),
    );
  }

  /** Follow this from now on, or nothing. */
  begin(target: Target | undefined): void {
    this.#leave();
    this.#target = target;
    this.#state = { kind: target ? "waiting" : "off" };
    this.#tell(undefined, undefined);
    this.#lookIn(0);
  }

  /** Look now, also for what did not work before. */
  lookAgain(): Promise<void> {
    if (this.#state.kind === "waiting") {
      this.#state = { kind: "waiting" };
    }
    return this.look();
  }

  /** Look now; resolves when the look is over. */
  look(): Promise<void> {
    const [begun, target] = [performance.now(), this.#target];
    this.#looking ??= this.#lookOnce()
      .catch(() => undefined)
      .then((soon) => {
        this.#looking = undefined;
        // A hundredth of the time at most goes into looking, however many files there are.
        const rest = Math.max(EVERY_MS, (performance.now() - begun) * SHARE_OF_TIME);
        const pause = target === this.#target ? soon : 0; // another one is looked for at once
        this.#lookIn(pause ?? rest, pause !== undefined);
      });
    return this.#looking;
  }

  dispose(): void {
    this.#leave();
    this.#state = { kind: "off" };
    clearTimeout(this.#timer);
    this.#listeners.dispose();
  }

  /** Look, and return after how long to look again if that is to be soon. */
  async #lookOnce(): Promise<number | undefined> {
    const [target, state] = [this.#target, this.#state];
    if (target === undefined || state.kind !== "waiting") {
      return undefined;
    }
    const signs = await target.signs();
    if (this.#state !== state || state.needsHelp || signs === state.refused) {
      return undefined;
    }
    if (signs === "") {
      this.#tell(undefined, undefined);
      return undefined;
    }
    return this.#ask(target, signs);
  }

  async #ask(target: Target, signs: string): Promise<number | undefined> {
    const [before, asking] = [this.#server.state, { kind: "asking" } as const];
    this.#state = asking;
    try {
      const watched = await this.#server.ask("watch", target.params, { quietly: true });
      if (this.#state === asking) {
        this.#state = { kind: "following", watchId: watched.watchId };
        this.#take(watched);
      } else {
        this.#unwatch(watched.watchId); // something else is followed by now
      }
    } catch (problem) {
      if (this.#state === asking) {
        return this.#refuse(signs, problem, before);
      }
    }
    return undefined;
  }

  /** A chat that is not there is no trouble; one that cannot be read may be read when it has changed. */
  #refuse(signs: string, problem: unknown, before: ServerState): number | undefined {
    const fault = problem instanceof Fault ? problem : new Fault("internal", t("The chat could not be measured."));
    if (fault.kind === "serverFailed" && before !== "failed") {
      this.#state = { kind: "waiting" };
      return SOON_MS;
    }
    this.#state = { kind: "waiting", refused: signs, needsHelp: !ABOUT_THE_CHAT.has(fault.kind) };
    const isNone = fault.kind === "chatNotFound" || fault.kind === "cancelled";
    this.#tell(undefined, isNone ? undefined : fault);
    if (isNone && before !== "running") {
      void this.#release();
    }
    return undefined;
  }

  #hear(moved: Watched): void {
    if (this.#state.kind === "following" && moved.watchId === this.#state.watchId) {
      this.#take(moved);
    }
  }

  /** A chat that is gone is not measured any more: the next look finds another one, or none. */
  #take({ uri, report }: Watched): void {
    if (report.warnings.some(({ code }) => code === "chatGone")) {
      this.#leave();
      this.#state = { kind: "waiting" };
      this.#tell(undefined, undefined);
      this.#lookIn(SETTLED_MS);
      return;
    }
    const { tool, title } = report;
    this.#tell({ ref: { uri }, tool, title, uri: vscode.Uri.parse(uri), report }, undefined);
  }

  /** A server that ended took the watch with it; one that runs again, or was mended, is asked again. */
  #serverMoved(state: ServerState): void {
    const known = this.#state;
    if (known.kind === "following" && (state === "stopped" || state === "failed")) {
      this.#state = { kind: "waiting" };
      this.#lookIn(SOON_MS);
    } else if (known.kind === "waiting" && known.needsHelp && (state === "stopped" || state === "running")) {
      this.#state = { kind: "waiting" };
      this.#lookIn(0);
    }
  }

  /** End a server that was started for nothing. */
  async #release(): Promise<void> {
    const isNeeded = vscode.workspace.textDocuments.some(({ uri }) => uri.scheme.startsWith("compact-chat"));
    if (!isNeeded && this.#server.isIdle && this.#server.state === "running") {
      await this.#server.stop();
    }
  }

  #tell(inUse: ChatInUse | undefined, trouble: Fault | undefined): void {
    const isSame = inUse === undefined && this.inUse === undefined && trouble === this.trouble;
    [this.inUse, this.trouble] = [inUse, trouble];
    if (!isSame) {
      this.#changed();
    }
  }

  #leave(): void {
    if (this.#state.kind === "following") {
      this.#unwatch(this.#state.watchId);
    }
  }

  #unwatch(watchId: string): void {
    if (this.#server.state === "running") {
      this.#server.ask("unwatch", { watchId }, { quietly: true }).catch(() => undefined);
    }
  }

  /** Look in a while, or not before the window is used. */
  #lookIn(milliseconds: number, isWanted = true): void {
    clearTimeout(this.#timer);
    if (this.#state.kind === "off") {
      return;
    }
    const { focused, active } = vscode.window.state;
    const next = () => (isWanted || focused || active ? void this.look() : this.#lookIn(EVERY_MS, false));
    this.#timer = setTimeout(next, milliseconds).unref();
  }
}
