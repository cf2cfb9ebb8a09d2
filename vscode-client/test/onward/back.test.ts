/** Going back to the original, from a page and from the history. */

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type { Fault } from "../../src/faults";
import { undo } from "../../src/onward/back";
import { projectFolder, slug } from "../../src/onward/claudePlaces";
import { showHistory } from "../../src/onward/history";
import * as vscode from "../fakes/vscode";
import { COMPACTION, madeHouse, madePage, type Recorded, recordedEditor } from "./made";

const BYTES = '{"kind":0}\n\r\n\u0000 whatever it was';
const ENVIRONMENT = { ...process.env };

let recorded: Recorded;
let place: string;
let own: string;

beforeEach(async () => {
  recorded = recordedEditor();
  place = await realpath(await mkdtemp(join(tmpdir(), "back-")));
  own = join(place, "chatSessions");
  await mkdir(own);
  await writeFile(join(place, "archived"), BYTES);
  Object.assign(process.env, { CLAUDE_CONFIG_DIR: join(place, "conf"), PATH: join(place, "bin") });
});

afterEach(async () => {
  process.env = { ...ENVIRONMENT };
  await rm(place, { recursive: true });
});

const folderAt = (path: string) => ({ uri: vscode.Uri.file(path), name: path, index: 0 });
const restoring = { restore: () => ({ archive: vscode.Uri.file(join(place, "archived")).toString() }) };
const house = () => madeHouse(recorded, { ownFolder: own, answers: restoring });
const sessionOf = (folder: string) => join(projectFolder(folder, { home: "", env: process.env }) ?? "", "id-1.jsonl");
const chatAt = (path: string) => madePage({ uri: vscode.Uri.file(path) as never });

/** Answers each quick pick with the first row whose label ends so; undefined where there is none. */
function picking(...endings: string[]): { rows: { label: string }[][] } {
  const seen: { rows: { label: string }[][] } = { rows: [] };
  vscode.window.showQuickPick = async (given) => {
    const rows = (await given) as { label: string }[];
    seen.rows.push(rows);
    const ending = endings.shift();
    return ending === undefined ? undefined : rows.find(({ label }) => label.endsWith(ending));
  };
  return seen;
}

test("a chat of VS Code that is still there is shown at once", async () => {
  await writeFile(join(own, "abc.jsonl"), "the chat");
  await undo(house(), chatAt(join(own, "abc.jsonl")));
  assert.deepEqual(recorded.asked, []);
  const [[command, uri]] = recorded.commands as [[string, vscode.Uri]];
  assert.deepEqual([command, uri.toString()], ["vscode.open", "vscode-chat-session://local/YWJj"]);
});

test("a chat of VS Code that is gone is brought back byte for byte, and shown", async () => {
  picking("Bring the Original Chat Back");
  await undo(house(), chatAt("/elsewhere/chatSessions/abc.json"));
  assert.equal(await readFile(join(own, "abc.json"), "utf8"), BYTES);
  assert.equal(recorded.commands[0]?.[0], "vscode.open");
});

test("a chat that came back meanwhile is left as it is, also where its original cannot be read", async () => {
  const file = join(own, "abc.json");
  picking("Bring the Original Chat Back");
  vscode.window.showQuickPick = async (given) => {
    await writeFile(file, "gone on since");
    await rm(join(place, "archived"));
    return ((await given) as { label: string }[]).find(({ label }) => label.endsWith("Bring the Original Chat Back"));
  };
  await assert.rejects(undo(house(), chatAt("/elsewhere/chatSessions/abc.json")));
  assert.equal(await readFile(file, "utf8"), "gone on since");
  assert.deepEqual(await readdir(own), ["abc.json"]);
});

test("a chat of Claude Code that is gone is brought back under its name, and the command to resume it is told", async () => {
  await mkdir(join(place, "work"));
  vscode.workspace.workspaceFolders = [{ uri: vscode.Uri.file(join(place, "work")), name: "x", index: 0 }];
  picking("Bring the Original Chat Back");
  const file = sessionOf(join(place, "work"));
  await undo(house(), chatAt(file));
  assert.equal(await readFile(file, "utf8"), BYTES);
  assert.match(String(recorded.told[0]?.[0]), /claude --resume id-1/);
});

