/** What this window may measure: the chats of each open folder, and the editor's own; or the one chat that was picked. */

import { realpath, stat } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname } from "node:path";
import * as vscode from "vscode";
import type { NamedChat } from "../house";
import type { WatchParams } from "../wire";
import type { Target } from "./following";
import { ownFolder } from "./places";
import { Presence } from "./presence";

/** A target, and the folder in which its chats may appear at any moment. */
export interface Watchable extends Target {
  readonly stirsIn: string | undefined;
}

const MOST_FOLDERS = 8;

/** The folder with the editor's own chats of this window; undefined where it lies on no disk of this machine. */
export function ownFolderOf(context: vscode.ExtensionContext): vscode.Uri | undefined {
  const { storageUri, globalStorageUri } = context;
  if (!isOnDisk(storageUri ?? globalStorageUri) || isFarFromWindow()) return undefined;
  return vscode.Uri.file(ownFolder(storageUri?.fsPath, globalStorageUri.fsPath));
}

/** Whether the server would read what is there: it opens nothing on a network share, since that reveals the user to another machine. */
export function isOnDisk({ scheme, authority }: vscode.Uri): boolean {
  return scheme === "file" && authority === "";
}

/** The desktop keeps the chats of a remote window on its own machine, where the extension has no files. */
function isFarFromWindow(): boolean {
  return vscode.env.remoteName !== undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
}

/** The open folders whose chats tools may have noted. */
export function openFolders(): readonly vscode.Uri[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  return folders.filter((uri) => isOnDisk(uri) || uri.scheme === "vscode-remote").slice(0, MOST_FOLDERS);
}

/** One target for each open folder; the first has the editor's own chats too. */
export function windowTargets(context: vscode.ExtensionContext): readonly Watchable[] {
  const own = ownFolderOf(context);
  const [first, ...others] = openFolders();
  return [target(context, first, own), ...others.map((folder) => target(context, folder, undefined))];
}

/** The target of a single chat; calls `gone` if its file is deleted. */
export function pickedTarget({ ref, uri }: NamedChat, gone: () => void): Watchable {
  const signs = async () => {
    const seen = uri?.scheme === "file" ? await stat(uri.fsPath).catch(() => undefined) : undefined;
    if (seen === undefined) gone();
    return seen === undefined ? "" : `${seen.size}:${seen.mtimeMs}`;
  };
  return { params: { chat: ref }, signs, stirsIn: uri && dirname(uri.fsPath) };
}

function target(context: vscode.ExtensionContext, folder?: vscode.Uri, own?: vscode.Uri): Watchable {
  const presence = presenceOf(context, folder, own);
  return {
    params: watchParams(folder, own),
    signs: async () => (await presence()).signs(),
    stirsIn: own?.fsPath,
  };
}

function watchParams(folder: vscode.Uri | undefined, own: vscode.Uri | undefined): WatchParams {
  return { ...(folder && { workspace: folder.toString() }), ...(own && { roots: [own.toString()] }) };
}

/** The links in the folder's path are followed once, when it is first looked at. */
function presenceOf(context: vscode.ExtensionContext, folder?: vscode.Uri, own?: vscode.Uri): () => Promise<Presence> {
  let made: Promise<Presence> | undefined;
  const make = async () => {
    const path = folder?.fsPath;
    const folders = path === undefined ? [] : [...new Set([path, await realpath(path).catch(() => path)])];
    const { globalStorageUri } = context;
    const stored = globalStorageUri.scheme === "file" ? dirname(globalStorageUri.fsPath) : undefined;
    return new Presence({ folders, own: own?.fsPath, stored, home: homedir(), env: process.env });
  };
  return () => (made ??= make());
}
