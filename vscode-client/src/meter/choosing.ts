/** Chats to choose from: the list of this window's, any other file, and text from the clipboard. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { NamedChat, Server } from "../house";
import type { Session } from "../wire";
import { ago, fileSize, label, toolName } from "../words";
import { isOnDisk } from "./targets";

export interface Listed {
  readonly folders: readonly vscode.Uri[];
  readonly own: vscode.Uri | undefined;
}

/** What was chosen: a chat, or that none is fixed. */
export type Choice = NamedChat | "newest";

interface Row extends vscode.QuickPickItem {
  readonly choice: () => Promise<Choice | undefined>;
}

const MOST_LISTED = 100;
const LONGEST_TITLE = 80;
const UNKNOWN = "unknown";
const ENDINGS = ["jsonl", "json", "md", "txt", "zst", "traj"];

/** Lets the user choose a chat; undefined where nothing is chosen. */
export async function chooseChat(server: Server, listed: Listed, title: string): Promise<NamedChat | undefined> {
  const chosen = await choose(server, listed, title, []);
  return chosen === "newest" ? undefined : chosen;
}

/** Lets the user choose a chat, or that it be always the newest. */
export function chooseChatOrNewest(server: Server, listed: Listed, title: string): Promise<Choice | undefined> {
  const newest = `$(history) ${vscode.l10n.t("Most Recently Active")}`;
  return choose(server, listed, title, [{ label: newest, choice: async () => "newest" }, separator()]);
}

async function choose(server: Server, listed: Listed, title: string, before: Row[]): Promise<Choice | undefined> {
  const sessions = await withProgress(sessionsOf(server, listed));
  if (sessions.length === 0 && before.length === 0) {
    return orOpen();
  }
  const rows = [...before, ...sessions.map((one) => row(one, new Date())), separator(), fileRow()];
  const placeHolder = vscode.l10n.t("Search by title, tool or age");
  const chosen = await vscode.window.showQuickPick<Row>(rows, { title, placeHolder, matchOnDescription: true });
  return chosen?.choice();
}

/** Gives the chats of a window, the newest first. */
export async function chatsOf(server: Server, listed: Listed, limit = MOST_LISTED): Promise<readonly NamedChat[]> {
  return (await sessionsOf(server, listed, limit)).map(named);
}

/** The chats of a window, the newest first, each once. */
export async function sessionsOf(
  server: Server,
  { folders, own }: Listed,
  limit = MOST_LISTED,
): Promise<readonly Session[]> {
  const asked = [
    ...folders.map((folder) => server.ask("sessions", { workspace: folder.toString(), limit })),
    ...(own ? [server.ask("sessions", { roots: [own.toString()], limit })] : []),
  ];
  const found = (await answered(asked)).flatMap(({ sessions }) => sessions);
  const once = [...new Map(found.map((one) => [identityOf(one), one])).values()];
  return once.sort((one, other) => other.updatedAt.localeCompare(one.updatedAt));
}

/** Found in two ways, a path may be written in two ways where the platform does not tell capitals from others. */
function identityOf({ uri }: Session): string {
  const path = vscode.Uri.parse(uri).fsPath;
  return process.platform === "win32" || process.platform === "darwin" ? path.toLowerCase() : path;
}

/** What came of those that were answered; where none was, that fails. */
async function answered<Answer>(asked: readonly Promise<Answer>[]): Promise<readonly Answer[]> {
  const all = await Promise.allSettled(asked);
  const given = all.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  return given.length > 0 ? given : Promise.all(asked);
}

function row(session: Session, now: Date): Row {
  const { language } = vscode.env;
  const age = ago(new Date(session.updatedAt), now, language);
  const about = [toolName(session.tool) ?? session.tool, age, fileSize(session.bytes, language)];
  return {
    label: session.title ? label(session.title, LONGEST_TITLE) : vscode.l10n.t("Untitled chat"),
    description: about.join(" · "),
    choice: async () => named(session),
  };
}

/** The chat of a session, for commands. */
export function named({ uri, tool, title }: Session): NamedChat {
  return { ref: { uri }, tool, title, uri: vscode.Uri.parse(uri) };
}

function fileRow(): Row {
  return { label: `$(folder-opened) ${vscode.l10n.t("Open Chat File…")}`, alwaysShow: true, choice: openedChat };
}

function separator(): Row {
  return { label: "", kind: vscode.QuickPickItemKind.Separator, choice: async () => undefined };
}

async function orOpen(): Promise<NamedChat | undefined> {
  const { t } = vscode.l10n;
  const [open, example] = [t("Open Chat File…"), t("Open Example")];
  const chosen = await vscode.window.showInformationMessage(t("There is no chat here yet."), open, example);
  if (chosen === example) {
    await vscode.commands.executeCommand("compactChat.ui.openExample");
  }
  return chosen === open ? openedChat() : undefined;
}

function withProgress<Result>(task: Promise<Result>): Thenable<Result> {
  const title = vscode.l10n.t("Looking for chats…");
  return vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () => task);
}

/** Lets the user open a file that holds a chat; undefined where none is chosen. */
export async function openedChat(): Promise<NamedChat | undefined> {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
  const found = await vscode.window.showOpenDialog({
    title: vscode.l10n.t("Open Chat File"),
    openLabel: vscode.l10n.t("Open Chat"),
    filters: { [vscode.l10n.t("Chats")]: ENDINGS, [vscode.l10n.t("All files")]: ["*"] },
    ...(folder ? { defaultUri: folder } : {}),
  });
  return found?.[0] && chatOfFile(found[0]);
}

/** The chat in a file; one that is on no disk of this machine is read here, since the server could not. */
export async function chatOfFile(uri: vscode.Uri): Promise<NamedChat> {
  const title = uri.path.slice(uri.path.lastIndexOf("/") + 1);
  if (isOnDisk(uri)) {
    return { ref: { uri: uri.toString() }, tool: UNKNOWN, title, uri };
  }
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  return { ref: { text }, tool: UNKNOWN, title, uri: undefined };
}

export async function chatOfClipboard(): Promise<NamedChat> {
  const text = await vscode.env.clipboard.readText();
  if (text.trim() === "") {
    throw new Fault("nothingCopied", vscode.l10n.t("The clipboard is empty. Copy a chat first."));
  }
  return { ref: { text }, tool: UNKNOWN, title: vscode.l10n.t("Copied chat"), uri: undefined };
}
