/** Shows what the last compaction by a chat's own tool kept and lost. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { House, NamedChat } from "../house";
import type { Checked } from "../wire";
import { toolName } from "../words";
import type { LostFacts, Papers } from "./papers";
import { patiently } from "./patience";
import { Sheet } from "./sheet";
import { addClasses, addShare, lostOf, MOST_SHOWN } from "./survivalLines";
import { addWarnings, heading } from "./text";
import { replacedIn } from "./transcript";

export async function checkLast(house: House, papers: Papers): Promise<void> {
  const chat = await house.chats.wanted();
  if (!chat) {
    return;
  }
  const checked = await patiently(vscode.l10n.t("Checking the last compaction"), (token) =>
    house.server.ask("check", { chat: chat.ref }, { token }).catch(worded),
  );
  const title = vscode.l10n.t("Check of {0}", chat.title ?? vscode.l10n.t("Chat without a title"));
  const lost = { survival: checked.survival, origin: replacedIn(chat) };
  await papers.show({ title, sheet: sheetOf(chat, checked), actions: actionsOf(chat, lost), lost });
}

function actionsOf(chat: NamedChat, lost: LostFacts): vscode.Command[] {
  const { t } = vscode.l10n;
  const copy = { command: "compactChat.ui.copyLost", title: t("Copy What Was Lost"), arguments: [lost] };
  const compact = { command: "compactChat.ui.compact", title: t("Compact Chat"), arguments: [chat] };
  return lostOf(lost.survival).length > 0 ? [copy, compact] : [compact];
}

/** The server speaks to those who can give a summary with the chat. */
function worded(problem: unknown): never {
  const { t } = vscode.l10n;
  if (problem instanceof Fault && problem.kind === "nothingToCompact") {
    const sentence = problem.data.recorded
      ? t("The last compaction of this chat left no summary that can be read, so it cannot be checked.")
      : t("No tool has compacted this chat yet, as far as it tells.");
    throw new Fault("nothingToCheck", sentence);
  }
  throw problem;
}

function sheetOf(chat: NamedChat, { survival, warnings }: Checked): Sheet {
  const { l10n, env } = vscode;
  const sheet = new Sheet().add(heading({ title: chat.title, l10n }), "");
  sheet.add(
    l10n.t("The last compaction by {0} is checked against all that it replaced.", toolName(chat.tool) ?? chat.tool),
    "",
  );
  addWarnings(sheet, { compaction: { warnings }, l10n, language: env.language });
  const manner = { l10n, language: env.language, canPutBack: false, most: MOST_SHOWN };
  addShare(sheet, survival, manner);
  return addClasses(sheet.add(""), survival, manner);
}
