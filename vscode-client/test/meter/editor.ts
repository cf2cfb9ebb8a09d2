/** A window of the editor whose folder, settings, trust and dialogs a test holds in its hand. */

import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ExtensionContext } from "vscode";
import * as vscode from "../fakes/vscode";

const REQUEST = '{"kind":2,"k":["requests"],"v":[{"requestId":"r"}]}\n';
const usual = { workspace: { ...vscode.workspace }, window: { ...vscode.window } };
const folders: string[] = [];

export interface Window {
  readonly context: ExtensionContext;
  readonly home: string;
  /** Lets the editor write a chat of its own; gives its file. */
  readonly chat: (name?: string) => Promise<string>;
  readonly configure: (name: string, value: unknown) => void;
  readonly trust: () => void;
  readonly open: (...paths: string[]) => void;
  readonly remembered: Map<string, unknown>;
}

/** Opens a window with one folder that is trusted and has no chats yet. */
export async function newWindow(): Promise<Window> {
  const home = await mkdtemp(join(tmpdir(), "window-"));
  folders.push(home);
  process.env.HOME = home;
  const settings = new Map<string, unknown>();
  const events = { trust: new vscode.EventEmitter<void>(), folders: new vscode.EventEmitter(), settings: changes() };
  Object.assign(vscode.workspace, {
    isTrusted: true,
    workspaceFolders: [folderAt(join(home, "project"))],
    textDocuments: [],
    getConfiguration: (section: string) => ({
      get: (name: string, or: unknown) => settings.get(`${section}.${name}`) ?? or,
    }),
    onDidGrantWorkspaceTrust: events.trust.event,
    onDidChangeWorkspaceFolders: events.folders.event,
    onDidChangeConfiguration: events.settings.event,
  });
  const remembered = new Map<string, unknown>();
  return {
    context: contextAt(home, remembered),
    home,
    remembered,
    chat: (name = "one") => written(join(home, "User/workspaceStorage/5a2c/chatSessions", `${name}.jsonl`), REQUEST),
    configure: (name, value) => {
      settings.set(name, value);
      events.settings.fire({ affectsConfiguration: (section) => `${name}.`.startsWith(`${section}.`) });
    },
    trust: () => {
      vscode.workspace.isTrusted = true;
      events.trust.fire();
    },
    open: (...paths) => {
      vscode.workspace.workspaceFolders = paths.map(folderAt);
      events.folders.fire(undefined);
    },
  };
}

/** Puts everything back as it was. */
export async function closeWindows(): Promise<void> {
  Object.assign(vscode.workspace, usual.workspace);
  Object.assign(vscode.window, usual.window);
  await Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true })));
}

export async function written(path: string, text: string): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
  return path;
}

function contextAt(home: string, remembered: Map<string, unknown>): ExtensionContext {
  const context = {
    storageUri: vscode.Uri.file(join(home, "User/workspaceStorage/5a2c/compact-chat.compact-chat")),
    globalStorageUri: vscode.Uri.file(join(home, "User/globalStorage/compact-chat.compact-chat")),
    workspaceState: {
      get: (key: string) => remembered.get(key),
      update: async (key: string, value: unknown) => void remembered.set(key, value),
    },
  };
  return context as unknown as ExtensionContext;
}

function folderAt(path: string) {
  return { uri: vscode.Uri.file(path), name: path, index: 0 };
}

function changes() {
  return new vscode.EventEmitter<{ affectsConfiguration(section: string): boolean }>();
}
