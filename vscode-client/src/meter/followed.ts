/** One target with all that keeps its watch alive: looking for a first chat, and renewing after the server was away. */

import type { Disposable } from "vscode";
import type { MeterMoved, Server, ServerState } from "../house";
import { Following, type Outcome } from "./following";
import { Lookout } from "./lookout";
import type { Watchable } from "./targets";

export interface Surroundings {
  readonly server: Server;
  readonly isUsed: () => boolean;
  readonly changed: (which: Followed) => void;
  /** Called after a look that found nothing to follow. */
  readonly inVain: () => void;
}

const EVERY = 5000;
const RENEWED_AFTER = 200;

export class Followed implements Disposable {
  movedAt = 0;
  private before: ServerState | undefined;
  private readonly following: Following;
  private readonly lookout: Lookout;

  /** Whether its chat is gone, so that the server may be needed no more. */
  private isLeft = false;

  constructor(
    target: Watchable,
    private readonly around: Surroundings,
  ) {
    this.following = new Following(around.server, target, () => around.changed(this));
    const isUsed = () => !this.following.isFollowing && around.isUsed();
    this.lookout = new Lookout(() => this.look(), { folder: target.stirsIn, isUsed, every: EVERY });
  }

  get outcome(): Outcome {
    return this.following.outcome;
  }

  get isFollowing(): boolean {
    return this.following.isFollowing;
  }

  /** Where the chat turns out to be gone, another one is looked for. */
  hear(moved: MeterMoved): void {
    const wasFollowing = this.isFollowing;
    this.following.hear(moved);
    if (wasFollowing && !this.isFollowing) {
      this.isLeft = true;
      this.lookout.lookSoon();
    }
  }

  /** Looks now; gives a promise that is kept when the look is over. A server that ended meanwhile is asked again: it starts anew, or says itself that it ended too often. */
  async look(): Promise<void> {
    if (this.isFollowing) return;
    const wasRunning = this.around.server.state === "running";
    await this.following.look();
    if (this.following.wasCutOff) this.lookout.lookSoon(RENEWED_AFTER);
    else if ((!wasRunning || this.isLeft) && !this.isFollowing) this.around.inVain();
    this.isLeft = false;
  }

  lookAgain(): void {
    this.following.forgive();
    this.lookout.lookSoon(0);
  }

  /** A server that ended took the watch with it; one that runs again, or was repaired, is asked again. */
  serverMoved(state: ServerState): void {
    const { before, outcome } = this;
    this.before = state;
    const wasHelped = state === "stopped" && (before === "failed" || outcome.trouble?.kind === "notSetUp");
    const isBack = state === "running" && (outcome.inUse ?? outcome.trouble) !== undefined;
    if (this.isFollowing && (state === "stopped" || state === "failed")) this.lost();
    else if (!this.isFollowing && (wasHelped || isBack)) this.lookAgain();
  }

  dispose(): void {
    this.lookout.dispose();
    this.following.dispose();
  }

  private lost(): void {
    this.following.lose();
    this.following.forgive();
    this.lookout.lookSoon(RENEWED_AFTER);
  }
}
