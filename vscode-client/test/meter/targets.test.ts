/** Where the editor's own chats of a window lie, if that is anywhere on this machine. */

import assert from "node:assert/strict";
import { afterEach, test } from "node:test";
import { ownFolderOf } from "../../src/meter/targets";
import { env, UIKind, Uri } from "../fakes/vscode";

const CONTEXT = {
  storageUri: Uri.file("/data/User/workspaceStorage/abc/compact-chat.compact-chat"),
  globalStorageUri: Uri.file("/data/User/globalStorage/compact-chat.compact-chat"),
} as never;

afterEach(() => Object.assign(env, { remoteName: undefined, uiKind: UIKind.Desktop }));

test("they lie beside the extension's storage, also where a browser shows the window", () => {
  assert.equal(ownFolderOf(CONTEXT)?.path, "/data/User/workspaceStorage/abc/chatSessions");
  Object.assign(env, { remoteName: "127.0.0.1", uiKind: UIKind.Web });
  assert.equal(ownFolderOf(CONTEXT)?.path, "/data/User/workspaceStorage/abc/chatSessions");
});

test("a remote window of the desktop has them on its own machine, where none of our files is", () => {
  Object.assign(env, { remoteName: "ssh-remote" });
  assert.equal(ownFolderOf(CONTEXT), undefined);
});
