/** Which files may be chats of a window, and what they say of their fullness. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { newestChat, ownFolderOf, recordedIn, workspaces } from "../../src/meter/files";
import { env, UIKind, Uri, workspace } from "../fakes/vscode";
import { closeWindows, newWindow, type Window, written } from "./editor";

let window: Window;

beforeEach(async () => {
  window = await newWindow();
  window.open(join(window.home, "my shop"));
});

afterEach(async () => {
  Object.assign(env, { remoteName: undefined, uiKind: UIKind.Desktop });
  await closeWindows();
});

const OWN = "User/workspaceStorage/5a2c/chatSessions";
const found = async () => (await newestChat(window.context))?.tool;
const put = (path: string, text: string) => written(join(window.home, path), text);

test("a chat of the editor's counts once somebody has said something in it", async () => {
  assert.equal(await found(), undefined);
  await put(`${OWN}/a.jsonl`, '{"kind":0,"v":{"requests":[]}}\n');
  assert.equal(await found(), undefined);
  await put(`${OWN}/a.jsonl`, '{"kind":0,"v":{"requests":[{"id":1}]}}\n');
  assert.equal(await found(), "vscode");
});

for (const [tool, path, text] of [
  ["claude-code", ".claude/projects/-home-me-my-shop/s.jsonl", "{}"],
  ["codex", ".codex/sessions/2026/11/19/rollout-1.jsonl", '{"cwd":"/home/me/my shop"}'],
  ["continue", ".continue/sessions/1.json", '{"workspaceDirectory":"file:///home/me/my%20shop"}'],
  ["roo", "User/globalStorage/rooveterinaryinc.roo-cline/tasks/1/api_conversation_history.json", "(/me/my shop)"],
] as const) {
  test(`a chat of ${tool} counts if its place or its beginning names the folder`, async () => {
    await put(path.replace("my-shop", "another"), text.replace(/my.+shop/, "another"));
    assert.equal(await found(), undefined);
    await put(path, text);
    assert.equal(await found(), tool);
  });
}

test("a folder that a tool names by a hash of the path is found too", async () => {
  const hash = createHash("sha256").update(join(window.home, "my shop")).digest("hex");
  await put(`.gemini/tmp/${hash}/chats/1.json`, "{}");
  assert.equal(await found(), "gemini");
});

test("a window without a folder has no chats of other tools", async () => {
  await put(".claude/projects/-home-me-my-shop/s.jsonl", "{}");
  window.open();
  assert.equal(await found(), undefined);
});

test("the newest record in a file counts; a file without one, or of another tool, says nothing", async () => {
  const usage = (used: number) =>
    `{"info":{"last_token_usage":{"total_tokens":${used}},"model_context_window":1000}}\n`;
  const path = await put("chat.jsonl", usage(900) + usage(250));
  const file = { path, tool: "codex", bytes: usage(900).length * 2, changed: 0 };
  assert.deepEqual(await recordedIn(file), { tool: "codex", percent: 25 });
  assert.equal(await recordedIn({ ...file, tool: "continue" }), undefined);
  assert.equal(await recordedIn({ ...file, path: await put("empty.jsonl", "{}") }), undefined);
});

const CONTEXT = {
  storageUri: Uri.file("/data/User/workspaceStorage/abc/compact-chat.compact-chat"),
  globalStorageUri: Uri.file("/data/User/globalStorage/compact-chat.compact-chat"),
} as never;

test("the editor's own chats lie beside the extension's storage, also where a browser shows the window", () => {
  assert.equal(ownFolderOf(CONTEXT)?.path, "/data/User/workspaceStorage/abc/chatSessions");
  Object.assign(env, { remoteName: "127.0.0.1", uiKind: UIKind.Web });
  assert.equal(ownFolderOf(CONTEXT)?.path, "/data/User/workspaceStorage/abc/chatSessions");
});

test("their folder is the same after a reload, which numbers the storage, and another one in an empty window", () => {
  const storageUri = Uri.file("/data/User/workspaceStorage/abc-2/compact-chat.compact-chat");
  assert.equal(
    ownFolderOf({ ...(CONTEXT as object), storageUri } as never)?.path,
    "/data/User/workspaceStorage/abc/chatSessions",
  );
  assert.equal(
    ownFolderOf({ ...(CONTEXT as object), storageUri: undefined } as never)?.path,
    "/data/User/globalStorage/emptyWindowChatSessions",
  );
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
  assert.deepEqual(workspaces(), { workspace: "file:///shop", workspaces: ["vscode-remote://ssh/p"] });
});
