/** An active Python that does not start the server, which nobody chose for it. */

import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { Fault } from "../../src/faults";
import type { Server } from "../../src/house";
import { createServer } from "../../src/server/server";
import { extensions, window, workspace } from "../fakes/vscode";
import { fakeContext, fakeLog, makeEnvironment, newFolder, OTHER, writeProgram } from "./workshop";

let folder: string;
let storage: string;
let lines: string[];
let server: Server;

beforeEach(async () => {
  folder = await newFolder();
  storage = join(folder, "storage");
  workspace.settings.clear();
  workspace.isTrusted = true;
  await mkdir(join(folder, "server"));
  await writeFile(join(folder, "server", "compact_chat-0.1.0-py3-none-any.whl"), "wheel");
  await writeFile(join(folder, "server", "requirements.txt"), "one==1\n");
  const made = fakeLog();
  lines = made.lines;
  server = createServer(fakeContext(storage, folder).context, made.log);
});

afterEach(async () => {
  await server.stop();
  server.dispose();
});

/** Makes a Python active that says it has the server; gives the file in which it notes each start of one. */
async function activate(serve: string): Promise<string> {
  const notes = join(folder, "notes");
  const executable = await writeProgram(folder, "active", [
    `case "$*" in *serve*) echo started >> '${notes}'; ${serve};; esac`,
    `printf '3.12.0\\n${folder}/active\\nTrue\\n0.1.0\\n'`,
  ]);
  const getEnvironment = async () => ({ execInfo: { run: { executable } } });
  extensions.getExtension = (id: string) =>
    id === "ms-python.vscode-python-envs" ? { isActive: true, exports: { getEnvironment } } : undefined;
  return notes;
}

for (const [what, serve] of [
  ["does not start the server", "exit 1"],
  ["starts another server", `exec node -e '${OTHER}'`],
] as const) {
  test(`where the active Python ${what}, our own environment does, and it is not tried again`, async () => {
    const notes = await activate(serve);
    await makeEnvironment(storage, join(folder, "server"));
    await Promise.all([server.ask("history", {}), server.ask("history", {}, { quietly: true })]);
    assert.equal(server.state, "running");
    await server.restart();
    assert.equal(await readFile(notes, "utf8"), "started\n");
    assert.match(lines.join("\n"), /not started: .*active -P -m.*started: .*server-\w+\/bin\/python -I/s);
  });
}

test("without an environment of our own that is said without a word of settings, and a person is asked to set one up", async () => {
  await activate("exit 1");
  const isTold = (problem: unknown) =>
    problem instanceof Fault && problem.kind === "notSetUp" && /active Python environment/.test(problem.message);
  await assert.rejects(server.ask("history", {}, { quietly: true }), isTold);
  assert.equal(server.state, "stopped");
  const asked: unknown[] = [];
  window.showInformationMessage = async (question: unknown) => void asked.push(question);
  await assert.rejects(server.ask("history", {}), { kind: "cancelled" });
  assert.deepEqual(asked, ["Set up the server of Compact Chat?"]);
});
