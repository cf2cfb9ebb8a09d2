/** When to look for a first chat: as soon as something stirs in a folder, and now and then while the window is used. */

import { type FSWatcher, watch } from "node:fs";
import { basename, dirname } from "node:path";

export interface Waking {
  /** The folder where a chat may appear at any moment; it need not be there yet. */
  readonly folder: string | undefined;
  /** Whether the window is used, so that looking is worth something. */
  readonly isUsed: () => boolean;
  /** Milliseconds between two looks. */
  readonly every: number;
}

const SETTLED = 100;
const SHARE_OF_TIME = 100;

export class Lookout {
  private watcher: FSWatcher | undefined;
  private timer: NodeJS.Timeout | undefined;
  private isOpen = true;
  private isLooking = false;
  private isAskedAgain = false;

  constructor(
    private readonly look: () => Promise<void>,
    private readonly waking: Waking,
  ) {
    this.lookSoon(0);
  }

  /** Looks in a moment, or a moment after the look that is under way. */
  lookSoon(milliseconds = SETTLED): void {
    if (!this.isOpen) return;
    this.isAskedAgain = this.isLooking;
    if (this.isLooking) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.now(), milliseconds).unref();
  }

  dispose(): void {
    this.isOpen = false;
    clearTimeout(this.timer);
    this.watcher?.close();
  }

  /** Looking takes at most a hundredth of the time, however many files there are. */
  private async now(): Promise<void> {
    const begun = performance.now();
    this.isLooking = true;
    this.isAskedAgain = false;
    this.listen();
    await this.look().finally(() => {
      this.isLooking = false;
    });
    if (this.isAskedAgain) this.lookSoon();
    else if (this.isOpen) this.wait(Math.max(this.waking.every, (performance.now() - begun) * SHARE_OF_TIME));
  }

  private wait(milliseconds: number): void {
    clearTimeout(this.timer);
    const next = () => (this.waking.isUsed() ? void this.now() : this.wait(this.waking.every));
    this.timer = setTimeout(next, milliseconds).unref();
  }

  /** Listens at the folder, or at the one above it while it is not there. */
  private listen(): void {
    const { folder } = this.waking;
    if (folder === undefined) return;
    const before = this.watcher;
    const stirred = () => this.lookSoon();
    this.watcher = listening(folder, stirred) ?? listening(dirname(folder), onlyOf(basename(folder), stirred));
    before?.close();
  }
}

type Stirred = (event: string, name: string | null) => void;

/** The editor writes to the folder above every second; only what is called so matters. */
function onlyOf(wanted: string, stirred: () => void): Stirred {
  return (_event, name) => {
    if (name === wanted || name === null) stirred();
  };
}

function listening(folder: string, stirred: Stirred): FSWatcher | undefined {
  try {
    return watch(folder, { persistent: false }, stirred).on("error", () => {});
  } catch {
    return undefined;
  }
}
