/** The ways from a draft: a new chat, its tool's own sessions, its original, and the history. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { Fault } from "../../src/faults";
import { historyCommands } from "../../src/onward/history";
import {
  asId,
  continueWith,
  isPanelThere,
  openClaudeSession,
  openCompactedCopy,
  openOriginal,
  sessionAddress,
  sessionAt,
  withoutReferences,
} from "../../src/onward/sessions";
import { provideTexts, reviewCommands } from "../../src/onward/texts";
import { addressOf } from "../../src/screen/drafts";
import * as vscode from "../fakes/vscode";
import { draftOf, madeHouse, type Recorded, recordedEditor } from "../made";

const WINDOW = { tool: "vscode", id: "abc", folder: null, command: null };
const TERMINAL = { tool: "claude-code", id: "abc", folder: "/work", command: ["claude", "--resume", "abc"] };

let recorded: Recorded;

beforeEach(() => {
  recorded = recordedEditor();
});

const draft = draftOf("What was done.");

test("a new chat is named after the old one and has the message attached, not sent", async () => {
  const uri = addressOf(draft);
  await continueWith(madeHouse(recorded), draft, uri);
  const [, , [, options] = []] = recorded.commands;
  const { query, isPartialQuery, attachFiles } = options as {
    query: string;
    isPartialQuery: boolean;
    attachFiles: unknown[];
  };
  assert.match(query, /"Build the parser".*\n\n$/s);
  assert.deepEqual([isPartialQuery, attachFiles], [true, [uri]]);
});

test("without a chat panel the message is copied", async () => {
  vscode.extensions.all = [];
  assert.equal(await isPanelThere(), false);
  assert.ok(await continueWith(madeHouse(recorded), draft, addressOf(draft)));
  assert.deepEqual(recorded.copied, ["What was done."]);
});

test("an empty message is not continued", async () => {
  const empty = draftOf(" \n");
  await assert.rejects(continueWith(madeHouse(recorded), empty, addressOf(empty)), { kind: "noMessage" });
});

test("a name behind # is no reference any more", () => {
  assert.equal(withoutReferences("#codebase and a#b, # c"), "#\u2060codebase and a#b, # c");
});

test("a compacted copy is put among the window's chats by the server, and opened in the panel", async () => {
  const house = madeHouse(recorded, { ownFolder: "/chats", answers: { export: () => ({ resume: WINDOW }) } });
  await openCompactedCopy(house, draft);
  const params = { compactionId: draft.draftId, as: "vscode-export", place: "tool", folder: "file:///chats" };
  assert.deepEqual(recorded.asked, [["export", params]]);
  assert.equal(String(recorded.commands[0]?.[1]), sessionAddress("abc"));
});

test("without a panel there is no compacted copy", async () => {
  vscode.extensions.all = [];
  await assert.rejects(openCompactedCopy(madeHouse(recorded, { ownFolder: "/chats" }), draft), { kind: "noPanel" });
});

test("a session for a terminal is resumed in its folder, or its command is offered where the program is missing", async () => {
  const resumes = [TERMINAL, { ...TERMINAL, found: true }];
  const house = madeHouse(recorded, { answers: { export: () => ({ resume: resumes.shift() }) } });
  await openClaudeSession(house, draft);
  assert.deepEqual([recorded.terminals.length, recorded.messages.length], [0, 1]);
  await openClaudeSession(house, draft);
  assert.deepEqual(recorded.terminals, [{ options: { name: "claude", cwd: "/work" }, sent: ["claude --resume abc"] }]);
});

test("a session whose name could be a command of a shell is not resumed", async () => {
  const resume = { ...TERMINAL, id: "a; x", command: ["claude", "--resume", "a; x"] };
  const house = madeHouse(recorded, { answers: { export: () => ({ resume }) } });
  await assert.rejects(openClaudeSession(house, draft), { kind: "noSession" });
  assert.deepEqual([recorded.terminals, recorded.messages], [[], []]);
});

test("an original opens in its tool, else as text", async () => {
  const original = { compactionId: draft.draftId, title: "Bakery" };
  const answers = { restore: () => ({ resume: WINDOW }) };
  await openOriginal(madeHouse(recorded, { ownFolder: "/chats", answers }), original);
  assert.deepEqual(recorded.asked[0]?.[1], { compactionId: draft.draftId, place: "tool", folder: "file:///chats" });
  assert.equal(String(recorded.commands[0]?.[1]), sessionAddress("abc"));

  let shown: vscode.Uri | undefined;
  vscode.window.showTextDocument = async (uri: unknown) => {
    shown = uri as vscode.Uri;
  };
  await openOriginal(madeHouse(recorded, { answers: { restore: () => ({ resume: null }) } }), original);
  assert.deepEqual(JSON.parse(shown?.query ?? ""), { compactionId: draft.draftId });

  const last = shown;
  const restore = () => {
    throw new Fault("noPlace", "It cannot be written there.");
  };
  await openOriginal(madeHouse(recorded, { answers: { restore } }), original);
  assert.notEqual(shown, last);
});

test("the address of a session leads to its id and back, and to nothing else", () => {
  assert.equal(sessionAt(vscode.Uri.parse(sessionAddress("abc-1"))), "abc-1");
  assert.equal(sessionAt(vscode.Uri.parse("vscode-chat-session://remote/YWJj")), undefined);
  assert.equal(asId("../abc"), undefined);
});

test("an original as text has all messages, and cannot be edited", async () => {
  const messages = [{ id: "1", index: 0, role: "user", kind: "text", text: "Hello.\n# Not a heading of ours" }];
  const text = await textFor({ compactionId: "c" }, { transcript: () => ({ title: "Parser", messages }) });
  assert.match(text, /^# Parser\n\n## 1 · .+\n\nHello\.\n/);
});

test("what is missing stands under the names of its classes", async () => {
  const classes = survival.classes.map((one) => ({ ...one, name: "readFiles" }));
  const text = await textFor({ check: "file:///c" }, { check: () => ({ survival: { ...survival, classes } }) });
  assert.match(text, /^## Read files \(1\/2\)$/m);
});

test("a text that cannot be had says why", async () => {
  const gone = () => Promise.reject(new Fault("compactionNotFound", "It is gone."));
  assert.equal(await textFor({ compactionId: "c" }, { transcript: gone }), "It is gone.");
});

async function textFor(query: object, answers: Record<string, () => unknown>): Promise<string> {
  let provider: { provideTextDocumentContent(uri: vscode.Uri): Promise<string> } | undefined;
  vscode.workspace.registerTextDocumentContentProvider = (_scheme, given) => {
    provider = given as typeof provider;
    return new vscode.Disposable(() => undefined);
  };
  provideTexts(madeHouse(recorded, { answers }));
  const uri = vscode.Uri.from({ scheme: "compact-chat-original", path: "/x.md", query: JSON.stringify(query) });
  return (await provider?.provideTextDocumentContent(uri)) ?? "";
}

const CHAT = {
  uri: "file:///c.jsonl",
  tool: "claude-code",
  title: "Parser",
};
const lost = [{ id: "f", text: "Never touch\nconfig.yaml.", message: null, cost: 3 }];
const survival = { kept: 0.5, classes: [{ name: "constraints", total: 2, kept: 1, restored: 0, lost }] };

test("what the tool's last compaction is missing is listed, and copied back at a click", async () => {
  vscode.window.showInformationMessage = async (...given: unknown[]) => given[1];
  let shown = "";
  vscode.window.showTextDocument = async (uri: unknown) => {
    shown = String((uri as vscode.Uri).query);
  };
  const house = madeHouse(recorded, { wanted: CHAT, answers: { check: () => ({ survival, warnings: [] }) } });
  await reviewCommands(house).checkLast?.();
  assert.deepEqual(JSON.parse(shown), { check: "file:///c.jsonl" });
  assert.match(recorded.copied[0] ?? "", /\n\n- Never touch\n {2}config\.yaml\.\n$/);
});

test("a chat that was never compacted has nothing to review", async () => {
  const check = () => Promise.reject(new Fault("nothingToCompact", "x", { recorded: false }));
  const house = madeHouse(recorded, { wanted: CHAT, answers: { check } });
  await assert.rejects(reviewCommands(house).checkLast?.() as Promise<void>, { kind: "nothingToCheck" });
});

test("a compaction of the history opens as a draft", async () => {
  const past = {
    compactionId: "c1",
    uri: "file:///c.jsonl",
    title: "Parser",
    at: "2026-01-01T00:00:00Z",
    provider: "offline",
    model: null,
    before: 9,
    after: 1,
    kept: 1,
  };
  const answers = { history: () => ({ compactions: [past] }), sessions: () => ({ sessions: [] }), draft: () => draft };
  const house = madeHouse(recorded, { answers });
  const shown: unknown[] = [];
  house.screens.show = async (one) => void shown.push(one);
  vscode.window.showQuickPick = async (rows: unknown) =>
    ((await rows) as { past?: unknown }[]).find((row, place) => row.past ?? place === 0);
  await historyCommands(house).history?.();
  assert.deepEqual(recorded.asked.at(-1), ["draft", { draftId: "c1" }]);
  assert.deepEqual(shown, [draft]);
});