test("a chat of Claude Code in a folder with a long path goes on there", async () => {
  const long = join(place, "long".repeat(50), "shop");
  await mkdir(long, { recursive: true });
  const file = join(place, "conf/projects", `${slug(long).slice(0, 200)}-1x2y3z`, "id-1.jsonl");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, `${JSON.stringify({ cwd: long })}\n`);
  await undo(house(), chatAt(file));
  assert.match(String(recorded.told[0]?.[0]), /claude --resume id-1.*long\/shop/);
});

test("a chat of Claude Code whose folder is gone says so", async () => {
  const file = sessionOf("/gone");
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, '{"cwd":"/gone"}\n');
  await assert.rejects(undo(house(), chatAt(file)), (problem: Fault) => problem.kind === "folderGone");
});

test("of a chat that no tool here opens the original can be read and saved", async () => {
  const seen = picking();
  await undo(house(), chatAt("/codex/rollout.jsonl"));
  assert.deepEqual(
    seen.rows[0]?.map(({ label }) => label.replace(/^\S+ /, "")),
    ["Read the Original", "Save Original As…"],
  );
});

test("what is saved is the kept copy, under the chat's own name where nobody chooses another", async () => {
  picking("Save Original As…");
  const copied: string[][] = [];
  let proposed = "";
  vscode.window.showSaveDialog = async (options) => {
    proposed = (options as { defaultUri: vscode.Uri }).defaultUri.path;
    return vscode.Uri.file(join(place, "mine.jsonl"));
  };
  vscode.workspace.fs.copy = async (...given) => void copied.push(given.slice(0, 2).map(String));
  await undo(house(), chatAt("/codex/rollout.jsonl"));
  assert.match(proposed, /rollout\.jsonl$/);
  assert.deepEqual(copied, [["archived", "mine.jsonl"].map((name) => vscode.Uri.file(join(place, name)).toString())]);
});

test("a place that cannot be written says so", async () => {
  picking("Save Original As…");
  vscode.window.showSaveDialog = async () => vscode.Uri.file(join(place, "mine.jsonl"));
  vscode.workspace.fs.copy = async () => Promise.reject(new Error("EACCES"));
  const saving = undo(house(), chatAt("/codex/rollout.jsonl"));
  await assert.rejects(saving, (problem: Fault) => problem.kind === "cannotWrite");
});

test("without a folder the original is offered for the home, not for the root of the disk", async () => {
  picking("Save Original As…");
  let proposed = "";
  vscode.window.showSaveDialog = async (options) => {
    proposed = (options as { defaultUri: vscode.Uri }).defaultUri.fsPath;
    return undefined;
  };
  await undo(house(), chatAt("/codex/rollout.jsonl"));
  assert.equal(proposed, join(homedir(), "rollout.jsonl"));
});

test("a chat is never written over by its own original", async () => {
  const file = join(place, "rollout.jsonl");
  await writeFile(file, "gone on since");
  picking("Save Original As…");
  vscode.window.showSaveDialog = async () => vscode.Uri.file(file);
  await assert.rejects(undo(house(), chatAt(file)), (problem: Fault) => problem.kind === "chatStands");
});

test("a chat is not written over by another name that leads to it", async () => {
  const file = join(place, "rollout.jsonl");
  await writeFile(file, "gone on since");
  await symlink(file, join(place, "link.jsonl"));
  picking("Save Original As…");
  vscode.window.showSaveDialog = async () => vscode.Uri.file(join(place, "link.jsonl"));
  await assert.rejects(undo(house(), chatAt(file)), (problem: Fault) => problem.kind === "chatStands");
});

test("an original that was not kept is said to be so", async () => {
  picking("Save Original As…");
  const gone = madeHouse(recorded, { answers: { restore: () => ({ archive: null }) } });
  await assert.rejects(undo(gone, madePage()), (problem: Fault) => problem.kind === "compactionNotFound");
});

