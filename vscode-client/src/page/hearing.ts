/** Passes on what a model says, not more often than a person can read it. */

import { type Visible, visible } from "./visible";

const PAUSE = 125; // milliseconds: eight times a second

export class Hearing {
  #said = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(private readonly show: (heard: Visible) => void) {}

  /** Takes the next piece. */
  readonly hear = (piece: string): void => {
    this.#said += piece;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.show(visible(this.#said));
    }, PAUSE);
  };

  dispose(): void {
    clearTimeout(this.#timer);
  }
}
