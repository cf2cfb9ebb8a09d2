/** Chats to choose from: the list of this window's, any other file, and text from the clipboard. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { NamedChat } from "../house";
import { patiently } from "../patience";
import type { Session } from "../wire";
import { ago, chatTitle, fileSize, separator, t, toolName } from "../words";
import { isOnDisk } from "./files";

/** A chat, or always the newest. */
export type Choice = NamedChat | "newest";

interface Row extends vscode.QuickPickItem {
  readonly choice?: () => Choice | Promise<NamedChat | undefined>;
}

const LONGEST_TITLE = 80;
const UNKNOWN = "unknown";
const ENDINGS = ["jsonl", "json", "md", "txt", "zst", "traj"];

/** Let the user choose a chat, or if that is offered, always the newest. */
export async function chooseChat(
  listed: Promise<readonly Session[]>,
  title: string,
  isNewestOffered = false,
): Promise<Choice | undefined> {
  const sessions = await patiently(t("Looking for chats…"), () => listed);
  if (sessions.length === 0 && !isNewestOffered) {
    return orOpen();
  }
  const newest: Row = { label: `$(history) ${t("Most Recently Active")}`, choice: () => "newest" };
  const file: Row = { label: `$(folder-opened) ${t("Open Chat File…")}`, alwaysShow: true, choice: openedChat };
  const rows: Row[] = [...(isNewestOffered ? [newest, separator()] : []), ...sessions.map(row), separator(), file];
  const placeHolder = t("Search by title, tool or age");
  const chosen = await vscode.window.showQuickPick(rows, { title, placeHolder, matchOnDescription: true });
  return chosen?.choice?.();
}

function row(session: Session): Row {
  const about = [toolName(session.tool) ?? session.tool, ago(new Date(session.updatedAt)), fileSize(session.bytes)];
  return {
    label: chatTitle(session.title, LONGEST_TITLE),
    description: about.join(" · "),
    choice: () => session,
  };
}

async function orOpen(): Promise<NamedChat | undefined> {
  const [open, example] = [t("Open Chat File…"), t("Open Example")];
  const chosen = await vscode.window.showInformationMessage(t("There is no chat here yet."), open, example);
  if (chosen === example) {
    await vscode.commands.executeCommand("compactChat.ui.openExample");
  }
  return chosen === open ? openedChat() : undefined;
}

export async function openedChat(): Promise<NamedChat | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const found = await vscode.window.showOpenDialog({
    title: t("Open Chat File"),
    openLabel: t("Open Chat"),
    filters: { [t("Chats")]: ENDINGS, [t("All files")]: ["*"] },
    ...(folder ? { defaultUri: folder } : {}),
  });
  return found?.[0] && chatOfFile(found[0]);
}

/** The chat in a file; the editor reads one that is not on a local disk. */
export async function chatOfFile(uri: vscode.Uri): Promise<NamedChat> {
  const title = uri.path.slice(uri.path.lastIndexOf("/") + 1);
  if (isOnDisk(uri)) {
    return { uri: uri.toString(), tool: UNKNOWN, title };
  }
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  return { text, tool: UNKNOWN, title };
}

export async function chatOfClipboard(): Promise<NamedChat> {
  const text = await vscode.env.clipboard.readText();
  if (text.trim() === "") {
    throw new Fault("nothingCopied", t("The clipboard is empty. Copy a chat first."));
  }
  return { text, tool: UNKNOWN, title: t("Copied chat") };
}
