/** Which files may be chats of a window, and what they say of their fullness. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { ChatFiles, ownFolder, recordedIn } from "../../src/meter/files";
import { closeWindows, newWindow, type Window, written } from "./editor";

let window: Window;
let files: ChatFiles;

beforeEach(async () => {
  window = await newWindow();
  const [own, editor] = [join(window.home, "own"), join(window.home, "User")];
  files = new ChatFiles({ open: [join(window.home, "my shop")], own, editor });
});

afterEach(closeWindows);

const found = async () => (await files.newest()).map(({ tool }) => tool).sort();
const put = (path: string, text: string) => written(join(window.home, path), text);

test("a chat of the editor's counts once somebody has said something in it", async () => {
  assert.deepEqual(await found(), []);
  await put("own/a.jsonl", '{"kind":0,"v":{"requests":[]}}\n');
  assert.deepEqual(await found(), []);
  await put("own/a.jsonl", '{"kind":0,"v":{"requests":[{"id":1}]}}\n');
  assert.deepEqual(await found(), ["vscode"]);
});

for (const [tool, path, text] of [
  ["claude-code", ".claude/projects/-home-me-my-shop/s.jsonl", "{}"],
  ["codex", ".codex/sessions/2026/11/19/rollout-1.jsonl", '{"cwd":"/home/me/my shop"}'],
  ["continue", ".continue/sessions/1.json", '{"workspaceDirectory":"file:///home/me/my%20shop"}'],
  ["roo", "User/globalStorage/rooveterinaryinc.roo-cline/tasks/1/api_conversation_history.json", "(/me/my shop)"],
] as const) {
  test(`a chat of ${tool} counts if its place or its beginning names the folder`, async () => {
    await put(path.replace("my-shop", "another"), text.replace(/my.+shop/, "another"));
    assert.deepEqual(await found(), []);
    await put(path, text);
    assert.deepEqual(await found(), [tool]);
  });
}

test("a folder that a tool names by a hash of the path is found too", async () => {
  const hash = createHash("sha256").update(join(window.home, "my shop")).digest("hex");
  await put(`.gemini/tmp/${hash}/chats/1.json`, "{}");
  assert.deepEqual(await found(), ["gemini"]);
});

test("a window without a folder has no chats of other tools", async () => {
  await put(".claude/projects/-home-me-my-shop/s.jsonl", "{}");
  files = new ChatFiles({ open: [], own: undefined, editor: undefined });
  assert.deepEqual(await found(), []);
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

test("the folder of the editor's chats is the same after a reload, which numbers the storage", () => {
  assert.equal(ownFolder("/u/workspaceStorage/5a-2/x", "/u/globalStorage/x"), "/u/workspaceStorage/5a/chatSessions");
  assert.equal(ownFolder(undefined, "/u/globalStorage/x"), "/u/globalStorage/emptyWindowChatSessions");
});
