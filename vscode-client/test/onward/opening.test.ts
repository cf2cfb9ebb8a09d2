/** Opening the compacted chat: as a session of VS Code, and as one of Claude Code. */

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, stat, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { Fault } from "../../src/faults";
import { openAsClaudeSession } from "../../src/onward/claude";
import { projectFolder, slug } from "../../src/onward/claudePlaces";
import { openCopy } from "../../src/onward/copy";
import * as vscode from "../fakes/vscode";
import { madeHouse, madePage, type Recorded, recordedEditor } from "./made";

const EXPORTED = { responderUsername: "GitHub Copilot", initialLocation: "panel", requests: [{ requestId: "r" }] };
const ENVIRONMENT = { ...process.env };

let recorded: Recorded;
let place: string;
let scratch: string | undefined;

beforeEach(async () => {
  recorded = recordedEditor();
  place = await realpath(await mkdtemp(join(tmpdir(), "onward-")));
  Object.assign(process.env, { CLAUDE_CONFIG_DIR: join(place, "conf"), PATH: join(place, "bin") });
});

afterEach(async () => {
  process.env = { ...ENVIRONMENT };
  await rm(place, { recursive: true });
});

function exporting(text: string) {
  return {
    export: async ({ uri }: { uri: string }) => {
      scratch = vscode.Uri.parse(uri).fsPath;
      await writeFile(scratch, text);
      return { uri, bytes: text.length };
    },
  };
}

function session(cwd: string): string {
  return `{"sessionId":"id-1","cwd":${JSON.stringify(cwd)},"type":"user"}\n`;
}

const claudeFile = (folder: string) =>
  join(projectFolder(folder, { home: homedir(), env: process.env }) ?? "", "id-1.jsonl");

/** Makes a folder whose path is longer than the names that Claude Code gives to projects. */
async function longFolder(name: string): Promise<string> {
  const long = join(place, "long".repeat(50), name);
  await mkdir(long, { recursive: true });
  return long;
}

/** Lets Claude Code have a chat in a folder with a long path; gives its project's folder. */
async function chattedIn(folder: string, hash: string): Promise<string> {
  const project = join(place, "conf/projects", `${slug(folder).slice(0, 200)}-${hash}`);
  await mkdir(project, { recursive: true });
  await writeFile(join(project, "before.jsonl"), `{"type":"summary"}\n${session(folder)}`);
  return project;
}

async function withClaude(): Promise<void> {
  await mkdir(join(place, "bin"));
  await writeFile(join(place, "bin", "claude"), "", { mode: 0o700 });
}

test("the copy is a new session of its own beside the old one, and shown in the panel", async () => {
  const house = madeHouse(recorded, {
    ownFolder: join(place, "chatSessions"),
    answers: exporting(JSON.stringify(EXPORTED)),
  });
  await openCopy(house, madePage());
  const [name = ""] = await readdir(join(place, "chatSessions"));
  const { v } = JSON.parse(await readFile(join(place, "chatSessions", name), "utf8"));
  assert.equal(name, `${v.sessionId}.jsonl`);
  assert.equal(v.customTitle, "Compacted: Build the parser");
  assert.deepEqual(v.requests, EXPORTED.requests);
  assert.deepEqual(
    recorded.commands.map(([command]) => command),
    ["vscode.open", "workbench.action.chat.openInSidebar"],
  );
});

test("nothing is left of the file that the copy was made of", async () => {
  const house = madeHouse(recorded, { ownFolder: place, answers: exporting(JSON.stringify(EXPORTED)) });
  await openCopy(house, madePage());
  await assert.rejects(stat(scratch ?? place));
});

test("without a chat panel there is no copy, and one sentence says why", async () => {
  for (const ownFolder of [undefined, place]) {
    vscode.extensions.all = [];
    const opening = openCopy(madeHouse(recorded, { ownFolder }), madePage());
    await assert.rejects(opening, (problem: Fault) => problem instanceof Fault && problem.kind === "noPanel");
  }
  assert.deepEqual(recorded.asked, []);
});

test("a session of Claude Code stands in the folder it was held in, for its owner alone, and is resumed there", async () => {
  await withClaude();
  await openAsClaudeSession(madeHouse(recorded, { answers: exporting(session(place)) }), madePage());
  assert.equal(await readFile(claudeFile(place), "utf8"), session(place));
  assert.equal((await stat(claudeFile(place))).mode & 0o077, 0);
  assert.equal(recorded.terminals[0]?.options.cwd, place);
  assert.deepEqual(recorded.terminals[0]?.sent, ["claude --resume id-1"]);
});

test("a chat of no folder, or of one that is gone, goes on in the open folder", async () => {
  vscode.workspace.workspaceFolders = [{ uri: vscode.Uri.file(place), name: "x", index: 0 }];
  await openAsClaudeSession(madeHouse(recorded, { answers: exporting(session("/gone/away")) }), madePage());
  assert.equal(JSON.parse(await readFile(claudeFile(place), "utf8")).cwd, place);
});

test("without any folder nothing is written", async () => {
  const opening = openAsClaudeSession(madeHouse(recorded, { answers: exporting(session("/")) }), madePage());
  await assert.rejects(opening, (problem: Fault) => problem.kind === "noFolder");
  await assert.rejects(stat(join(place, "conf")));
});

test("a session that was opened before is resumed as it stands", async () => {
  await withClaude();
  const house = madeHouse(recorded, { answers: exporting(session(place)) });
  await openAsClaudeSession(house, madePage());
  await writeFile(claudeFile(place), "gone on since");
  await openAsClaudeSession(house, madePage());
  assert.equal(await readFile(claudeFile(place), "utf8"), "gone on since");
  assert.equal(recorded.terminals.length, 2);
});

test("in a folder with a long path the session joins those that Claude Code has of that folder, and of no other", async () => {
  const [one, other] = [await longFolder("one"), await longFolder("other")];
  const [project, others] = [await chattedIn(one, "a1"), await chattedIn(other, "b2")];
  await openAsClaudeSession(madeHouse(recorded, { answers: exporting(session(one)) }), madePage());
  assert.deepEqual((await readdir(project)).sort(), ["before.jsonl", "id-1.jsonl"]);
  assert.deepEqual(await readdir(others), ["before.jsonl"]);
});

test("where Claude Code was never in such a folder nothing is written, and one sentence says why", async () => {
  const [one, other] = [await longFolder("one"), await longFolder("other")];
  const others = await chattedIn(other, "b2");
  const opening = openAsClaudeSession(madeHouse(recorded, { answers: exporting(session(one)) }), madePage());
  await assert.rejects(opening, (problem: Fault) => problem.kind === "noProject");
  assert.deepEqual(await readdir(join(place, "conf/projects")), [basename(others)]);
});

test("the name of a folder becomes no link in what is told of it", async () => {
  const odd = join(place, "[x](command:odd)");
  await mkdir(odd, { recursive: true });
  await openAsClaudeSession(madeHouse(recorded, { answers: exporting(session(odd)) }), madePage());
  assert.doesNotMatch(String(recorded.told[0]?.[0]), /\]\(/);
});

test("where Claude Code is not installed, the command can be copied", async () => {
  vscode.window.showInformationMessage = async (...given) => given.at(-1);
  await openAsClaudeSession(madeHouse(recorded, { answers: exporting(session(place)) }), madePage());
  assert.deepEqual(recorded.terminals, []);
  assert.deepEqual(recorded.copied, ["claude --resume id-1"]);
});
