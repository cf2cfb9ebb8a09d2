/** Commands that open the screen of a chat: compacted on this machine, without a question before. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import { Fault } from "../faults";
import { type Commands, type House, type NamedChat, refOf } from "../house";
import { chatOfClipboard, chatOfFile, openedChat } from "../meter/choosing";
import { continueWith } from "../onward/sessions";
import { patiently } from "../patience";
import type { Draft, Session } from "../wire";
import { t } from "../words";
import { addressOf } from "./drafts";

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
