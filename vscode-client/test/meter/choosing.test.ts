/** The chat that a person chooses: to be measured from then on, or for one command. */

import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import { afterEach, test } from "node:test";
import { Fault } from "../../src/faults";
import { Uri, window, workspace } from "../fakes/vscode";
import { until } from "./made";
import { chatsIn, choosing, cleared, inUse, staged } from "./stage";

afterEach(cleared);

test("a picked chat is measured alone, also in the next window, until the newest is wanted again", async () => {
  const { window, server, chats, found } = await staged(async (window, server) => {
    const file = await window.chat("picked");
    server.answers.sessions = () => ({
      sessions: [
        {
          uri: `file://${file}`,
          tool: "vscode",
          format: "vscode-log",
          title: "Picked",
          updatedAt: "2026-11-18T12:00:00Z",
          bytes: 1240,
        },
      ],
      complete: true,
    });
  });
  await inUse(chats, "Fix the parser");
  assert.equal(chats.isPicked, false);
  found.title = "Picked";
  const first = choosing("Picked");
  await chats.pick();
  await inUse(chats, "Picked");
  assert.equal(chats.isPicked, true);
  assert.deepEqual(
    first.rows.map(({ label }) => label),
    ["Picked", "", "$(folder-opened) Open Chat File…"],
  );
  assert.deepEqual(server.askedFor("watch").at(-1), {
    chat: { uri: `file://${window.home}/User/workspaceStorage/5a2c/chatSessions/picked.jsonl` },
  });
  const next = chatsIn(window, server);
  await inUse(next, "Picked");
  found.title = "Newest";
  const second = choosing("$(history)");
  await chats.pick();
  await inUse(chats, "Newest");
  assert.equal(second.rows[0]?.label, "$(history) Most Recently Active");
  assert.equal(window.remembered.get("meter.picked"), undefined);
});

test("a picked chat whose file is gone is given up for the newest", async () => {
  const { window, server, chats } = await staged(async (window) => {
    const file = await window.chat("picked");
    await window.chat("newest");
    window.remembered.set("meter.picked", { uri: `file://${file}`, tool: "vscode", title: "Picked" });
    await rm(file);
  });
  await inUse(chats, "Fix the parser");
  assert.equal(window.remembered.get("meter.picked"), undefined);
  assert.equal(
    server.askedFor("watch").some(({ chat }) => chat !== undefined),
    false,
  );
});

test("a command is about the chat in use, which it waits for where that is just being looked for", async () => {
  const { chats } = await staged((window) => window.chat());
  assert.equal((await chats.wanted())?.title, "Fix the parser");
});

test("where no chat is in use a command lets the user choose, the newest first and each once", async () => {
  const session = (name: string, updatedAt: string, title: string | null) => ({
    uri: `file:///chats/${name}`,
    tool: "codex",
    format: "codex",
    title,
    updatedAt,
    bytes: 1_240_000,
  });
  const { chats } = await staged(async (_, server) => {
    server.answers.sessions = ({ roots }) => ({
      sessions: [
        session("old", "2026-11-17T12:00:00Z", "Old"),
        ...(roots ? [session("new", "2026-11-18T12:00:00Z", null)] : []),
      ],
      complete: true,
    });
  });
  const told = choosing("Untitled");
  const chosen = await chats.wanted();
  assert.deepEqual(told.rows.map(({ label }) => label).slice(0, 2), ["Untitled chat", "Old"]);
  assert.match(told.rows[1]?.description ?? "", /^Codex · .+ · 1\.2 MB$/);
  assert.deepEqual([chosen?.uri, chosen?.title], ["file:///chats/new", null]);
});

test("a chat that two folders lead to is listed once, also where they write the letter of its drive in two ways", async () => {
  const { window: made, server, chats } = await staged();
  const session = { tool: "codex", format: "codex", title: "In both", updatedAt: "2026-11-01", bytes: 1 };
  const drive = (workspace: unknown) => (String(workspace).endsWith("/a") ? "C:" : "c%3A");
  server.answers.sessions = ({ workspace }) => ({
    sessions: [{ ...session, uri: `file:///${drive(workspace)}/one.jsonl` }],
    complete: true,
  });
  made.open(`${made.home}/a`, `${made.home}/b`);
  const told = choosing("In both");
  await chats.choose("Choose");
  assert.equal(told.rows.filter(({ label }) => label === "In both").length, 1);
});

test("chats whose paths differ only in capitals are one chat on Windows and macOS, and two elsewhere", async (context) => {
  const { platform: own } = process;
  context.after(() => Object.defineProperty(process, "platform", { value: own }));
  const { server, chats } = await staged();
  const session = { tool: "codex", format: "codex", title: "A", updatedAt: "2026-11-01", bytes: 1 };
  const sessions = ["one", "ONE"].map((name) => ({ ...session, uri: `file:///chats/${name}.jsonl` }));
  server.answers.sessions = () => ({ sessions, complete: true });
  for (const [name, number] of [["linux", 2] as const, ["win32", 1] as const, ["darwin", 1] as const]) {
    Object.defineProperty(process, "platform", { value: name });
    assert.equal((await chats.sessions()).length, number, name);
  }
});

test("a folder whose chats cannot be listed is left out, with its reason in the log; where none can be, that is said", async () => {
  const { window: made, server, chats, lines } = await staged();
  const session = { uri: "file:///a.jsonl", tool: "codex", title: "In a", updatedAt: "2026-11-01", bytes: 1 };
  const isRefused = new Set(["/b"]);
  server.answers.sessions = ({ workspace, roots }) => {
    if (roots || isRefused.has(String(workspace).slice(-2))) {
      throw new Fault("invalidParams", "Not here.");
    }
    return { sessions: [session], complete: true };
  };
  made.open(`${made.home}/a`, `${made.home}/b`);
  assert.deepEqual(await chats.sessions(), [session]);
  assert.deepEqual(
    lines.map((line) => [line.includes("/b"), line.includes("Not here.")]),
    [
      [true, true],
      [false, true],
    ],
  );
  isRefused.add("/a");
  await assert.rejects(chats.sessions(), { kind: "invalidParams" });
});

