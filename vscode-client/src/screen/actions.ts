/** The commands about a chat and its draft: open the screen of a chat, and the actions there, one table for page and palette. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { HostAction } from "../../page/port";
import { Fault } from "../faults";
import { type Commands, type House, type NamedChat, refOf } from "../house";
import { chatOfClipboard, chatOfFile, openedChat } from "../meter/choosing";
import { continueWith, openClaudeSession, openCompactedCopy, openOriginal } from "../onward/sessions";
import { patiently } from "../patience";
import type { Draft, Session } from "../wire";
import { t } from "../words";
import { addressOf, fileName, messageOf } from "./drafts";

const EXPORT = "workbench.action.chat.export";

export function compactCommands(house: House): Commands {
  return {
    compact: async (given?: unknown) => opened(house, await chatFor(house, given)),
    compactAnother: async () => opened(house, await house.chats.choose(t("Choose the chat to compact"))),
    compactPanel: async () => opened(house, await panelChat(house)),
    compactFile: async (given?: unknown) =>
      opened(house, await (given instanceof vscode.Uri ? chatOfFile(given) : openedChat())),
    compactClipboard: async () => opened(house, await chatOfClipboard()),
    continueNow: async (given?: unknown) => {
      const chat = await chatFor(house, given);
      const draft = chat && (await draftOf(house, chat));
      if (draft) {
        await continueWith(house, draft, addressOf(draft));
        await house.screens.show(draft, { isBeside: true });
      }
    },
  };
}

async function opened(house: House, chat: NamedChat | undefined): Promise<void> {
  if (chat) {
    await house.screens.show(await draftOf(house, chat));
  }
}

/** Compacts a chat; what a person changed in an earlier draft of it stays. */
function draftOf({ drafts }: House, chat: NamedChat): Promise<Draft> {
  return patiently(t("Compacting the chat"), (signal) =>
    drafts.change({ chat: refOf(chat), reopen: true }, { signal }),
  );
}

/** The given chat, row of the list, or file, else the chat in use. */
async function chatFor(house: House, given: unknown): Promise<NamedChat | undefined> {
  if (given instanceof vscode.Uri) {
    return chatOfFile(given);
  }
  const isChat = typeof given === "object" && given !== null && ("uri" in given || "text" in given);
  return isChat ? (given as NamedChat) : house.chats.wanted();
}

/** Returns the chat that VS Code's own panel shows, saved or not; where it shows none, the one that was written last. */
async function panelChat({ chats, server }: House): Promise<NamedChat> {
  const place = chats.ownFolder && { roots: [chats.ownFolder.toString()] };
  const [listed, text] = await Promise.all([place && server.ask("sessions", place), exported()]);
  const saved = listed?.sessions ?? [];
  const requests = text.match(/"requestId":\s*"[^"]+"/g)?.map((one) => one.slice(one.indexOf(":") + 1).trim()) ?? [];
  // Use the export for a new chat and one whose files are on another machine.
  const unsaved = { text, tool: "vscode", title: null };
  const chat = requests.length === 0 ? saved[0] : ((await holding(requests, saved)) ?? unsaved);
  if (!chat) {
    throw new Fault("chatNotFound", t("This chat is not saved yet. Wait for its first answer."));
  }
  return chat;
}

