/** Compacts a chat on this machine, without a question before, and shows the result as a page. */

import * as vscode from "vscode";
import { Fault, isCancelled } from "../faults";
import type { House, NamedChat, Page } from "../house";
import type { Options } from "../wire";
import { panelChat } from "./panelChat";
import { patiently } from "./patience";
import { styleOf } from "./restoring";
import { chatOfClipboard, chatOfFile, openedChat, told } from "./sources";

/** Compacts the given chat or file, else the chat in use. */
export async function compact(house: House, given?: unknown): Promise<void> {
  const chat = isNamedChat(given) ? given : given instanceof vscode.Uri ? await chatOfFile(given) : undefined;
  const wanted = chat ?? (await house.chats.wanted());
  if (wanted) {
    await compacted(house, wanted);
  }
}

/** Compacts a chat that the user chooses, and leaves the meter at the one that it measures. */
export async function compactAnother(house: House): Promise<void> {
  const chat = await house.chats.choose(vscode.l10n.t("Choose the chat to compact"));
  if (chat) {
    await compacted(house, chat);
  }
}

/** Compacts a chat on this machine and shows the page; next to the work, the focus stays where it is. */
export async function compacted(house: House, chat: NamedChat, isBeside = false): Promise<Page> {
  const options = usualOptions();
  const known = await pageInTab(house, chat, options, isBeside);
  if (known) {
    return known;
  }
  const params = { chat: chat.ref, options, provider: "offline" } as const;
  const [named, compaction] = await patiently(vscode.l10n.t("Compacting the chat"), (token) =>
    Promise.all([told(house.server, chat, token), house.server.ask("summarize", params, { token })]),
  );
  return house.pages.open(named, compaction, options, isBeside);
}

/** Shows the page that is open of the chat as it is now: with what was edited there. One plan is one chat with the same options. */
async function pageInTab(
  { pages, server }: House,
  chat: NamedChat,
  options: Options,
  isBeside: boolean,
): Promise<Page | undefined> {
  const open = pages.inTabs();
  if (open.length === 0) {
    return undefined;
  }
  const asked = (token: vscode.CancellationToken) => server.ask("preview", { chat: chat.ref, options }, { token });
  const plan = await patiently(vscode.l10n.t("Compacting the chat"), asked).catch(unlessCancelled);
  const page = open.find(({ versions }) => versions.some(({ compaction }) => compaction.planId === plan?.planId));
  if (page) {
    await vscode.window.showTextDocument(page.uri, { preview: false, preserveFocus: isBeside });
  }
  return page;
}

/** Problems of a chat are reported when it is compacted; what the user cancelled goes no further. */
function unlessCancelled(problem: unknown): undefined {
  if (isCancelled(problem) || problem instanceof vscode.CancellationError) {
    throw problem;
  }
}

/** Compacts the chat that VS Code's own panel shows, whatever the meter measures. */
export async function compactPanel(house: House): Promise<void> {
  const chat = await panelChat(house);
  if (!chat) {
    throw new Fault("chatNotFound", vscode.l10n.t("This chat is not on the disk yet: wait for its first answer."));
  }
  await compacted(house, chat);
}

export async function compactFile(house: House, given?: unknown): Promise<void> {
  const chat = await (given instanceof vscode.Uri ? chatOfFile(given) : openedChat());
  if (chat) {
    await compacted(house, chat);
  }
}

export async function compactClipboard(house: House): Promise<void> {
  const text = await vscode.env.clipboard.readText();
  if (text.trim() === "") {
    throw new Fault("chatUnreadable", vscode.l10n.t("The clipboard holds no text: copy a chat first."));
  }
  await compacted(house, chatOfClipboard(text));
}

/** What the settings say of how a chat is compacted. */
export function usualOptions(): Options {
  return { style: styleOf(vscode.workspace.getConfiguration("compactChat").get("style", "detailed")) };
}

function isNamedChat(given: unknown): given is NamedChat {
  return typeof given === "object" && given !== null && "ref" in given && "tool" in given;
}
