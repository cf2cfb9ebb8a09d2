/** The commands of the meter: what a click on it offers, and the choice of the chat that it measures. */

import * as vscode from "vscode";
import type { Commands, House } from "../house";
import { complain } from "../say";
import { label } from "../words";
import { reading } from "./reading";

interface Action extends vscode.QuickPickItem {
  readonly run?: () => Thenable<unknown>;
}

const LONGEST_TITLE = 60;

export function meterCommands(house: House): Commands {
  return {
    actions: () => act(house),
    pickChat: () => house.chats.pick(),
    measureNewest: () => house.chats.measureNewest(),
  };
}

/** Helps first where the meter cannot measure; else lets the user choose what to do. */
async function act(house: House): Promise<void> {
  const { trouble } = house.chats;
  if (trouble === undefined) return choose(house);
  if (trouble.kind === "notSetUp") await house.server.setUp();
  else await complain(house, trouble, undefined, true);
  house.chats.lookAgain();
}

async function choose(house: House): Promise<void> {
  const title = titleOf(house);
  const placeHolder = vscode.l10n.t("What to do with this chat");
  const chosen = await vscode.window.showQuickPick<Action>(actions(house), {
    title,
    placeHolder,
    matchOnDescription: true,
  });
  await chosen?.run?.();
}

function actions({ chats }: House): Action[] {
  const { t } = vscode.l10n;
  const newest = t("Measure the Most Recently Active Chat");
  return [
    action(`$(fold) ${t("Compact Chat")}`, "compact", t("Look first; nothing leaves this machine")),
    action(`$(arrow-right) ${t("Compact and Continue in New Chat")}`, "continueNow"),
    action(`$(search) ${t("Check What the Last Compaction Lost")}`, "checkLast"),
    { label: "", kind: vscode.QuickPickItemKind.Separator },
    action(`$(list-selection) ${t("Choose Chat to Measure…")}`, "pickChat"),
    ...(chats.isPicked
      ? [action(`$(pinned) ${newest}`, "measureNewest", t("Instead of the one that you picked"))]
      : []),
    action(`$(history) ${t("History")}`, "history"),
    { label: `$(settings-gear) ${t("Open Settings")}`, run: openSettings },
  ];
}

function action(label: string, name: string, description = ""): Action {
  return { label, description, run: () => vscode.commands.executeCommand(`compactChat.ui.${name}`) };
}

function openSettings(): Thenable<unknown> {
  return vscode.commands.executeCommand("workbench.action.openSettings", "@ext:compact-chat.compact-chat");
}

function titleOf({ chats }: House): string {
  if (chats.inUse === undefined) return "Compact Chat";
  const { report, title } = chats.inUse;
  const name = title ? label(title, LONGEST_TITLE) : vscode.l10n.t("Chat without a title");
  return `${name}: ${reading(report, vscode.version).text}`;
}
