/** The further actions of a page, as a list. */

import { commands, l10n, type QuickPickItem, window } from "vscode";
import type { OpenPage } from "./openPage";
import { isWhole } from "./survivalLines";

interface Action extends QuickPickItem {
  readonly name: string;
}

export async function more(page: OpenPage): Promise<void> {
  const chosen = await window.showQuickPick(actionsFor(page), { title: l10n.t("Compact Chat: More") });
  if (chosen) {
    await commands.executeCommand(`compactChat.ui.${chosen.name}`, page.uri);
  }
}

/** Gives the actions that would do something now. */
export function actionsFor(page: OpenPage): Action[] {
  const { t } = l10n;
  const lost = { name: "putAllBack", label: t("Put Everything Lost Back") };
  const before = { name: "useEarlier", label: t("Use the Summary Before") };
  return [
    {
      name: "openCopy",
      label: t("Open Compacted Copy (Experimental)"),
      detail: t("The compacted chat beside the old one, in the chat panel"),
    },
    {
      name: "openClaude",
      label: t("Open as Claude Code Session"),
      detail: t("Go on in Claude Code, as if it had compacted the chat itself"),
    },
    { name: "showMessage", label: t("Show the Original Chat"), detail: t("All its messages, to read") },
    ...(isWhole(page.survival) ? [] : [lost]),
    ...(page.versions.length > 1 ? [before] : []),
    { name: "undo", label: t("Undo: Back to the Original Chat"), detail: t("Old chats are never touched") },
  ];
}