const PAST = { ...COMPACTION, title: "Build the parser", at: "2026-11-18T12:00:00Z", kept: 0.9 };

test("the history lists this workspace's compactions first, and opens a result as its page", async () => {
  await writeFile(join(own, "abc.jsonl"), "the chat");
  const uri = vscode.Uri.file(join(own, "abc.jsonl")).toString();
  const compactions = [
    { ...PAST, title: "Of others", uri: null },
    { ...PAST, uri },
  ];
  const seen = picking("Build the parser", "Open the Result");
  const opened: string[] = [];
  Object.assign(vscode.window, { showTextDocument: async (shown: vscode.Uri) => void opened.push(shown.path) });
  await showHistory(madeHouse(recorded, { ownFolder: own, answers: { history: () => ({ compactions }) } }));
  const labels = seen.rows.map((rows) => rows.map(({ label }) => label.replace(/^\$\S+ /, "")));
  assert.deepEqual(labels[0], ["This workspace", "Build the parser", "Elsewhere", "Of others"]);
  assert.deepEqual(labels[1], [
    "Open the Result",
    "Back to the Original Chat",
    "Read the Original",
    "Save Original As…",
  ]);
  assert.deepEqual(opened, ["/0123456789abcdef/Build the parser.md"]);
});

test("a result whose page is open under another title is shown there, and not as a second text", async () => {
  picking("Build the parser", "Open the Result");
  const opened: string[] = [];
  Object.assign(vscode.window, { showTextDocument: async (shown: vscode.Uri) => void opened.push(shown.path) });
  const history = () => ({ compactions: [{ ...PAST, uri: null }] });
  const there = madeHouse(recorded, { answers: { history } });
  const uri = vscode.Uri.from({ scheme: "compact-chat", path: "/0123456789abcdef/Copied chat.md" });
  Object.assign(there.pages, { of: async () => ({ uri }) });
  await showHistory(there);
  assert.deepEqual(opened, ["/0123456789abcdef/Copied chat.md"]);
});

test("chats of this workspace that other tools hold are known by the server's list, and its failure hides nothing", async () => {
  vscode.workspace.workspaceFolders = [{ uri: vscode.Uri.file("/shop"), name: "work", index: 0 }];
  const compactions = [
    { ...PAST, title: "Of others", uri: "file:///x" },
    { ...PAST, uri: "file:///codex/a" },
  ];
  const history = { history: () => ({ compactions }) };
  const known = picking();
  const sessions = () => ({ sessions: [{ uri: "file:///codex/a", updatedAt: "2026-11-18T12:00:00Z" }] });
  await showHistory(madeHouse(recorded, { answers: { ...history, sessions } }));
  assert.equal(known.rows[0]?.[0]?.label, "This workspace");
  const unknown = picking();
  await showHistory(madeHouse(recorded, { answers: history }));
  assert.equal(unknown.rows[0]?.length, 2);
});

test("with several folders open, the chats of each are of this workspace", async () => {
  vscode.workspace.workspaceFolders = ["/one", "/two"].map((path) => folderAt(path));
  const history = { history: () => ({ compactions: [{ ...PAST, uri: "file:///codex/a" }] }) };
  const sessions = ({ workspace }: { workspace: string }) => ({
    sessions: workspace.endsWith("/two") ? [{ uri: "file:///codex/a", updatedAt: "2026-11-18T12:00:00Z" }] : [],
  });
  const seen = picking();
  await showHistory(madeHouse(recorded, { answers: { ...history, sessions } }));
  assert.equal(seen.rows[0]?.[0]?.label, "This workspace");
});

test("an empty history offers to compact a chat", async () => {
  vscode.window.showInformationMessage = async (...given) => given.at(-1);
  await showHistory(madeHouse(recorded, { answers: { history: () => ({ compactions: [] }) } }));
  assert.deepEqual(recorded.commands, [["compactChat.ui.compact"]]);
});
