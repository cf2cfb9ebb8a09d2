/** The further actions of a page, as a list. */

import { commands, env, l10n, type QuickPickItem, window, workspace } from "vscode";
import { count } from "../words";
import type { OpenPage } from "./openPage";
import { isWhole } from "./survivalLines";

interface Action extends QuickPickItem {
  readonly name: string;
}

export async function more(page: OpenPage): Promise<void> {
  const hasLenses = workspace.getConfiguration("editor").get("codeLens", true);
  const chosen = await window.showQuickPick(actionsFor(page, hasLenses), { title: l10n.t("Compact Chat: More") });
  if (chosen) {
    await commands.executeCommand(`compactChat.ui.${chosen.name}`, page.uri);
  }
}

/** A session keeps messages whole that the text below shortens; of another tool its own prompt is not known. */
function sizeIn(tool: string, { shown: { compaction } }: OpenPage): Pick<Action, "description"> {
  const whole = compaction.tool === tool ? compaction.nextChat?.messages.tokens : undefined;
  return whole === undefined ? {} : { description: l10n.t("{0} tokens", count(whole, env.language)) };
}

/** Gives the actions that would do something now; those of the lenses too, for who has these switched off. */
export function actionsFor(page: OpenPage, hasLenses = true): Action[] {
  const { t } = l10n;
  const copy = { name: "copy", label: t("Copy") };
  const inLenses = [
    ...(page.shown.compaction.summary === "" ? [] : [copy]),
    { name: "saveAsMarkdown", label: t("Save as Markdown") },
    { name: "change", label: t("Change…") },
  ];
  const lost = { name: "putAllBack", label: t("Put Everything Lost Back") };
  const before = { name: "useEarlier", label: t("Use the Summary Before") };
  return [
    ...(hasLenses ? [] : inLenses),
    {
      name: "openCopy",
      label: t("Open Compacted Copy (Experimental)"),
      detail: t("The compacted chat beside the old one, in the chat panel"),
      ...sizeIn("vscode", page),
    },
    {
      name: "openClaude",
      label: t("Open as Claude Code Session"),
      detail: t("Go on in Claude Code, as if it had compacted the chat itself"),
      ...sizeIn("claude-code", page),
    },
    { name: "showMessage", label: t("Show the Original Chat"), detail: t("All its messages, to read") },
    ...(isWhole(page.survival) ? [] : [lost]),
    ...(page.versions.length > 1 ? [before] : []),
    { name: "undo", label: t("Undo: Back to the Original Chat"), detail: t("Old chats are never touched") },
  ];
}
