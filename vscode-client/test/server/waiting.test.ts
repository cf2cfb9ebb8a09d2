/** A server that was missing and is there by now: whoever was refused is told, and nobody is woken for it. */

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, type TestContext, test } from "node:test";
import type { Server } from "../../src/house";
import { createServer } from "../../src/server/server";
import { EventEmitter, extensions, Uri, window, workspace } from "../fakes/vscode";
import { ANSWERING, fakeContext, fakeLog, makeEnvironment, newFolder, until, writeProgram } from "./workshop";

const EVERY_MS = 3000;

let folder: string;
let storage: string;
let server: Server;
let states: string[];
let events: { readonly installed: EventEmitter<void>; readonly window: EventEmitter<{ focused: boolean }> };
let python: { isInstalled: boolean; isActive: boolean; executable: string; readonly changed: EventEmitter<unknown> };

beforeEach(async () => {
  folder = await newFolder();
  storage = join(folder, "storage");
  await mkdir(join(folder, "server"));
  await writeFile(join(folder, "server", "compact_chat-0.1.0-py3-none-any.whl"), "wheel");
  await writeFile(join(folder, "server", "requirements.txt"), "one==1\n");
  workspace.settings.clear();
  workspace.isTrusted = true;
  events = { installed: new EventEmitter(), window: new EventEmitter() };
  extensions.onDidChange = events.installed.event;
  window.onDidChangeWindowState = events.window.event as never;
  python = { isInstalled: true, isActive: true, executable: "/no/python", changed: new EventEmitter() };
  extensions.getExtension = (id: string) =>
    id === "ms-python.python" && python.isInstalled ? { isActive: python.isActive, exports, activate } : undefined;
  server = createServer(fakeContext(storage, folder).context, fakeLog().log);
  states = [];
  server.onState((state) => states.push(state));
});

afterEach(async () => {
  await server.stop();
  server.dispose();
});

const exports = {
  environments: {
    getActiveEnvironmentPath: () => undefined,
    resolveEnvironment: async () => ({ executable: { uri: Uri.file(python.executable) } }),
    onDidChangeActiveEnvironmentPath: (listener: (value: unknown) => unknown) => python.changed.event(listener),
  },
};
const activate = () => assert.fail("it is left asleep");
const asked = () => server.ask("history", {}, { quietly: true });
const refused = () => assert.rejects(asked(), { kind: "notSetUp" });
const told = () => until("another try to be worth it", () => states.includes("stopped"));

/** Writes a Python that has the server. */
const withServer = () =>
  writeProgram(folder, "active", [
    `case "$*" in *serve*) exec node -e '${ANSWERING}';; esac`,
    `printf '3.12.0\\n${folder}/active\\nTrue\\n0.1.0\\n'`,
  ]);

/** Does what another window does that sets the server up. */
const setUpElsewhere = () => makeEnvironment(storage, join(folder, "server"));

/** Lets the time pass after which is looked whether an extension awoke. */
function clock(t: TestContext): () => void {
  t.mock.timers.enable({ apis: ["setInterval"] });
  return () => t.mock.timers.tick(EVERY_MS);
}

test("a Python extension that awakes later is asked, and is not woken before", async (t) => {
  const pass = clock(t);
  Object.assign(python, { isActive: false, executable: await withServer() });
  await refused();
  pass();
  assert.deepEqual(states, []);
  python.isActive = true;
  pass();
  await told();
  await asked();
  assert.equal(server.state, "running");
});

test("one that was too slow for the question is heard once it has its answer", async (t) => {
  const executable = await withServer();
  let answer: (environment: unknown) => void = () => undefined;
  const answered = new Promise((resolve) => {
    answer = resolve;
  });
  const environments = { ...exports.environments, resolveEnvironment: () => answered };
  extensions.getExtension = (id: string) =>
    id === "ms-python.python" ? { isActive: true, exports: { environments } } : undefined;
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const first = refused();
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(3000);
  await first;
  t.mock.timers.reset();
  answer({ executable: { uri: Uri.file(executable) } });
  await told();
});

test("one that is installed later is asked at once", async () => {
  Object.assign(python, { isInstalled: false, executable: await withServer() });
  await refused();
  python.isInstalled = true;
  events.installed.fire();
  await told();
});

test("another active environment is looked at, and only one that has the server is told", async () => {
  await refused();
  python.changed.fire({});
  python.executable = await withServer();
  python.changed.fire({});
  await told();
  assert.deepEqual(states, ["stopped"]);
});

test("what another window has set up is there when this one comes to the front", async () => {
  await refused();
  events.window.fire({ focused: true });
  await setUpElsewhere();
  events.window.fire({ focused: false });
  assert.deepEqual(states, []);
  events.window.fire({ focused: true });
  await told();
  await asked();
  assert.equal(server.state, "running");
});

test("a server that runs is left alone, whatever moves", async (t) => {
  const pass = clock(t);
  await refused();
  await setUpElsewhere();
  await asked();
  states.length = 0;
  python.executable = await withServer();
  python.changed.fire({});
  events.window.fire({ focused: true });
  events.installed.fire();
  pass();
  await asked();
  assert.deepEqual(states, []);
});

test("a window that closes looks for nothing more", async (t) => {
  const pass = clock(t);
  await refused();
  await setUpElsewhere();
  server.dispose();
  await until("the end", () => states.includes("stopped"));
  states.length = 0;
  events.window.fire({ focused: true });
  events.installed.fire();
  pass();
  await assert.rejects(asked(), { kind: "cancelled" });
  assert.deepEqual(states, []);
});

test("an extension that tells of no changes, or fails to, hinders nothing", async () => {
  for (const environments of [undefined, {}]) {
    extensions.getExtension = () => ({ isActive: true, exports: { environments } });
    await refused();
  }
  await setUpElsewhere();
  events.window.fire({ focused: true });
  await told();
});
