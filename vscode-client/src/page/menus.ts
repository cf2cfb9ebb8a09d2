/** Tells the editor's menus which of our documents a command would do something for: they ask with `resource in key`. */

import { commands, type Uri } from "vscode";
import type { OpenPage } from "./openPage";

/** A key of the editor's that holds addresses; told at first, since it outlives whoever told it before, and then only when they are others. */
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
