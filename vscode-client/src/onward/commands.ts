/** The commands that go on from a compaction, and back. */

import * as vscode from "vscode";
import { expectNobodyWrites } from "../busy";
import { Fault } from "../faults";
import type { Commands, House, Page } from "../house";
import { undo } from "./back";
import { openAsClaudeSession } from "./claude";
import { continueFrom, continueNow } from "./continuing";
import { openCopy } from "./copy";
import { showHistory } from "./history";

type OnPage = (house: House, page: Page) => Promise<void>;

export function onwardCommands(house: House): Commands {
  const onPage = (act: OnPage) => async (uri?: vscode.Uri | string) => act(house, await pageOf(house, uri));
  const onWholePage = (act: OnPage) =>
    onPage((_, page) => {
      expectNobodyWrites(page);
      return act(house, page);
    });
  return {
    continue: onWholePage(continueFrom),
    openCopy: onWholePage(openCopy),
    openClaude: onWholePage(openAsClaudeSession),
    undo: onPage(undo),
    continueNow: () => continueNow(house),
    history: () => showHistory(house),
  };
}

async function pageOf(house: House, uri: vscode.Uri | string | undefined): Promise<Page> {
  const page = await house.pages.of(uri);
  if (!page) {
    throw new Fault("noPage", vscode.l10n.t("Compact a chat first: this goes on from its result."));
  }
  return page;
}
