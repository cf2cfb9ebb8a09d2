/** The server of a window with real processes: the real one where there is a Python that has it, and such as die or are none. */

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import { pathToFileURL } from "node:url";
import { Fault } from "../../src/faults";
import { Server } from "../../src/server/server";
import { LanguageModelTextPart, lm, workspace } from "../fakes/vscode";
import {
  ANSWERING,
  DYING,
  type FakeContext,
  fakeContext,
  fakeLog,
  newFolder,
  OTHER,
  until,
  writeProgram,
} from "./workshop";

const python = process.env.COMPACT_CHAT_PYTHON ?? resolve("../.venv/bin/python");
const real = {
  skip: existsSync(python) ? false : `there is no ${python}: COMPACT_CHAT_PYTHON names a Python with the server`,
};
const chat = { messages: [{ role: "user", content: "How are you?" }] };

let folder: string;
let fakes: FakeContext;
let lines: string[];
let server: Server;

beforeEach(async () => {
  folder = await newFolder();
  process.env.XDG_STATE_HOME = folder;
  fakes = fakeContext(folder);
  const made = fakeLog();
  lines = made.lines;
  workspace.settings.clear();
  workspace.isTrusted = true;
  server = new Server(fakes.context, made.log);
});

afterEach(async () => {
  await server.stop();
  server.dispose();
  await rm(folder, { recursive: true, force: true });
});

const isFault = (kind: string) => (problem: unknown) => problem instanceof Fault && problem.kind === kind;
const useReal = () => workspace.change("compactChat.interpreter", [python]);
const usePath = (path: string) => workspace.change("compactChat.server.path", path);

test("the first question starts the server, and it answers", real, async () => {
  useReal();
  const states: string[] = [];
  server.onState((state) => states.push(state));
  const report = await server.ask("countTokens", { chat });
  assert.ok(report.used > 0);
  assert.deepEqual(states.slice(-2), ["starting", "running"]);
});

test("two questions at once start one server", real, async () => {
  useReal();
  const states: string[] = [];
  server.onState((state) => states.push(state));
  await Promise.all([server.ask("countTokens", { chat }), server.ask("countTokens", { chat })]);
  assert.equal(states.filter((state) => state === "starting").length, 1);
});

test("an error of the server becomes a fault with its kind and its sentence", real, async () => {
  useReal();
  await assert.rejects(server.ask("countTokens", { chat: { uri: "file:///nowhere/at/all.jsonl" } }), (problem) => {
    assert.ok(problem instanceof Fault);
    assert.equal(problem.kind, "chatNotFound");
    return true;
  });
});

test("a question that was stopped before it was sent is cancelled", real, async () => {
  useReal();
  const signal = AbortSignal.abort();
  await assert.rejects(server.ask("countTokens", { chat }, { signal }), isFault("cancelled"));
});

const bakery = { uri: pathToFileURL(resolve("../examples/bakery.jsonl")).href };
const brief = { chat: bakery, options: { style: "brief" as const }, provider: "editor" as const, userInitiated: true };

/** A model of the editor's that writes these pieces, each when it is wanted. */
function offer(write: () => AsyncIterable<string>): void {
  const sendRequest = async () => ({ stream: parts() });
  async function* parts() {
    for await (const text of write()) {
      yield new LanguageModelTextPart(text);
    }
  }
  lm.models = [{ id: "one", name: "One", vendor: "test", maxInputTokens: 100_000, sendRequest }];
}

test("a summary by the editor's model is heard while it is written, and comes whole", real, async () => {
  useReal();
  offer(async function* () {
    yield "<summary>\nThe bakery wants ";
    yield "a new oven.\n</summary>";
  });
  const heard: string[] = [];
  const made = await server.ask("summarize", brief, { text: (text) => void heard.push(text) });
  assert.deepEqual([made.provider, made.model], ["editor", "one"]);
  assert.match(made.summary, /The bakery wants a new oven\./);
  assert.match(heard.join(""), /The bakery wants a new oven\./);
});

test("a question that is stopped while the model writes is cancelled, and the model stopped", real, async () => {
  useReal();
  const stopping = new AbortController();
  let isEnded = false;
  offer(async function* () {
    try {
      for (;;) {
        yield "More and more. ";
        await new Promise((resolve) => setImmediate(resolve));
      }
    } finally {
      isEnded = true;
    }
  });
  const asking = { signal: stopping.signal, text: () => stopping.abort() };
  await assert.rejects(server.ask("summarize", brief, asking), isFault("cancelled"));
  await until("the model to be stopped", () => isEnded);
});

test("a provider that is not there is told with what was tried", real, async () => {
  useReal();
  lm.models = [];
  await assert.rejects(server.ask("summarize", brief), (problem) => {
    assert.ok(isFault("providerFailed")(problem));
    assert.ok(Array.isArray((problem as Fault).data.attempts));
    return true;
  });
});

test("nothing that is said in a chat comes into the log, not even where messages are traced", real, async () => {
  useReal();
  workspace.change("compactChat.trace.server", "messages");
  await server.ask("countTokens", { chat });
  await server.stop();
  const log = lines.join("\n");
  assert.match(log, /compactChat\/countTokens/);
  assert.doesNotMatch(log, /How are you/);
});

