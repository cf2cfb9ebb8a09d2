/** What of a window lies where the server can read it: its folders, and the editor's own chats. */

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { openFolders, ownFolderOf } from "../../src/meter/targets";
import { env, UIKind, Uri, workspace } from "../fakes/vscode";

const CONTEXT = {
  storageUri: Uri.file("/data/User/workspaceStorage/abc/compact-chat.compact-chat"),
  globalStorageUri: Uri.file("/data/User/globalStorage/compact-chat.compact-chat"),
} as never;

afterEach(() => {
  Object.assign(env, { remoteName: undefined, uiKind: UIKind.Desktop });
  workspace.workspaceFolders = undefined;
});

test("they lie beside the extension's storage, also where a browser shows the window", () => {
  assert.equal(ownFolderOf(CONTEXT)?.path, "/data/User/workspaceStorage/abc/chatSessions");
  Object.assign(env, { remoteName: "127.0.0.1", uiKind: UIKind.Web });
  assert.equal(ownFolderOf(CONTEXT)?.path, "/data/User/workspaceStorage/abc/chatSessions");
});

test("a remote window of the desktop has them on its own machine, where none of our files is", () => {
  Object.assign(env, { remoteName: "ssh-remote" });
  assert.equal(ownFolderOf(CONTEXT), undefined);
});

test("storage on a network share is none that the server reads", () => {
  const storageUri = Uri.parse("file://server/home$/User/workspaceStorage/abc/compact-chat.compact-chat");
  assert.equal(ownFolderOf({ ...(CONTEXT as object), storageUri } as never), undefined);
});

test("of the open folders those on network shares are left out, and those of a remote machine are not", () => {
  const folders = ["file:///shop", "file://server/share/p", "file://wsl.localhost/Ubuntu/p", "vscode-remote://ssh/p"];
  workspace.workspaceFolders = folders.map((uri, index) => ({ uri: Uri.parse(uri), name: "", index }));
  assert.deepEqual(openFolders().map(String), ["file:///shop", "vscode-remote://ssh/p"]);
});