test("where a busy machine does not tell in time which chat is in use, a command is about the newest, without a question", async (context) => {
  const { server, chats } = await staged(async (window, server) => {
    await window.chat();
    const newest = { uri: "file:///b", tool: "codex", format: "codex", title: "Newest", updatedAt: "2026", bytes: 1 };
    server.answers.watch = () => new Promise(() => undefined);
    server.answers.sessions = () => ({ sessions: [newest], complete: true });
  });
  await until(() => server.askedFor("watch").length > 0);
  window.showQuickPick = async () => assert.fail("nothing is to be chosen");
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const wanted = chats.wanted();
  while (server.askedFor("sessions").length === 0) {
    await new Promise(setImmediate);
    context.mock.timers.tick(1000);
  }
  assert.equal((await wanted)?.title, "Newest");
});

test("where the meter is hidden a command is about the newest chat, without a question", async () => {
  const { server, chats } = await staged(async (window, server) => {
    await window.chat();
    window.configure("compactChat.meter.show", false);
    const session = { tool: "codex", format: "codex", bytes: 1 };
    const older = { ...session, uri: "file:///a.jsonl", title: "Older", updatedAt: "2026-11-01T00:00:00Z" };
    const newer = { ...session, uri: "file:///b.jsonl", title: "Newer", updatedAt: "2026-11-02T00:00:00Z" };
    server.answers.sessions = ({ workspace }: { workspace?: string }) => ({
      sessions: [workspace ? older : newer],
      complete: true,
    });
  });
  window.showQuickPick = async () => assert.fail("nothing is to be chosen");
  assert.equal((await chats.wanted())?.title, "Newer");
  assert.deepEqual(server.askedFor("watch"), []);
});

test("where the meter is hidden nobody sees what was picked once, so that it does not count, and none is picked", async () => {
  const { window: made, chats } = await staged(async (window, server) => {
    const file = await window.chat();
    window.configure("compactChat.meter.show", false);
    window.remembered.set("meter.picked", { uri: `file://${file}`, tool: "vscode", title: "Picked" });
    const newest = { uri: "file:///b", tool: "codex", format: "codex", title: "Newest", updatedAt: "2026", bytes: 1 };
    server.answers.sessions = () => ({ sessions: [newest], complete: true });
  });
  assert.deepEqual([(await chats.wanted())?.title, chats.isPicked], ["Newest", false]);
  await assert.rejects(chats.pick(), (problem) => problem instanceof Fault && problem.kind === "meterHidden");
  made.configure("compactChat.meter.show", true);
  assert.equal(chats.isPicked, true);
});

test("where there is no chat at all that is said, with a way to open a file", async () => {
  const { chats } = await staged();
  const said: unknown[] = [];
  window.showInformationMessage = async (...given: unknown[]) => said.push(...given) && given[1];
  window.showOpenDialog = async () => [Uri.file("/chats/mine.json")];
  const chosen = await chats.wanted();
  assert.deepEqual(said, ["There is no chat here yet.", "Open Chat File…", "Open Example"]);
  assert.deepEqual([chosen?.uri, chosen?.title], ["file:///chats/mine.json", "mine.json"]);
});

test("a command in a window whose server is not set up has it set up first", async () => {
  const { server, chats } = await staged(async (window, server) => {
    const watch = server.answers.watch;
    server.answers.watch = () => {
      server.answers.watch = watch ?? (() => ({}));
      throw new Fault("notSetUp", "The server is not set up yet.");
    };
    await window.chat();
  });
  await until(() => chats.trouble !== undefined);
  assert.equal((await chats.wanted())?.title, "Fix the parser");
  assert.deepEqual(server.done.includes("setUp"), true);
});

test("the meter is not led to a file on a network share, which it could not follow", async () => {
  const { window: made, chats } = await staged((window) => window.chat());
  window.showOpenDialog = async () => [Uri.parse("file://server/share/mine.jsonl")];
  Object.assign(workspace.fs, { readFile: async () => new TextEncoder().encode("User: hello") });
  window.showInformationMessage = async (...given: unknown[]) => given[1];
  await assert.rejects(chats.pick(), (problem) => problem instanceof Fault && problem.kind === "noFile");
  assert.equal(made.remembered.has("meter.picked"), false);
});

test("a file that is on no disk of this machine is read for a command, and not dropped in silence by the meter", async () => {
  const { window: made, chats } = await staged((window) => window.chat());
  Object.assign(workspace.fs, { readFile: async () => new TextEncoder().encode("User: hello") });
  window.showInformationMessage = async (...given: unknown[]) => given[1];
  for (const address of ["file://server/share/mine.jsonl", "vscode-local:/chats/mine.jsonl"]) {
    window.showOpenDialog = async () => [Uri.parse(address)];
    const chosen = await chats.choose("Choose");
    assert.deepEqual([chosen?.text, chosen?.title], ["User: hello", "mine.jsonl"]);
  }
  made.remembered.set("meter.picked", { uri: "file:///before.jsonl", tool: "codex", title: "Before" });
  choosing("$(folder-opened)");
  await assert.rejects(chats.pick(), (problem) => problem instanceof Fault && problem.kind === "noFile");
  assert.equal(made.remembered.has("meter.picked"), true);
});
