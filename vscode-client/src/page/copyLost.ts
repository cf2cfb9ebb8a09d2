/** Copies what a tool's own compaction lost, to be pasted into the chat that goes on. */

import * as vscode from "vscode";
import type { House } from "../house";
import type { LostFacts } from "./papers";
import { patiently } from "./patience";
import { lostOf } from "./survivalLines";
import { MOST_AT_ONCE, wholeItems } from "./wholeItems";

/** The instruction to the model about the list, in the server's language. */
const TOLD =
  "The last compaction of this chat left out what follows. It was said or done before; look whether it still holds:";

export async function copyLost(house: House, { survival, origin }: LostFacts): Promise<void> {
  const { l10n } = vscode;
  const all = lostOf(survival);
  const items = await patiently(l10n.t("Reading the chat"), (token) =>
    wholeItems(house, origin, all.slice(0, MOST_AT_ONCE), token),
  );
  await vscode.env.clipboard.writeText(`${TOLD}\n\n${[...new Set(items)].join("\n")}\n`);
  const said = l10n.t("Copied: paste it into the chat that was compacted.");
  const left = all.length - items.length;
  await vscode.window.showInformationMessage(
    left > 0 ? `${said} ${l10n.t("{0} of {1} are not in it.", left, all.length)}` : said,
  );
}
