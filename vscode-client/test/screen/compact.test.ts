/** The commands that open the screen of a chat. */

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { compactCommands } from "../../src/screen/actions";
import type { Draft } from "../../src/wire";
import * as vscode from "../fakes/vscode";
import { draftOf, madeHouse, type Recorded, recordedEditor, type Scene } from "../made";

const CHAT = { uri: "file:///chat.jsonl", tool: "vscode", title: "Build the parser" };
const asked = (chat: object) => [["draft", { chat, reopen: true }]]; // one that was changed before, if there is one

let recorded: Recorded;
let folder: string;

beforeEach(async () => {
  recorded = recordedEditor();
  folder = await mkdtemp(join(tmpdir(), "compact-"));
});

afterEach(() => rm(folder, { recursive: true }));

function offered(scene: Scene = {}) {
  const house = madeHouse(recorded, { answers: { draft: () => draftOf("One.") }, ...scene });
  const shown: [Draft, unknown][] = [];
  house.screens.show = async (draft, how) => void shown.push([draft, how?.isBeside]);
  return { house, shown, commands: compactCommands(house) };
}

test("the chat in use is compacted and its screen opens", async () => {
  const { commands, shown } = offered({ wanted: CHAT });
  await commands.compact?.();
  assert.deepEqual(recorded.asked, asked({ uri: CHAT.uri }));
  assert.deepEqual(
    shown.map(([{ draftId }, isBeside]) => [draftId, isBeside]),
    [["0123456789abcdef", undefined]],
  );
});

test("compacting and continuing shows the page beside, and a new chat with the message", async () => {
  const { commands, shown } = offered({ wanted: CHAT });
  await commands.continueNow?.();
  assert.deepEqual(
    shown.map(([, isBeside]) => isBeside),
    [true],
  );
  assert.equal(recorded.commands.at(-1)?.[0], "workbench.action.chat.open");
});

test("a file is compacted by its address, one on no disk by its text, and the clipboard by what is in it", async () => {
  const { commands } = offered();
  await commands.compactFile?.(...([vscode.Uri.file("/chat.jsonl")] as never[]));
  Object.assign(vscode.workspace.fs, { readFile: async () => new TextEncoder().encode("User: Hello") });
  await commands.compactFile?.(...([vscode.Uri.parse("memfs:/chat.md")] as never[]));
  Object.assign(vscode.env.clipboard, { readText: async () => "User: Hello again" });
  await commands.compactClipboard?.();
  assert.deepEqual(
    recorded.asked.map(([, params]) => (params as { chat: object }).chat),
    [{ uri: "file:///chat.jsonl" }, { text: "User: Hello" }, { text: "User: Hello again" }],
  );
  Object.assign(vscode.env.clipboard, { readText: async () => "  " });
  await assert.rejects(commands.compactClipboard?.() as Promise<void>, { kind: "nothingCopied" });
});

test("the panel's chat is found by its newest requests, saved or not", async () => {
  const requests = [{ requestId: "r1" }, { requestId: "r2" }];
  vscode.commands.executeCommand = async (...given: unknown[]) => {
    await writeFile((given[1] as vscode.Uri).fsPath, JSON.stringify({ requests }));
  };
  const saved = join(folder, "abc.jsonl");
  await writeFile(saved, '{"requestId":"r1"}');
  const session = { uri: vscode.Uri.file(saved).toString(), tool: "vscode", title: "One", updatedAt: "2026", bytes: 1 };
  const answers = { draft: () => draftOf("One."), sessions: () => ({ sessions: [session] }) };
  await offered({ ownFolder: folder, answers }).commands.compactPanel?.();
  assert.deepEqual(recorded.asked.slice(-1), asked({ uri: session.uri }));

  requests.splice(0, 2, { requestId: "r9" });
  await offered({ ownFolder: folder, answers }).commands.compactPanel?.();
  const [, { chat }] = recorded.asked.at(-1) as [string, { chat: { text: string } }];
  assert.match(chat.text, /r9/);
});

test("nothing is compacted where nothing is chosen", async () => {
  const { commands, shown } = offered();
  await commands.compact?.();
  assert.deepEqual([recorded.asked, shown], [[], []]);
});
