/** Setting the server up: one question, and what comes of each answer. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { Fault } from "../../src/faults";
import type { Server } from "../../src/house";
import { createServer } from "../../src/server/server";
import { Uri, window, workspace } from "../fakes/vscode";
import { fakeContext, fakeLog, newFolder, until, writeProgram } from "./workshop";

const PATH = process.env.PATH;

let extension: string;
let storage: string;
let programs: string;
let server: Server;
let asked: { readonly question: string; readonly detail: string; readonly buttons: string[] }[];
let answer: string | undefined;

beforeEach(async () => {
  [extension, storage, programs] = [await newFolder(), join(await newFolder(), "storage"), await newFolder()];
  await mkdir(join(extension, "server"));
  await writeFile(join(extension, "server", "compact_chat-0.1.0-py3-none-any.whl"), "wheel");
  await writeFile(join(extension, "server", "requirements.txt"), "one==1\n");
  process.env.PATH = programs;
  workspace.settings.clear();
  workspace.isTrusted = true;
  [asked, answer] = [[], "Install"];
  window.showInformationMessage = async (...given: unknown[]) => {
    const [question, { detail }, ...buttons] = given as [string, { detail: string }, ...string[]];
    asked.push({ question, detail, buttons });
    return answer;
  };
  server = createServer(fakeContext(storage, extension).context, fakeLog().log);
});

afterEach(async () => {
  process.env.PATH = PATH;
  await server.stop();
  server.dispose();
});

/** Writes a Python of a version, which makes environments in which everything succeeds. */
function python(name: string, version: string, makesEnvironments = true, folder = programs): Promise<string> {
  const says = makesEnvironments ? "True" : "False";
  return writeProgram(folder, name, [
    "PATH=/usr/bin:/bin",
    'if [ "$3" = venv ]; then',
    `  mkdir -p "$4/bin"; printf '#!/bin/sh\\n' > "$4/bin/python"; chmod +x "$4/bin/python"; exit 0`,
    "fi",
    `printf '${version}\\n${join(folder, name)}\\n${says}\\n'`,
  ]);
}

/** The environments that count as whole. */
async function marked(): Promise<string[]> {
  const names = await readdir(storage);
  return names.filter((name) => existsSync(join(storage, name, "complete")));
}

const isFault =
  (kind: string, said = /./) =>
  (problem: unknown) =>
    problem instanceof Fault && problem.kind === kind && said.test(problem.message);

test("one question says what is installed, with which Python, where and how much; then the server is at hand", async () => {
  await python("python3", "3.12.1");
  await server.setUp();
  assert.equal(asked.length, 1);
  const { detail, buttons } = asked[0] ?? { detail: "", buttons: [] };
  for (const part of ["3.12.1", join(programs, "python3"), storage, "MB", "hash"]) {
    assert.ok(detail.includes(part), part);
  }
  assert.deepEqual(buttons, ["Install", "Choose Python…"]);
  assert.equal(await server.isAtHand(), true);
});

test("who declines has nothing installed", async () => {
  await python("python3", "3.12.1");
  answer = undefined;
  await assert.rejects(server.setUp(), isFault("cancelled"));
  assert.deepEqual(await readdir(storage), []);
  assert.equal(await server.isAtHand(), false);
});

test("two wishes at once are one question", async () => {
  await python("python3", "3.12.1");
  await Promise.all([server.setUp(), server.setUp()]);
  assert.equal(asked.length, 1);
});

test("what is set up already is not asked about again", async () => {
  await python("python3", "3.12.1");
  await server.setUp();
  await server.setUp();
  assert.equal(asked.length, 1);
});

test("without a Python there is a sentence that says what to install", async () => {
  await assert.rejects(server.setUp(), isFault("noPython", /3\.11/));
});

test("with a Python that is too old the sentence names its version", async () => {
  await python("python3", "3.9.2");
  await assert.rejects(server.setUp(), isFault("oldPython", /3\.9\.2/));
});

test("a Python that makes no environments is told with the package that helps", async () => {
  await python("python3", "3.11.2", false);
  await assert.rejects(server.setUp(), isFault("cannotInstall", /python3\.11-venv/));
});

test("a chosen Python is asked about like a found one, and a chosen file that is none is told", async () => {
  const chosen = await python("mine", "3.13.0", true, extension);
  window.showOpenDialog = async () => [Uri.file(chosen)];
  await server.setUp(true);
  assert.ok(asked[0]?.detail.includes(chosen));
  window.showOpenDialog = async () => [Uri.file(join(extension, "server"))];
  await assert.rejects(server.setUp(true), isFault("noPython"));
});

test("what another window has set up while this one asked is not installed twice", async () => {
  await python("python3", "3.12.1");
  const other = createServer(fakeContext(storage, extension).context, fakeLog().log);
  const ask = window.showInformationMessage;
  window.showInformationMessage = async (...given: unknown[]) => {
    window.showInformationMessage = ask;
    await other.setUp();
    return ask(...given);
  };
  await server.setUp();
  assert.equal((await marked()).length, 1);
  assert.equal(asked.length, 2);
  other.dispose();
});

test("a Python that is chosen anew takes the place of the one before", async () => {
  await python("python3", "3.12.1");
  await server.setUp();
  window.showOpenDialog = async () => [Uri.file(await python("mine", "3.13.0", true, extension))];
  for (let round = 0; round < 3; round += 1) {
    const before = await marked();
    await server.setUp(true);
    const after = await marked();
    assert.equal(after.length, 1);
    assert.notDeepEqual(after, before);
  }
});

test("a Python is not chosen in vain where the settings name a server", async () => {
  workspace.settings.set("compactChat.interpreter", ["/my/python"]);
  await assert.rejects(server.setUp(true), isFault("wrongServer", /settings/));
  assert.deepEqual(asked, []);
});

test("a window that closes while something is installed ends it, and leaves nothing", async () => {
  const pid = join(programs, "pid");
  await writeProgram(programs, "python3", [
    "PATH=/usr/bin:/bin",
    `if [ "$3" = venv ]; then echo $$ > ${pid}; exec sleep 60; fi`,
    `printf '3.12.1\\n/python3\\nTrue\\n'`,
  ]);
  const ended = assert.rejects(server.setUp(), isFault("cancelled"));
  await until("the installation", async () => (await readFile(pid, "utf8").catch(() => "")).endsWith("\n"));
  server.dispose();
  await ended;
  assert.deepEqual(await readdir(storage), []);
  assert.throws(() => process.kill(Number(readFileSync(pid, "utf8")), 0), /ESRCH/);
});

test("an extension without its wheel names the setting that helps", async () => {
  const other = createServer(fakeContext(storage, programs).context, fakeLog().log);
  await assert.rejects(other.setUp(), isFault("wrongServer"));
  other.dispose();
});

test("the first question of a person sets the server up; a quiet one never does", async () => {
  await python("python3", "3.12.1");
  await assert.rejects(server.ask("history", {}, { quietly: true }), isFault("notSetUp"));
  assert.equal(asked.length, 0);
  await assert.rejects(
    server.ask("history", {}),
    isFault("notSetUp", /again/),
    "this environment has no server that runs",
  );
  assert.equal(asked.length, 1);
  assert.equal(await server.isAtHand(), false, "and is not taken for whole any more");
});
