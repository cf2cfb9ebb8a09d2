/** Whether this window may have a chat: a look at files in the folders of the generated table, before any server runs. */

import { createHash } from "node:crypto";
import { open, readdir, realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { basename, dirname, join } from "node:path";
import * as vscode from "vscode";
import { FOLDERS, RECORDED } from "../tools";
import type { WatchParams } from "../wire";

export interface ChatFile {
  readonly path: string;
  readonly tool: string;
  readonly bytes: number;
  readonly changed: number;
}

/** How full a chat is by its own record. */
export interface Fullness {
  readonly tool: string;
  readonly percent: number;
}

/** A folder, the levels below it, how the names of chats end there, and the tool that wrote them. */
type Place = readonly [folder: string, levels: readonly string[], endings: readonly string[], tool: string];

const [BEGINNING, END] = [64 * 1024, 256 * 1024];
const [MOST_LISTED, MOST_KEPT] = [500, 20];
const MOST_FOLDERS = 8;
const OWN = "vscode";
const HAS_A_REQUEST = /"requests":\s*\[\s*\{|"k":\s*\["requests"/;

/** Find the newest file that may be a chat of this window. */
export async function newestChat(context: vscode.ExtensionContext): Promise<ChatFile | undefined> {
  const [own, folders] = [ownFolderOf(context)?.fsPath, openFolders().map(({ fsPath }) => fsPath)];
  const places = [
    ...(own === undefined ? [] : [[own, [], [".json", ".jsonl"], OWN] as const]),
    ...(folders.length === 0 ? [] : placesOf(context)),
  ];
  const files = (await Promise.all(places.map((place) => listed(...place)))).flat();
  const names = await namesOf(folders);
  for (const file of files.sort((one, other) => other.changed - one.changed)) {
    const { path, tool, bytes } = file;
    const text = await read(path, 0, BEGINNING);
    const hasBegun = bytes > BEGINNING || HAS_A_REQUEST.test(text);
    const all = letters(`${path} ${text}`);
    if (tool === OWN ? hasBegun : names.some((name) => all.includes(name))) {
      return file;
    }
  }
  return undefined;
}

/** The places of the generated table; a root may be below the folder where the editor keeps user data. */
function placesOf({ globalStorageUri: { scheme, fsPath } }: vscode.ExtensionContext): Place[] {
  const editor = scheme === "file" ? dirname(dirname(fsPath)) : undefined;
  const rootOf = (root: string) => {
    const [first = "", ...below] = root.split("/");
    const start = first === "editor" ? editor : first === "~" ? homedir() : process.env[first.slice(1)];
    return start ? join(start, ...below) : undefined;
  };
  return FOLDERS.flatMap(({ roots, below, endings, tool }) => {
    const root = roots.map(rootOf).find((one) => one !== undefined);
    return root === undefined ? [] : [[root, below.split("/"), endings, tool] as const];
  });
}

/** What a chat of an open folder mentions: its name, or a hash of its path. */
async function namesOf(folders: readonly string[]): Promise<readonly string[]> {
  const linked = await Promise.all(folders.map((path) => realpath(path).catch(() => path)));
  const paths = [...new Set([...folders, ...linked])];
  return paths.flatMap((path) => [letters(basename(path)), createHash("sha256").update(path).digest("hex")]);
}

/** Return what the end of a chat's file says of its fullness; undefined if it says nothing. */
export async function recordedIn({ path, tool, bytes }: ChatFile): Promise<Fullness | undefined> {
  const known = RECORDED[tool];
  if (known === undefined) {
    return undefined;
  }
  const text = await read(path, Math.max(0, bytes - END), END);
  const record = text.slice(Math.max(0, text.lastIndexOf(known.behind)));
  const numberOf = (key: string) => Number(new RegExp(`"${key}":\\s*(\\d+)`).exec(record)?.[1] ?? 0);
  const used = known.used.reduce((sum, key) => sum + numberOf(key), 0);
  const limit = (known.window && numberOf(known.window)) || known.usual;
  return used > 0 && limit > 0 ? { tool, percent: Math.min(100, Math.round((100 * used) / limit)) } : undefined;
}

/** What is compared, since texts escape paths in many ways; a name without letters matches every text. */
function letters(text: string): string {
  return text.toLowerCase().replace(/%[0-9a-f]{2}|[^a-z0-9]+/g, "");
}

/** List the newest files of a place; a level `*` is any folder. */
async function listed(...[folder, levels, endings, tool]: Place): Promise<readonly ChatFile[]> {
  const paths: string[] = [];
  await collect(folder, levels, endings, paths);
  const files = await Promise.all(
    paths.map(async (path) => {
      const seen = await stat(path).catch(() => undefined);
      return seen?.isFile() && seen.size > 0 ? { path, tool, bytes: seen.size, changed: seen.mtimeMs } : undefined;
    }),
  );
  return files
    .filter((file) => file !== undefined)
    .sort((one, other) => other.changed - one.changed)
    .slice(0, MOST_KEPT);
}

/** The last names come first, since most tools begin them with a time. */
async function collect(
  folder: string,
  [level, ...below]: readonly string[],
  endings: readonly string[],
  found: string[],
) {
  const isAny = level === undefined || level === "*";
  for (const name of isAny ? (await readdir(folder).catch((): string[] => [])).sort().reverse() : [level]) {
    if (found.length >= MOST_LISTED) {
      return;
    }
    if (level !== undefined) {
      await collect(join(folder, name), below, endings, found);
    } else if (endings.some((ending) => name.endsWith(ending))) {
      found.push(join(folder, name));
    }
  }
}

async function read(path: string, from: number, bytes: number): Promise<string> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, from);
    return buffer.toString("utf8", 0, bytesRead);
  } catch {
    return "";
  }
}

/** The folder with the editor's own chats of this window; undefined if it is on no disk of this machine. */
export function ownFolderOf({ storageUri, globalStorageUri }: vscode.ExtensionContext): vscode.Uri | undefined {
  // The desktop keeps the chats of a remote window on its own machine, where the extension has no files.
  const isFar = vscode.env.remoteName !== undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
  if (isFar || !isOnDisk(storageUri ?? globalStorageUri)) {
    return undefined;
  }
  // The editor numbers its storage while another window, or one before a reload, holds it.
  const folder = storageUri && dirname(storageUri.fsPath).replace(/(?<=[^\\/])-\d+$/, "");
  const empty = join(dirname(globalStorageUri.fsPath), "emptyWindowChatSessions");
  return vscode.Uri.file(folder === undefined ? empty : join(folder, "chatSessions"));
}

/** Whether the server would read a file there. Not on a network share: that would send the user's credentials. */
export function isOnDisk({ scheme, authority }: vscode.Uri): boolean {
  return scheme === "file" && authority === "";
}

/** The open folders whose chats tools may have written. */
function openFolders(): readonly vscode.Uri[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  return folders.filter((uri) => isOnDisk(uri) || uri.scheme === "vscode-remote").slice(0, MOST_FOLDERS);
}

/** The open folders, as the server is asked about them. */
export function workspaces(): Pick<WatchParams, "workspace" | "workspaces"> {
  const [workspace, ...workspaces] = openFolders().map(String);
  return { ...(workspace !== undefined && { workspace }), ...(workspaces.length > 0 && { workspaces }) };
}