test("the server takes over settings that are the server's, at the start and when they change", real, async () => {
  useReal();
  workspace.change("compactChat.windows", { "my-model": 1234 });
  const asked = { chat, model: "my-model" };
  assert.equal((await server.ask("countTokens", asked)).window, 1234);
  workspace.change("compactChat.windows", { "my-model": 4321 });
  await until("the new window", async () => (await server.ask("countTokens", asked)).window === 4321);
});

test("a set-up that finds all in place leaves a running server alone", real, async () => {
  useReal();
  await server.ask("countTokens", { chat });
  await server.setUp();
  assert.equal(server.state, "running");
});

test("another program in the settings ends the running server", real, async () => {
  useReal();
  await server.ask("countTokens", { chat });
  usePath("/somewhere/else");
  await until("the end of the server", () => server.state === "stopped");
});

test("after a crash the next question starts it again, until it has died three times", async () => {
  usePath(await writeProgram(folder, "dying", [`exec node -e '${DYING}'`]));
  for (const _ of [1, 2]) {
    await assert.rejects(server.ask("history", {}), isFault("serverFailed"));
    await until("the crash to be noted", () => server.state === "stopped");
  }
  await assert.rejects(server.ask("history", {}), isFault("serverFailed"));
  await until("the last crash to be noted", () => server.state === "failed");
  const states: string[] = [];
  server.onState((state) => states.push(state));
  await assert.rejects(server.ask("history", {}), isFault("serverFailed"));
  assert.deepEqual(states, [], "it is not started again by a question");
});

test("a restart starts a server that had died too often", async () => {
  usePath(await writeProgram(folder, "dying", [`exec node -e '${DYING}'`]));
  for (const state of ["stopped", "stopped", "failed"]) {
    await assert.rejects(server.ask("history", {}));
    await until(`the state ${state}`, () => server.state === state);
  }
  await server.restart();
  assert.equal(server.state, "running");
});

for (const program of ["/nowhere/compact-chat", "no-such-compact-chat", resolve(".")]) {
  test(`${program}, which is no program, is named, with the kind that leads to the settings`, async () => {
    usePath(program);
    await assert.rejects(server.ask("history", {}), (problem) => {
      assert.ok(isFault("wrongServer")(problem));
      assert.ok(String(problem).includes(program));
      return true;
    });
    assert.equal(server.state, "failed");
  });
}

test("a server of another kind is ended and named", async () => {
  usePath(await writeProgram(folder, "other", [`exec node -e '${OTHER}'`]));
  await assert.rejects(server.ask("history", {}), isFault("wrongServer"));
});

test("an interpreter that does not start the server is named", async () => {
  const bare = await writeProgram(folder, "bare", ["exit 1"]);
  workspace.change("compactChat.interpreter", [bare]);
  await assert.rejects(
    server.ask("history", {}),
    (problem: Fault) => problem.message.includes(bare) && isFault("wrongServer")(problem),
  );
});

test("blank settings name no program", async () => {
  usePath("  ");
  workspace.change("compactChat.interpreter", [" ", null]);
  assert.equal(await server.isAtHand(), false);
});

test("a program in the home folder is found whatever that is called", async () => {
  const home = process.env.HOME;
  process.env.HOME = "/nowhere/$&";
  usePath("~/compact-chat");
  await assert.rejects(server.ask("history", {}), /"\/nowhere\/\$&\/compact-chat"/);
  process.env.HOME = home;
});

test("the program that came with the extension is taken before all others but those of the settings", async () => {
  await mkdir(join(folder, "server", "compact-chat"), { recursive: true });
  await writeProgram(join(folder, "server", "compact-chat"), "compact-chat", [`exec node -e '${ANSWERING}'`]);
  assert.equal(await server.isAtHand(), true);
  await server.ask("history", {});
  usePath("/nowhere");
  await until("the end of the bundled one", () => server.state === "stopped");
  await assert.rejects(server.ask("history", {}), isFault("wrongServer"));
});

test("in a folder that is not trusted no process is started", async () => {
  const file = `${folder}/started`;
  usePath(await writeProgram(folder, "telling", [`touch '${file}'`]));
  workspace.isTrusted = false;
  await assert.rejects(server.ask("history", {}), isFault("notTrusted"));
  await assert.rejects(server.setUp(), isFault("notTrusted"));
  assert.equal(await server.isAtHand(), false);
  await assert.rejects(rm(file), /ENOENT/);
});

test("a quiet question without a server says that it is not set up, and asks nobody", async () => {
  assert.equal(await server.isAtHand(), false);
  await assert.rejects(server.ask("history", {}, { quietly: true }), isFault("notSetUp"));
  assert.equal(server.state, "stopped");
});

test("a window that closes starts nothing more, whatever is asked of its server", async () => {
  const file = `${folder}/started`;
  usePath(await writeProgram(folder, "telling", [`touch '${file}'`]));
  const before = server.ask("history", {});
  server.dispose();
  await assert.rejects(before, isFault("cancelled"));
  await assert.rejects(server.ask("history", {}, { quietly: true }), isFault("cancelled"));
  await assert.rejects(server.restart(), isFault("cancelled"));
  await assert.rejects(rm(file), /ENOENT/);
});
