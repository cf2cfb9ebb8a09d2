/** Has the server check again what survives, once a person has stopped changing the text of a page. */

import type { Server } from "../house";
import type { OpenPage } from "./openPage";

const QUIET = 250; // milliseconds: a series of facts that are put back is checked once

export class Checker {
  readonly #waiting = new Map<OpenPage, NodeJS.Timeout>();

  constructor(private readonly server: Server) {}

  soon(page: OpenPage): void {
    clearTimeout(this.#waiting.get(page));
    this.#waiting.set(
      page,
      setTimeout(() => {
        this.#waiting.delete(page);
        void this.now(page);
      }, QUIET),
    );
  }

  /** Checks the text that is shown; where that fails, what was known of it stays, told as that of an earlier text. */
  async now(page: OpenPage): Promise<void> {
    const { body, compaction } = page.shown;
    if (compaction.summary === "" || page.isWriting) {
      return;
    }
    try {
      const { survival } = await this.server.ask("check", { chat: page.chat.ref, summary: body }, { quietly: true });
      page.check(body, survival);
    } catch {
      // The chat may be gone by now: the page is as good as before.
    }
  }

  dispose(): void {
    for (const timer of this.#waiting.values()) {
      clearTimeout(timer);
    }
  }
}
