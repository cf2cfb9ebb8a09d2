/** All that a window follows at once, and which of it is the chat in use. */

import { stat } from "node:fs/promises";
import * as vscode from "vscode";
import type { Fault } from "../faults";
import type { ChatInUse, Server } from "../house";
import { Followed, type Surroundings } from "./followed";
import { leading, QUIET } from "./leading";
import type { Watchable } from "./targets";

const PATIENCE = 3000;

export class Followers {
  private readonly heard: vscode.Disposable;
  private readonly around: Surroundings;
  private followed: readonly Followed[] = [];
  private leader: Followed | undefined;
  private again: NodeJS.Timeout | undefined;

  constructor(
    private readonly server: Server,
    private readonly told: () => void,
  ) {
    this.heard = vscode.Disposable.from(
      server.onMeter((moved) => this.each((one) => one.hear(moved))),
      server.onState((state) => this.each((one) => one.serverMoved(state))),
      vscode.window.onDidChangeWindowState(({ focused }) => focused && this.each((one) => void one.look())),
    );
    const isUsed = () => vscode.window.state.focused || vscode.window.state.active;
    this.around = { server, isUsed, changed: (which) => void this.changed(which), inVain: () => void this.release() };
  }

  get inUse(): ChatInUse | undefined {
    return this.leader?.outcome.inUse;
  }

  get trouble(): Fault | undefined {
    return this.inUse ? undefined : this.followed.find((one) => one.outcome.trouble)?.outcome.trouble;
  }

  /** Follows these from now on, and nothing else. */
  begin(targets: readonly Watchable[]): void {
    this.each((one) => one.dispose());
    this.leader = undefined;
    this.followed = targets.map((target) => new Followed(target, this.around));
    this.told();
  }

  lookAgain(): void {
    this.each((one) => one.lookAgain());
  }

  /** Looks, and waits a moment for what comes of it; says whether all of it came. */
  async looked(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const tooLong = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, PATIENCE, false);
    });
    const looked = Promise.all(this.followed.map((one) => one.look())).then(() => true);
    return Promise.race([looked, tooLong]).finally(() => clearTimeout(timer));
  }

  dispose(): void {
    clearTimeout(this.again);
    this.heard.dispose();
    this.each((one) => one.dispose());
  }

  /** Of several, the file's time decides which is active. */
  private async changed(which: Followed): Promise<void> {
    if (this.followed.length > 1) which.movedAt = await writtenAt(which.outcome.inUse?.uri);
    this.lead();
  }

  private lead(): void {
    const inUse = this.followed.filter((one) => one.outcome.inUse);
    this.leader = leading(this.leader, inUse, Date.now());
    const isOvertaken = inUse.some((one) => one.movedAt > (this.leader?.movedAt ?? 0));
    clearTimeout(this.again);
    if (isOvertaken) this.again = setTimeout(() => this.lead(), QUIET).unref();
    this.told();
  }

  /** Releases a server that was started in vain, if it has no other use. */
  private async release(): Promise<void> {
    const isNeeded = vscode.workspace.textDocuments.some(({ uri }) => uri.scheme.startsWith("compact-chat"));
    const isAlone = this.followed.every((one) => !one.isFollowing);
    if (isAlone && !isNeeded && this.server.isIdle && this.server.state === "running") await this.server.stop();
  }

  private each(visit: (one: Followed) => void): void {
    this.followed.forEach(visit);
  }
}

async function writtenAt(uri: vscode.Uri | undefined): Promise<number> {
  const seen = uri?.scheme === "file" ? await stat(uri.fsPath).catch(() => undefined) : undefined;
  return seen?.mtimeMs ?? 0;
}
