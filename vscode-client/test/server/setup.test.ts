/** Setting the server up: one question, and what comes of each answer. */

import assert from "node:assert/strict";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { Fault } from "../../src/faults";
import { installFault } from "../../src/server/program";
import { Server } from "../../src/server/server";
import { Uri, window, workspace } from "../fakes/vscode";
import { ANSWERING, fakeContext, fakeLog, newFolder, until, writeProgram } from "./workshop";

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
  await writeFile(join(extension, "answering.js"), ANSWERING);
  process.env.PATH = programs;
  workspace.settings.clear();
  workspace.isTrusted = true;
  [asked, answer] = [[], "Install"];
  window.showInformationMessage = async (...given: unknown[]) => {
    const [question, { detail }, ...buttons] = given as [string, { detail: string }, ...string[]];
    asked.push({ question, detail, buttons });
    return answer;
  };
  server = new Server(fakeContext(storage, extension).context, fakeLog().log);
});

afterEach(async () => {
  process.env.PATH = PATH;
  await server.stop();
  server.dispose();
});

/** Writes a Python of a version; in the environments that it makes, every program answers like a server. */
function python(name: string, version: string, hasVenv = true, folder = programs, pip = "exit 0"): Promise<string> {
  const inside = `case "$*" in *pip*) ${pip};; *serve*) exec ${process.execPath} ${join(extension, "answering.js")};; esac`;
  return writeProgram(folder, name, [
    "PATH=/usr/bin:/bin",
    'if [ "$3" = venv ]; then',
    `  mkdir -p "$4/bin"; printf '%s\\n' '#!/bin/sh' '${inside}' > "$4/bin/python"; chmod +x "$4/bin/python"; exit 0`,
    "fi",
    `printf '${version}\\n${join(folder, name)}\\n${hasVenv ? "venv" : ""}\\n'`,
  ]);
}

const isFault =
  (kind: string, said = /./) =>
  (problem: unknown) =>
    problem instanceof Fault && problem.kind === kind && said.test(problem.message);

const environments = () => readdir(storage).catch((): string[] => []);

test("one question in three lines, then what was asked for goes on", async () => {
  await python("python3", "3.12.1");
  await server.ask("history", {});
  assert.equal(asked.length, 1);
  const { detail, buttons } = asked[0] ?? { detail: "", buttons: [] };
  assert.equal(detail.split("\n").length, 3);
  assert.ok(detail.includes("3.12.1"));
  assert.equal(buttons.length, 2);
  assert.equal(server.state, "running");
});

test("who declines has nothing installed, and a quiet question asks nobody", async () => {
  await python("python3", "3.12.1");
  answer = undefined;
  await assert.rejects(server.setUp(), isFault("cancelled"));
  await assert.rejects(server.ask("history", {}, { quietly: true }), isFault("notSetUp"));
  assert.deepEqual(await environments(), []);
  assert.equal(asked.length, 1);
});

test("two wishes at once are one question, and what is set up already is not asked about again", async () => {
  await python("python3", "3.12.1");
  await Promise.all([server.setUp(), server.setUp()]);
  await server.setUp();
  assert.equal(asked.length, 1);
});

test("after an update of the extension it is set up again without a question", async () => {
  await python("python3", "3.12.1");
  await server.setUp();
  await writeFile(join(extension, "server", "compact_chat-0.1.0-py3-none-any.whl"), "another wheel");
  assert.equal(await server.isAtHand(), false);
  await server.ask("history", {}, { quietly: true });
  assert.equal(asked.length, 1);
});

test("an update that fails is tried once, and again when a command asks for it", async () => {
  await python("python3", "3.12.1");
  await server.setUp();
  await writeFile(join(extension, "server", "compact_chat-0.1.0-py3-none-any.whl"), "another wheel");
  const tries = join(programs, "tries");
  await python("python3", "3.12.1", true, programs, `echo >> ${tries}; echo HashMismatch; exit 1`);
  for (const _ of [1, 2, 3]) {
    await assert.rejects(server.ask("history", {}, { quietly: true }), isFault("cannotInstall"));
  }
  assert.equal((await readFile(tries, "utf8")).length, 1);
  await python("python3", "3.12.1");
  await server.ask("history", {});
  await server.ask("history", {}, { quietly: true });
});

test("a missing, an old and a crippled Python are told apart", async () => {
  await assert.rejects(server.setUp(), isFault("noPython", /3\.11/));
  await python("python3", "3.9.2");
  await assert.rejects(server.setUp(), isFault("oldPython", /3\.9\.2/));
  await python("python3", "3.11.2", false);
  await assert.rejects(server.setUp(), isFault("cannotInstall", /python3\.11-venv/));
});

test("a chosen Python is asked about like a found one, and a chosen file that is none is told", async () => {
  const chosen = await python("mine", "3.13.0", true, extension);
  window.showOpenDialog = async () => [Uri.file(chosen)];
  await server.setUp(true);
  assert.ok(asked[0]?.detail.includes("3.13.0"));
  window.showOpenDialog = async () => [Uri.file(join(extension, "server"))];
  await assert.rejects(server.setUp(true), isFault("noPython"));
});

test("a failed installation leaves nothing, and a window that closes ends it", async () => {
  await python("python3", "3.12.1", true, programs, "echo HashMismatch; exit 1");
  await assert.rejects(server.setUp(), isFault("cannotInstall"));
  assert.deepEqual(await environments(), []);
  const pid = join(programs, "pid");
  await python("python3", "3.12.1", true, programs, `echo $$ > ${pid}; exec /bin/sleep 60`);
  const ended = assert.rejects(server.setUp(), isFault("cancelled"));
  await until("the installation", async () => (await readFile(pid, "utf8").catch(() => "")).endsWith("\n"));
  server.dispose();
  await ended;
  assert.deepEqual(await environments(), []);
});

test("an environment whose server does not start is made anew", async () => {
  await python("python3", "3.12.1");
  await server.setUp();
  await rm(join(extension, "answering.js"));
  await assert.rejects(server.ask("history", {}), isFault("notSetUp"));
  assert.equal(await server.isAtHand(), false);
});

test("what stopped an installation is told apart", () => {
  const told = (output: string) => installFault(output).message;
  const outputs = ["HashMismatch", "No space left on device", "CERTIFICATE_VERIFY_FAILED", "getaddrinfo failed", "?"];
  assert.equal(new Set(outputs.map(told)).size, outputs.length);
  assert.equal(installFault("ERROR: No matching distribution found for x").kind, "unfitPython");
});
