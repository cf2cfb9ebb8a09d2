/** Has the server check again what survives, once a person has stopped changing the text of a page. */

import type { Server } from "../house";
import type { ChatRef, Compaction, Survival } from "../wire";
import type { OpenPage } from "./openPage";

const QUIET = 250; // milliseconds: a series of facts that are put back is checked once
const REST = 2; // of the time that a check took: one of a large chat must not keep the server busy while the user types

const FROM_ORIGINAL = "fromOriginal"; // the code of the warning that a compaction is one of the chat's original

export class Checker {
  readonly #waiting = new Map<OpenPage, NodeJS.Timeout>();
  readonly #rests = new WeakMap<OpenPage, number>();
  readonly #underWay = new Set<OpenPage>();

  constructor(private readonly server: Server) {}

  /** Checks a page after a rest; asked for meanwhile, once more behind the check that is under way. */
  soon(page: OpenPage): void {
    clearTimeout(this.#waiting.get(page));
    const rest = Math.max(QUIET, this.#rests.get(page) ?? 0);
    this.#waiting.set(
      page,
      setTimeout(() => (this.#underWay.has(page) ? this.soon(page) : void this.now(page)), rest),
    );
  }

  /** Checks the shown text; if that fails, the previous result stays, labeled as that of an earlier text. */
  async now(page: OpenPage): Promise<void> {
    clearTimeout(this.#waiting.get(page));
    this.#waiting.delete(page);
    const { body, compaction } = page.shown;
    if (page.isWriting) {
      this.soon(page); // it may be stopped, and then the text of now counts again
      return;
    }
    if (compaction.summary === "") {
      return;
    }
    const begun = performance.now();
    this.#underWay.add(page);
    try {
      page.check(body, await this.#survival(page.chat.ref, body, compaction));
    } catch {
      page.missCheck(body); // the chat may be gone by now
    } finally {
      this.#underWay.delete(page);
      this.#rests.set(page, REST * (performance.now() - begun));
    }
  }

  /** Compares with the chat as it was compacted, where that is archived, since the chat itself may have grown. */
  async #survival(chat: ChatRef, summary: string, { archive, warnings }: Compaction): Promise<Survival> {
    const original = warnings.some(({ code }) => code === FROM_ORIGINAL);
    const ask = (one: ChatRef) => this.server.ask("check", { chat: one, summary, original }, { quietly: true });
    const checked = archive === null ? ask(chat) : ask({ uri: archive }).catch(() => ask(chat));
    return (await checked).survival;
  }

  dispose(): void {
    for (const timer of this.#waiting.values()) {
      clearTimeout(timer);
    }
  }
}
