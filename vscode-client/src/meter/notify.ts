/** Two quiet notifications, each once per chat: when it nears its limit, and after its tool has compacted it. */

import * as vscode from "vscode";
import type { ChatInUse, House } from "../house";
import { chatTitle, t, toolName } from "../words";
import { reading } from "./reading";

const TOLD = "notified";
const MOST_REMEMBERED = 200;
type Kind = "nearLimit" | "compacted";

export function notify(house: House): vscode.Disposable {
  /** How often the tool had compacted each chat when it was seen last. */
  const compactions = new Map<string, number>();
  return house.chats.onChanged((chat) => {
    if (chat === undefined) {
      return;
    }
    const [before, { total }] = [compactions.get(chat.uri), chat.report.compactions];
    compactions.set(chat.uri, total);
    if (before !== undefined && total > before) {
      void tellCompacted(house, chat).catch(() => undefined);
    } else if (reading(chat.report).level === "error") {
      void tellNearLimit(house, chat);
    }
  });
}

async function tellNearLimit(house: House, chat: ChatInUse): Promise<void> {
  if (!isFirst(house, chat, "nearLimit")) {
    return;
  }
  const name = chatTitle(chat.title);
  await offer(t("This chat is {0} full: {1}", reading(chat.report).text, name), chat, "nearLimit", [
    [t("Compact and Continue"), "continueNow"],
    [t("Compact Chat"), "compact"],
  ]);
}

/** Say what the tool's compaction left out; nothing if it left out nothing. */
async function tellCompacted(house: House, chat: ChatInUse): Promise<void> {
  if (!isWanted("compacted")) {
    return;
  }
  const { survival } = await house.server.ask("check", { chat: { uri: chat.uri } }, { quietly: true });
  const missing = survival.classes.map(({ name, lost }) => ({ name, count: lost.length }));
  const rules = missing.find(({ name }) => name === "constraints")?.count ?? 0;
  const all = missing.reduce((sum, { count }) => sum + count, 0);
  if (all === 0 || !isFirst(house, chat, "compacted")) {
    return;
  }
  const tool = toolName(chat.tool) ?? t("The tool");
  await offer(compactedSentence(tool, rules, all), chat, "compacted", [
    [t("Review"), "checkLast"],
    [t("Copy Back"), "copyLost"],
  ]);
}

function compactedSentence(tool: string, rules: number, all: number): string {
  if (rules > 0) {
    return rules === 1
      ? t("{0} just compacted this chat: 1 rule is missing.", tool)
      : t("{0} just compacted this chat: {1} rules are missing.", tool, rules);
  }
  return all === 1
    ? t("{0} just compacted this chat: 1 item is missing.", tool)
    : t("{0} just compacted this chat: {1} items are missing.", tool, all);
}

/** Offer actions on a chat, each by its label and the last part of its command's name. */
async function offer(
  sentence: string,
  { uri, tool, title }: ChatInUse,
  kind: Kind,
  actions: readonly [string, string][],
) {
  const off = t("Don't Show Again");
  const chosen = await vscode.window.showInformationMessage(sentence, ...actions.map(([label]) => label), off);
  if (chosen === off) {
    const { Global } = vscode.ConfigurationTarget;
    await vscode.workspace.getConfiguration("compactChat.notify").update(kind, false, Global);
  }
  const [, command] = actions.find(([label]) => label === chosen) ?? [];
  if (command) {
    await vscode.commands.executeCommand(`compactChat.ui.${command}`, { uri, tool, title });
  }
}

/** Whether this notification is on and was not shown for this chat in any window; records that it now is. */
function isFirst({ context }: House, { uri }: ChatInUse, kind: Kind): boolean {
  const told = context.globalState.get<readonly string[]>(TOLD, []);
  const entry = `${kind} ${uri}`;
  if (!isWanted(kind) || told.includes(entry)) {
    return false;
  }
  void context.globalState.update(TOLD, [...told, entry].slice(-MOST_REMEMBERED));
  return true;
}

function isWanted(kind: Kind): boolean {
  return vscode.workspace.getConfiguration("compactChat.notify").get<boolean>(kind, true);
}
