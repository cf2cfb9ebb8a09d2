/** Shows what the last compaction by a chat's own tool kept and lost. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { House, NamedChat } from "../house";
import type { Checked } from "../wire";
import { toolName } from "../words";
import type { Papers } from "./papers";
import { patiently } from "./patience";
import { Sheet } from "./sheet";
import { addClasses, addShare, MOST_SHOWN } from "./survivalLines";
import { addWarnings, heading } from "./text";
import { originOfChat } from "./transcript";

export async function checkLast(house: House, papers: Papers): Promise<void> {
  const chat = await house.chats.wanted();
  if (!chat) {
    return;
  }
  const checked = await patiently(vscode.l10n.t("Checking the last compaction"), (token) =>
    house.server.ask("check", { chat: chat.ref }, { token }).catch(worded),
  );
  const found = withoutMessages(checked);
  const title = vscode.l10n.t("Check of {0}", chat.title ?? vscode.l10n.t("Chat without a title"));
  const action = { command: "compactChat.ui.compact", title: vscode.l10n.t("Compact Chat"), arguments: [chat] };
  await papers.show({
    title,
    sheet: sheetOf(chat, found),
    actions: [action],
    lost: { survival: found.survival, origin: originOfChat(chat) },
  });
}

/** The server speaks to those who can give a summary with the chat. */
function worded(problem: unknown): never {
  if (problem instanceof Fault && problem.kind === "nothingToCompact") {
    throw new Fault("nothingToCheck", vscode.l10n.t("No tool has compacted this chat yet, as far as it tells."));
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
  addShare(sheet, survival, l10n, false);
  const manner = { l10n, language: env.language, canPutBack: false, most: MOST_SHOWN };
  return addClasses(sheet.add(""), survival, manner);
}

/** A compaction by a tool takes the messages out of the chat that can be read, so that no link can lead to one. */
function withoutMessages(checked: Checked): Checked {
  const { kept, classes: all } = checked.survival;
  const classes = all.map((one) => ({ ...one, lost: one.lost.map((lost) => ({ ...lost, message: null })) }));
  return { ...checked, survival: { kept, classes } };
}
