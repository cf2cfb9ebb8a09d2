/** What becomes of the server when the extension is updated: no question where nothing is to be fetched. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type { Server } from "../../src/house";
import { createServer } from "../../src/server/server";
import { window, workspace } from "../fakes/vscode";
import { fakeContext, fakeLog, newFolder, writeProgram } from "./workshop";

const PATH = process.env.PATH;

let folder: string;
let storage: string;
let servers: Server[];
let asked: { readonly question: string; readonly detail: string; readonly buttons: string[] }[];

beforeEach(async () => {
  [folder, servers, asked] = [await newFolder(), [], []];
  storage = join(folder, "storage");
  process.env.PATH = folder;
  workspace.settings.clear();
  workspace.isTrusted = true;
  await writeProgram(folder, "python3", [
    "PATH=/usr/bin:/bin",
    'if [ "$3" = venv ]; then',
    `  mkdir -p "$4/bin"; printf '#!/bin/sh\\nexec /usr/bin/test ! -e ${folder}/broken\\n' > "$4/bin/python"`,
    '  chmod +x "$4/bin/python"; exit 0',
    "fi",
    "printf '3.12.1\\n/python3\\nTrue\\n'",
  ]);
  window.showInformationMessage = async (...given: unknown[]) => {
    const [question, { detail }, ...buttons] = given as [string, { detail: string }, ...string[]];
    asked.push({ question, detail, buttons });
    return buttons[0];
  };
});

afterEach(async () => {
  process.env.PATH = PATH;
  await Promise.all(servers.map((server) => server.stop().then(() => server.dispose())));
});

/** Makes the server of an extension of some version. */
async function version(wheel: string, requirements = "one==1\n"): Promise<Server> {
  const extension = await newFolder();
  await mkdir(join(extension, "server"));
  await writeFile(join(extension, "server", "compact_chat-0.1.0-py3-none-any.whl"), wheel);
  await writeFile(join(extension, "server", "requirements.txt"), requirements);
  const server = createServer(fakeContext(storage, extension).context, fakeLog().log);
  servers.push(server);
  return server;
}

/** The environments that count as whole. */
async function marked(): Promise<string[]> {
  const names = await readdir(storage);
  return names.filter((name) => existsSync(join(storage, name, "complete"))).sort();
}

test("a new server that needs the same libraries is at hand without a question, and the one before stays", async () => {
  await (await version("first")).setUp();
  const before = await marked();
  const server = await version("second");
  assert.equal(await server.isAtHand(), true);
  await server.setUp();
  assert.equal(asked.length, 1, "only the first time");
  const after = await marked();
  assert.equal(after.length, 2);
  assert.ok(before.every((name) => after.includes(name)));
});

test("however many want it, it is updated once", async () => {
  await (await version("first")).setUp();
  const server = await version("second");
  await Promise.all([server.isAtHand(), server.isAtHand(), server.setUp()]);
  assert.equal((await readdir(storage)).length, 2);
});

test("a new server that needs other libraries is asked for as an update", async () => {
  await (await version("first")).setUp();
  const server = await version("second", "two==2\n");
  await assert.rejects(server.ask("history", {}, { quietly: true }), /needs an update/);
  assert.equal(await server.isAtHand(), false);
  await server.setUp();
  const [, { question, detail, buttons } = { question: "", detail: "", buttons: [] }] = asked;
  assert.equal(question, "Update the server of Compact Chat?");
  assert.match(detail, /comes with a new server\. .*fetched/);
  assert.deepEqual(buttons, ["Update", "Choose Python…"]);
  assert.equal(await server.isAtHand(), true);
});

test("where the update fails, it is asked for like the first time, and not tried again by itself", async () => {
  await (await version("first")).setUp();
  await writeFile(join(folder, "broken"), "");
  const server = await version("second");
  for (const _ of [1, 2]) {
    await assert.rejects(server.ask("history", {}, { quietly: true }), { kind: "notSetUp" });
  }
  assert.equal((await readdir(storage)).length, 1, "nothing half-made is left");
  await assert.rejects(server.setUp(), { kind: "unexplained" });
  assert.equal(asked[1]?.question, "Update the server of Compact Chat?");
});

test("where the environment used last cannot be copied, one before it is", async () => {
  await (await version("first")).setUp();
  const [before = ""] = await marked();
  await (await version("second")).isAtHand();
  const [newest = ""] = (await marked()).filter((name) => name !== before);
  await writeFile(join(storage, newest, "bin", "python"), "#!/bin/sh\nexit 1\n");
  const server = await version("third");
  assert.equal(await server.isAtHand(), true);
  assert.ok((await marked()).includes(before));
  assert.equal(asked.length, 1);
});

test("in a folder that is not trusted nothing is updated", async () => {
  await (await version("first")).setUp();
  workspace.isTrusted = false;
  const server = await version("second");
  assert.equal(await server.isAtHand(), false);
  assert.equal((await marked()).length, 1);
});
