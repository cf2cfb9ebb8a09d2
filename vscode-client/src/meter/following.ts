/** One watch at the server: begun when there may be a chat, renewed when the server comes back, reported to its listeners. */

import { l10n, Uri } from "vscode";
import { Fault } from "../faults";
import type { ChatInUse, MeterMoved, Server } from "../house";
import type { Watched, WatchParams } from "../wire";

/** What is followed, and how to learn without a server that there may be something to follow. */
export interface Target {
  readonly params: WatchParams;
  /** Changes when another chat may be there; empty while there is none. */
  signs(): Promise<string>;
}

export interface Outcome {
  readonly inUse: ChatInUse | undefined;
  readonly trouble: Fault | undefined;
}

const NOTHING: Outcome = { inUse: undefined, trouble: undefined };
const ABOUT_THE_CHAT = new Set(["chatNotFound", "chatUnreadable", "tooLarge", "cancelled"]);

const MOST_CUT_OFF = 3; // times in a row

export class Following {
  /** Whether the server ended at the last look, before it had answered. */
  wasCutOff = false;
  private cutOffs = 0;
  private told = NOTHING;
  private watchId: string | undefined;
  private early: MeterMoved | undefined;
  private refused: string | undefined;
  private needsHelp = false;
  private isOpen = true;
  private looking: Promise<void> | undefined;

  constructor(
    private readonly server: Server,
    private readonly target: Target,
    private readonly changed: () => void,
  ) {}

  get outcome(): Outcome {
    return this.told;
  }

  get isFollowing(): boolean {
    return this.watchId !== undefined;
  }

  /** Asks the server where there may be a chat that it has not refused already. */
  look(): Promise<void> {
    this.looking ??= this.lookOnce().finally(() => {
      this.looking = undefined;
    });
    return this.looking;
  }

  /** Forgets what did not work before. */
  forgive(): void {
    this.refused = undefined;
    this.needsHelp = false;
  }

  /** Takes a notification of the server, if it is about this watch. */
  hear(moved: MeterMoved): void {
    if (moved.watchId === this.watchId) this.take(moved);
    else if (this.watchId === undefined) this.early = moved;
  }

  /** Notes that the server has ended, and its watches with it. */
  lose(): void {
    this.watchId = undefined;
  }

  dispose(): void {
    this.isOpen = false;
    this.leave();
  }

  private async lookOnce(): Promise<void> {
    this.wasCutOff = false;
    if (!this.isOpen || this.isFollowing || this.needsHelp) return;
    const signs = await this.target.signs();
    if (signs === "") this.tell(NOTHING);
    else if (signs !== this.refused && this.isOpen) await this.ask(signs);
  }

  private async ask(signs: string): Promise<void> {
    const hadFailed = this.server.state === "failed";
    try {
      this.begin(await this.server.ask("watch", this.target.params, { quietly: true }));
    } catch (problem) {
      this.wasCutOff = !hadFailed && isCutOff(problem) && this.cutOffs < MOST_CUT_OFF;
      if (this.wasCutOff) this.cutOffs += 1;
      else this.refuse(signs, problem);
    }
  }

  private refuse(signs: string, problem: unknown): void {
    this.refused = signs;
    this.cutOffs = 0;
    this.tell(this.failed(problem));
  }

  private begin(watched: Watched): void {
    this.watchId = watched.watchId;
    this.cutOffs = 0;
    if (this.isOpen) this.take(this.early?.watchId === watched.watchId ? this.early : watched);
    else this.leave();
    this.early = undefined;
  }

  /** A chat that is not there is no trouble; one that cannot be read may be read when it has changed. */
  private failed(problem: unknown): Outcome {
    const fault =
      problem instanceof Fault
        ? problem
        : new Fault("internal", l10n.t("Something went wrong while the chat was measured."));
    this.needsHelp = !ABOUT_THE_CHAT.has(fault.kind);
    const isNone = fault.kind === "chatNotFound" || fault.kind === "cancelled";
    return isNone ? NOTHING : { inUse: undefined, trouble: fault };
  }

  /** A chat that is gone is not measured any more: who looks next finds another one, or none. */
  private take({ uri, report }: Watched): void {
    const { tool, title, warnings } = report;
    if (warnings.some(({ code }) => code === "chatGone")) {
      this.leave();
      this.tell(NOTHING);
      return;
    }
    this.tell({ inUse: { ref: { uri }, tool, title, uri: Uri.parse(uri), report }, trouble: undefined });
  }

  private tell(outcome: Outcome): void {
    if (!this.isOpen || (outcome === NOTHING && this.told === NOTHING)) return;
    this.told = outcome;
    this.changed();
  }

  private leave(): void {
    const { watchId } = this;
    this.watchId = undefined;
    if (watchId !== undefined && this.server.state === "running") {
      this.server.ask("unwatch", { watchId }, { quietly: true }).catch(() => {});
    }
  }
}

function isCutOff(problem: unknown): boolean {
  return problem instanceof Fault && problem.kind === "serverFailed";
}
