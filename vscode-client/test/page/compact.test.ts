/** Compacting asks nothing, sends nothing anywhere, and shows a page. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { Fault } from "../../src/faults";
import type { House, NamedChat } from "../../src/house";
import { compact, compactAnother, compactClipboard, compactFile, compactPanel } from "../../src/page/compact";
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

test("a chat whose page stands in a tab is shown there, with what was edited, as long as it is the same chat", async (context) => {
  context.after(() => Object.assign(vscode.window, { tabGroups: { all: [] } }));
  const plan = { planId: compactionOf().planId };
  const open = desk({ ...ANSWERS, preview: () => plan });
  await compact(houseWith(open, CHAT));
  open.document().type((text) => text.replace("build it", "build it twice"));
  const uri = open.document().uri;
  Object.assign(vscode.window, { tabGroups: { all: [{ tabs: [{ input: new vscode.TabInputText(uri) }] }] } });
  await compact(houseWith(open, CHAT));
  assert.equal(open.asked.filter(({ name }) => name === "summarize").length, 1);
  assert.match(open.document().getText(), /build it twice/);
  plan.planId = "of the chat as it has grown";
  await compact(houseWith(open, CHAT));
  assert.equal(open.asked.filter(({ name }) => name === "summarize").length, 2);
});

test("stopped while the open page is looked for, nothing is compacted", async (context) => {
  context.after(() => Object.assign(vscode.window, { tabGroups: { all: [] } }));
  const stopped = () => Promise.reject(new Fault("cancelled", "Stopped."));
  const open = desk({ ...ANSWERS, preview: stopped });
  await compact(houseWith(open, CHAT));
  const input = new vscode.TabInputText(open.document().uri);
  Object.assign(vscode.window, { tabGroups: { all: [{ tabs: [{ input }] }] } });
  await assert.rejects(compact(houseWith(open, CHAT)), { kind: "cancelled" });
  assert.equal(open.asked.filter(({ name }) => name === "summarize").length, 1);
});

test("a chat that is handed over is compacted, and so is a file; what else a menu hands over is not looked at", async () => {
  for (const given of [CHAT, CHAT.uri, undefined, {}, "text", [1]]) {
    const open = desk(ANSWERS);
    await compact(houseWith(open, CHAT), given);
    assert.match(JSON.stringify(sent(open)), /chats\/1\.jsonl/);
  }
});

/** A panel whose folder has chats with one request each, the first written last; `shown` is what the editor exports. */
async function panelButton(requests: readonly string[], shown: string | undefined, more = {}): Promise<Desk> {
  const folder = mkdtempSync(join(tmpdir(), "panel-"));
  const ownFolder = vscode.Uri.file(folder);
  const sessions = requests.map((requestId, index) => {
    writeFileSync(join(folder, `${index}.jsonl`), JSON.stringify({ kind: 0, v: { requests: [{ requestId }] } }));
    const updatedAt = `2026-11-18T10:00:0${9 - index}.000Z`;
    return {
      uri: `${ownFolder}/${index}.jsonl`,
      tool: "vscode",
      format: "vscode-log",
      title: "Mine",
      updatedAt,
      bytes: 1,
    };
  });
  const exported = async (name: string, file: vscode.Uri) =>
    name === "workbench.action.chat.export" && shown !== undefined ? writeFileSync(file.fsPath, shown) : undefined;
  Object.assign(vscode.commands, { executeCommand: exported });
  const open = desk({ ...ANSWERS, sessions: () => ({ sessions, complete: true }), ...more });
  await compactPanel(Object.assign(open.house, { chats: { ownFolder, wanted: async () => CHAT } }));
  rmSync(folder, { recursive: true });
  return open;
}

async function panelSent(...given: Parameters<typeof panelButton>): Promise<unknown> {
  return sent(await panelButton(...given));
}

test("the chat panel's own button compacts the chat that the panel shows, whatever the meter measures", async () => {
  const shown = JSON.stringify({ requests: [{ requestId: "request_b" }] });
  assert.match(JSON.stringify(await panelSent(["request_a", "request_b"], shown)), /1\.jsonl/);
});

test("a chat whose newest request is not saved yet is known by the others", async () => {
  const shown = JSON.stringify({ requests: [{ requestId: "request_b" }, { requestId: "request_c" }] });
  assert.match(JSON.stringify(await panelSent(["request_a", "request_b"], shown)), /1\.jsonl/);
});

test("a chat that is not saved at all is compacted as the editor exports it, and never another in its place", async () => {
  const shown = JSON.stringify({ requests: [{ requestId: "request_c" }] });
  for (const saved of [["request_a", "request_b"], []]) {
    const { chat } = (await panelSent(saved, shown)) as { chat: unknown };
    assert.deepEqual(chat, { text: shown, format: "vscode-export" });
  }
});

test("a chat that is not saved at all has the title that the server finds in it", async () => {
  const shown = JSON.stringify({ requests: [{ requestId: "request_a" }] });
  const countTokens = () => ({ tool: "vscode", title: "Bake rye" });
  const text = (await panelButton([], shown, { countTokens })).document().getText();
  assert.match(text, /^# Bake rye\n/);
  assert.match(text, /from VS Code/);
});

test("where the panel shows no chat, its button compacts the one that was written last", async () => {
  for (const shown of [undefined, "no JSON", "{}", '{"requests": []}']) {
    assert.match(JSON.stringify(await panelSent(["request_a", "request_b"], shown)), /0\.jsonl/);
  }
  await assert.rejects(panelButton([], undefined), { kind: "chatNotFound" });
});

test("another chat is chosen and compacted, and the meter stays where it is", async () => {
  const open = desk(ANSWERS);
  const chats = { choose: async (title: string) => title === "Choose the chat to compact" && CHAT };
  await compactAnother(Object.assign(open.house, { chats }) as unknown as House);
  assert.deepEqual(sent(open), { chat: CHAT.ref, options: { style: "detailed" }, provider: "offline" });
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
