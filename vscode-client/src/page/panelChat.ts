/** Finds the file of the chat that the panel shows. */

import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as vscode from "vscode";
import type { House, NamedChat } from "../house";
import { chatsOf } from "../meter/choosing";

const EXPORT = "workbench.action.chat.export";

/** Gives the chat that the panel shows; where it shows none that is saved, the one that was written last. */
export async function panelChat({ chats, server }: House): Promise<NamedChat | undefined> {
  const own = chats.ownFolder;
  if (!own) {
    return undefined;
  }
  const [saved, shown] = await Promise.all([chatsOf(server, { folders: [], own }), lastRequestShown()]);
  return (await holding(shown, saved)) ?? saved[0];
}

/** No command names the session that is shown, but the editor exports it without a word. */
async function lastRequestShown(): Promise<string | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "compact-chat-"));
  try {
    const file = join(folder, "chat.json");
    await vscode.commands.executeCommand(EXPORT, vscode.Uri.file(file));
    const { requests } = JSON.parse(await readFile(file, "utf8")) as { requests?: { requestId?: unknown }[] };
    const id = requests?.at(-1)?.requestId;
    return typeof id === "string" ? id : undefined;
  } catch {
    return undefined; // an editor that exports otherwise, or nothing
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function holding(request: string | undefined, saved: readonly NamedChat[]): Promise<NamedChat | undefined> {
  for (const chat of request === undefined ? [] : saved) {
    const text = await readFile(chat.uri?.fsPath ?? "", "utf8").catch(() => "");
    if (text.includes(JSON.stringify(request))) {
      return chat;
    }
  }
  return undefined;
}
