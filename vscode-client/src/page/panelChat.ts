/** Finds the file of the chat that the panel shows. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { House, NamedChat } from "../house";
import { chatsOf } from "../meter/choosing";

const EXPORT = "workbench.action.chat.export";

/** Gives the chat that the panel shows, saved or not; where it shows none, the one that was written last. */
export async function panelChat({ chats, server }: House): Promise<NamedChat | undefined> {
  const own = chats.ownFolder;
  const [saved, text] = await Promise.all([own ? chatsOf(server, { folders: [], own }) : [], exported()]);
  const requests = requestsIn(text);
  return requests.length === 0 ? saved[0] : ((await holding(requests, saved)) ?? unsaved(text));
}

/** No command names the session that is shown, but the editor exports it without a word. */
async function exported(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "compact-chat-"));
  try {
    const file = join(folder, "chat.json");
    await vscode.commands.executeCommand(EXPORT, vscode.Uri.file(file));
    return await readFile(file, "utf8");
  } catch {
    return ""; // an editor that exports otherwise, or nothing
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Gives the ids of the requests in an export. */
function requestsIn(text: string): string[] {
  try {
    const { requests } = JSON.parse(text) as { requests?: { requestId?: unknown }[] };
    return (requests ?? []).map(({ requestId }) => requestId).filter((id) => typeof id === "string");
  } catch {
    return [];
  }
}

/** The newest request may not be saved yet. */
async function holding(requests: readonly string[], saved: readonly NamedChat[]): Promise<NamedChat | undefined> {
  const wanted = requests.map((id) => JSON.stringify(id));
  for (const chat of saved) {
    const text = await readFile(chat.uri?.fsPath ?? "", "utf8").catch(() => "");
    if (wanted.some((id) => text.includes(id))) {
      return chat;
    }
  }
  return undefined;
}

/** A new chat, and one whose files lie on another machine, is taken as it was exported. */
function unsaved(text: string): NamedChat {
  return { ref: { text, format: "vscode-export" }, tool: "vscode", title: null, uri: undefined };
}