/** No command names the session that is shown, but the editor exports it without a dialog. */
async function exported(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "compact-chat-"));
  try {
    const file = join(folder, "chat.json");
    await vscode.commands.executeCommand(EXPORT, vscode.Uri.file(file));
    return await readFile(file, "utf8");
  } catch {
    return ""; // the editor cannot export this way
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Returns the chat with one of these requests; the newest of them may not be saved yet. */
async function holding(requests: readonly string[], saved: readonly Session[]): Promise<Session | undefined> {
  for (const chat of saved) {
    const text = await readFile(vscode.Uri.parse(chat.uri).fsPath, "utf8").catch(() => "");
    if (requests.some((id) => text.includes(id))) {
      return chat;
    }
  }
  return undefined;
}

type Act = (house: House, draft: Draft, uri: vscode.Uri) => Promise<string | undefined>;

/** By the last part of each command's name. */
const ACTIONS: Readonly<Record<string, Act>> = {
  continue: continueWith,
  copy,
  rewrite: (house, _draft, uri) => house.screens.press("rewrite", uri),
  claudeSession: openClaudeSession,
  compactedCopy: openCompactedCopy,
  asText: (_house, _draft, uri) => reopen(uri, "default"),
  asPage: (_house, _draft, uri) => reopen(uri, "compactChat.screen"),
  saveMarkdown,
  original: (house, { draftId, report }) => openOriginal(house, { compactionId: draftId, title: report.title }),
};
/** Commands of the overflow menu that are not about the draft. */
const OTHERS = ["history", "chooseModel"];
const IN_ROW = ["continue", "copy"];
const IN_MENU = ["claudeSession", "compactedCopy", "asText", "saveMarkdown", "original", ...OTHERS];

/** Lists the actions for a draft's page, the main one first, under the titles of their commands. */
export function actionsFor({ context }: House): HostAction[] {
  const commands: { command: string; title: string }[] = context.extension.packageJSON.contributes.commands;
  const action = (id: string) => {
    const title = commands.find(({ command }) => command === `compactChat.ui.${id}`)?.title ?? id;
    return { id, title, ...(id === "continue" && { keys: "Ctrl+Enter", primary: true }) };
  };
  return [...IN_ROW.map(action), ...IN_MENU.map((id) => ({ ...action(id), overflow: true }))];
}

/** Runs an action on the draft of an address, with what was typed there; returns what to say when it is done. */
export async function run(house: House, action: string, uri: vscode.Uri): Promise<string | undefined> {
  const draft = await house.drafts.settled(uri);
  if (OTHERS.includes(action)) {
    await vscode.commands.executeCommand(`compactChat.ui.${action}`);
    return undefined;
  }
  return ACTIONS[action]?.(house, draft, uri);
}

/** The actions as commands: each is about the draft that it is given, or the one in front. */
export function actionCommands(house: House): Commands {
  const commands = Object.keys(ACTIONS).map((name) => [
    name,
    async (given?: vscode.Uri | string) => {
      const status = await run(house, name, uriOf(house, given));
      if (status !== undefined) {
        vscode.window.setStatusBarMessage(status, 4000);
      }
    },
  ]);
  return { ...Object.fromEntries(commands), cancel: () => house.screens.stop() };
}

function uriOf({ screens }: House, given: vscode.Uri | string | undefined): vscode.Uri {
  const uri =
    typeof given === "string" ? vscode.Uri.parse(given) : given instanceof vscode.Uri ? given : screens.inFront;
  if (uri === undefined) {
    throw new Fault("noPage", t("Open a compacted chat first."));
  }
  return uri;
}

async function copy(_house: House, draft: Draft): Promise<string> {
  await vscode.env.clipboard.writeText(messageOf(draft));
  return t("Copied. Paste it as the first message of a new chat.");
}

async function saveMarkdown(_house: House, draft: Draft): Promise<undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const defaultUri = folder && vscode.Uri.joinPath(folder, `${fileName(draft.report.title)}.md`);
  const filters = { Markdown: ["md"] };
  const target = await vscode.window.showSaveDialog({ filters, ...(defaultUri && { defaultUri }) });
  if (target) {
    const content = new TextEncoder().encode(`${messageOf(draft).trim()}\n`);
    await Promise.resolve(vscode.workspace.fs.writeFile(target, content)).catch(() => {
      throw new Fault("cannotWrite", t("Cannot write {0}.", target.fsPath));
    });
    await vscode.window.showTextDocument(target, { preview: false });
  }
}

async function reopen(uri: vscode.Uri, view: string): Promise<undefined> {
  await vscode.commands.executeCommand("vscode.openWith", uri, view);
}
