/** Compacting asks nothing, sends nothing anywhere, and shows a page. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { House, NamedChat } from "../../src/house";
import { compact, compactClipboard, compactFile, compactPanel } from "../../src/page/compact";
import * as vscode from "../fakes/vscode";
import { CHAT, type Desk, desk } from "./desk";
import { compactionOf, survivalOf } from "./made";

const ANSWERS = {
  check: () => ({ survival: survivalOf({}), warnings: [], continuation: "" }),
  summarize: () => compactionOf(),
  countTokens: () => ({ tool: "codex", title: null }),
};

function houseWith(open: Desk, wanted: NamedChat | undefined): House {
  const chats = { wanted: async () => wanted };
  return Object.assign(open.house, { chats });
}

function sent({ asked }: Desk): unknown {
  return asked.find(({ name }) => name === "summarize")?.params;
}

test("the chat in use is compacted on this machine, in the style of the settings", async () => {
  vscode.workspace.settings.set("compactChat.style", "brief");
  const open = desk(ANSWERS);
  await compact(houseWith(open, CHAT));
  assert.deepEqual(sent(open), { chat: CHAT.ref, options: { style: "brief" }, provider: "offline" });
  assert.match(open.document().getText(), /^# A chat\n/);
  vscode.workspace.settings.delete("compactChat.style");
});

test("a chat that is handed over is compacted, and so is a file; what else a menu hands over is not looked at", async () => {
  for (const given of [CHAT, CHAT.uri, undefined, {}, "text", [1]]) {
    const open = desk(ANSWERS);
    await compact(houseWith(open, CHAT), given);
    assert.match(JSON.stringify(sent(open)), /chats\/1\.jsonl/);
  }
});

test("the chat panel's own button compacts the newest chat there, whatever the meter measures", async () => {
  const ownFolder = vscode.Uri.file("/storage/chatSessions");
  const session = { uri: `${ownFolder}/2.jsonl`, tool: "vscode", format: "vscode-log", title: "Mine" };
  const told = { ...session, updatedAt: "2026-11-18T10:00:00.000Z", bytes: 1 };
  const open = desk({ ...ANSWERS, sessions: () => ({ sessions: [told], complete: true }) });
  const house = Object.assign(open.house, { chats: { ownFolder, wanted: async () => CHAT } });
  await compactPanel(house);
  assert.match(JSON.stringify(sent(open)), /chatSessions\/2\.jsonl/);
  const empty = desk({ ...ANSWERS, sessions: () => ({ sessions: [], complete: true }) });
  await assert.rejects(compactPanel(Object.assign(empty.house, { chats: { ownFolder } })), { kind: "chatNotFound" });
});

test("where the user picks no chat, nothing happens", async () => {
  const open = desk(ANSWERS);
  await compact(houseWith(open, undefined));
  assert.deepEqual(open.asked, []);
});

test("a file is named by its tool, and by its own name where the chat has no title", async () => {
  const open = desk(ANSWERS);
  await compactFile(houseWith(open, undefined), vscode.Uri.file("/somewhere/rollout.jsonl"));
  const text = open.document().getText();
  assert.match(text, /^# rollout\.jsonl\n/);
  assert.match(text, /from Codex/);
});

test("what lies on no disk of this machine goes to the server as text", async () => {
  const open = desk(ANSWERS);
  Object.assign(vscode.workspace, { fs: { readFile: async () => new TextEncoder().encode("User: hello") } });
  await compactFile(houseWith(open, undefined), vscode.Uri.from({ scheme: "vscode-vfs", path: "/chat.md" }));
  assert.match(JSON.stringify(sent(open)), /"text":"User: hello"/);
});

test("a copied chat is compacted from the clipboard, and an empty clipboard is told", async () => {
  const open = desk(ANSWERS);
  Object.assign(vscode.env, { clipboard: { readText: async () => "User: hello" } });
  await compactClipboard(houseWith(open, undefined));
  assert.match(JSON.stringify(sent(open)), /"text":"User: hello"/);
  Object.assign(vscode.env, { clipboard: { readText: async () => " \n" } });
  await assert.rejects(compactClipboard(houseWith(open, undefined)), { kind: "chatUnreadable" });
});
