/** Lets the editor's menus know for which of our documents a command does something: they ask with `resource in key`. */

import { commands, type Uri } from "vscode";
import type { OpenPage } from "./openPage";

/** A context key of the editor that holds addresses; set at first, since it outlives an earlier extension host, and then only when they change. */
export class MenuKey {
  #told: string | undefined;

  constructor(private readonly name: string) {}

  tell(uris: Iterable<Uri | string>): void {
    const addresses = Array.from(uris, String);
    const told = addresses.join("\n");
    if (told !== this.#told) {
      this.#told = told;
      void commands.executeCommand("setContext", this.name, addresses);
    }
  }
}

export class PageMenus {
  readonly #withSummary = new MenuKey("compactChat.pagesWithSummary");
  readonly #inWriting = new MenuKey("compactChat.pagesInWriting");

  /** While a model writes on a page, it has no summary to go on with. */
  tell(pages: readonly OpenPage[]): void {
    const writing = pages.filter(({ isWriting }) => isWriting);
    const summarized = pages.filter(({ isWriting, shown }) => !isWriting && shown.compaction.summary !== "");
    this.#inWriting.tell(writing.map(({ uri }) => uri));
    this.#withSummary.tell(summarized.map(({ uri }) => uri));
  }
}
