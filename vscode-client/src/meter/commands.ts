/** The commands of the meter: what a click on it offers, the chat that it measures, and the example. */

import * as vscode from "vscode";
import type { Commands, House } from "../house";
import { complain } from "../remedies";
import type { Session } from "../wire";
import { label } from "../words";
import { named } from "./choosing";
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
    openExample: () => openExample(house),
    continueRow: (row: Session) => vscode.commands.executeCommand("compactChat.ui.continueNow", named(row)),
  };
}

/** Help first if the meter cannot measure; else let the user choose what to do. */
async function act(house: House): Promise<void> {
  const { trouble } = house.chats;
  if (trouble === undefined) {
    const options = { title: titleOf(house), placeHolder: vscode.l10n.t("What to do with this chat") };
    const chosen = await vscode.window.showQuickPick<Action>(actions(house), options);
    await chosen?.run?.();
    return;
  }
  if (trouble.kind === "notSetUp") {
    await house.server.setUp();
  } else {
    complain(house, trouble, undefined, true);
  }
  house.chats.lookAgain();
}

function actions({ chats }: House): Action[] {
  const { t } = vscode.l10n;
  return [
    action(`$(fold) ${t("Compact Chat")}`, "compact", t("Preview first. Nothing leaves this machine.")),
    action(`$(arrow-right) ${t("Compact and Continue in New Chat")}`, "continueNow"),
    action(`$(search) ${t("Review Last Compaction")}`, "checkLast"),
    { label: "", kind: vscode.QuickPickItemKind.Separator },
    action(`$(list-selection) ${t("Choose Chat to Measure…")}`, "pickChat"),
    ...(chats.isPicked ? [action(`$(pinned) ${t("Follow Newest Chat")}`, "measureNewest")] : []),
    action(`$(history) ${t("Show History")}`, "history"),
    { label: `$(settings-gear) ${t("Open Settings")}`, run: openSettings },
  ];
}

function action(label: string, name: string, description = ""): Action {
  return { label, description, run: () => vscode.commands.executeCommand(`compactChat.ui.${name}`) };
}

function openSettings(): Thenable<unknown> {
  return vscode.commands.executeCommand("workbench.action.openSettings", "@ext:compact-chat.compact-chat");
}

function titleOf({ chats: { inUse } }: House): string {
  if (inUse === undefined) {
    return "Compact Chat";
  }
  const name = inUse.title ? label(inUse.title, LONGEST_TITLE) : vscode.l10n.t("Untitled chat");
  return `${name}: ${reading(inUse.report).text}`;
}

/** Compact the chat that came with the extension. */
async function openExample({ context }: House): Promise<void> {
  const example = vscode.Uri.joinPath(context.extensionUri, "example", "bakery.jsonl");
  await vscode.commands.executeCommand("compactChat.ui.compact", example);
}
