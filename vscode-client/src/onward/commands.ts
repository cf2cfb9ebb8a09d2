/** The commands that go on from a compaction, and back. */

import { type Given, pageOf, wholePageOf } from "../given";
import type { Commands, House, Page } from "../house";
import { undo } from "./back";
import { openAsClaudeSession } from "./claude";
import { continueFrom, continueNow } from "./continuing";
import { openCopy } from "./copy";
import { showHistory } from "./history";

type OnPage = (house: House, page: Page) => Promise<void>;

export function onwardCommands(house: House): Commands {
  const onWholePage = (act: OnPage) => async (given?: Given) => act(house, await wholePageOf(house, given));
  return {
    continue: onWholePage(continueFrom),
    openCopy: onWholePage(openCopy),
    openClaude: onWholePage(openAsClaudeSession),
    undo: async (given?: Given) => undo(house, await pageOf(house, given)),
    continueNow: () => continueNow(house),
    history: () => showHistory(house),
  };
}
