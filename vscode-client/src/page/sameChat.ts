/** Asks about the chat of a page: the chat itself, else its archived original where the chat is gone. */

import { Fault } from "../faults";
import type { Page, Pages } from "../house";
import type { ChatRef } from "../wire";

/** What is said of a chat that was deleted or moved, or that something else was written over. */
const GONE: ReadonlySet<string> = new Set(["chatNotFound", "chatUnreadable"]);

export async function ofSameChat<Result>(
  pages: Pages,
  page: Page,
  ask: (chat: ChatRef) => Promise<Result>,
): Promise<Result> {
  try {
    return await ask(page.chat.ref);
  } catch (problem) {
    const { archive } = pages.current(page).compaction;
    if (archive === null || !(problem instanceof Fault && GONE.has(problem.kind))) {
      throw problem;
    }
    return ask({ uri: archive });
  }
}
