/** What a window may measure: the chats of its folders and the editor's own, or the one chat that was picked. */

import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import * as vscode from "vscode";
import type { NamedChat } from "../house";
import { ChatFiles, ownFolder } from "./files";
import type { Target } from "./follower";

const MOST_FOLDERS = 8;

/** The folder with the editor's own chats of this window; undefined if it is on no disk of this machine. */
export function ownFolderOf({ storageUri, globalStorageUri }: vscode.ExtensionContext): vscode.Uri | undefined {
  // The desktop keeps the chats of a remote window on its own machine, where the extension has no files.
  const isFar = vscode.env.remoteName !== undefined && vscode.env.uiKind === vscode.UIKind.Desktop;
  return isFar || !isOnDisk(storageUri ?? globalStorageUri)
    ? undefined
    : vscode.Uri.file(ownFolder(storageUri?.fsPath, globalStorageUri.fsPath));
}

/** Return whether the server would read what is there: a network share would reveal the user to another machine. */
export function isOnDisk({ scheme, authority }: vscode.Uri): boolean {
  return scheme === "file" && authority === "";
}

/** The open folders whose chats tools may have written. */
export function openFolders(): readonly vscode.Uri[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri);
  return folders.filter((uri) => isOnDisk(uri) || uri.scheme === "vscode-remote").slice(0, MOST_FOLDERS);
}

/** The files that may be chats of this window. */
export function filesOf(context: vscode.ExtensionContext): ChatFiles {
  const { globalStorageUri } = context;
  return new ChatFiles({
    open: openFolders().map(({ fsPath }) => fsPath),
    own: ownFolderOf(context)?.fsPath,
    editor: globalStorageUri.scheme === "file" ? dirname(dirname(globalStorageUri.fsPath)) : undefined,
  });
}

/** The chat that was written last in any of the window's folders; the server says which. */
export function windowTarget(context: vscode.ExtensionContext, files: ChatFiles): Target {
  const own = ownFolderOf(context);
  const [first, ...more] = openFolders().map((uri) => uri.toString());
  return {
    params: {
      ...(first !== undefined && { workspace: first }),
      ...(more.length > 0 && { workspaces: more }),
      ...(own && { roots: [own.toString()] }),
    },
    // By the size's order of magnitude: a chat that the server refused is not tried again with each line of it.
    signs: async () =>
      (await files.newest())
        .map(({ path, bytes }) => `${path}:${Math.ceil(Math.log2(bytes))}`)
        .sort()
        .join("\n"),
    folder: own?.fsPath,
  };
}

/** A single chat; calls `gone` if its file is deleted. */
export function pickedTarget({ ref, uri }: NamedChat, gone: () => void): Target {
  const signs = async () => {
    const seen = uri?.scheme === "file" ? await stat(uri.fsPath).catch(() => undefined) : undefined;
    if (seen === undefined) {
      gone();
    }
    return seen === undefined ? "" : `${seen.size}:${seen.mtimeMs}`;
  };
  return { params: { chat: ref }, signs, folder: uri && dirname(uri.fsPath) };
}
