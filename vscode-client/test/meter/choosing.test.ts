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

test("a command is about the chat in use", async () => {
  const { chats } = await staged((window) => window.chat());
  await inUse(chats, "Fix the parser");
  assert.equal((await chats.wanted())?.title, "Fix the parser");
});

test("the newest chats are offered first", async () => {
  const session = (name: string, updatedAt: string, title: string | null) => ({
    uri: `file:///chats/${name}`,
    tool: "codex",
    format: "codex",
    title,
    updatedAt,
    bytes: 1_240_000,
  });
  const { chats } = await staged(async (_, server) => {
    const sessions = [session("new", "2026-11-18T12:00:00Z", null), session("old", "2026-11-17T12:00:00Z", "Old")];
    server.answers.sessions = () => ({ sessions, complete: true });
  });
  const told = choosing("Untitled");
  const chosen = await chats.choose("Choose a chat");
  assert.deepEqual(told.rows.map(({ label }) => label).slice(0, 2), ["Untitled chat", "Old"]);
  assert.match(told.rows[1]?.description ?? "", /^Codex · .+ · 1\.2 MB$/);
  assert.deepEqual([chosen?.uri, chosen?.title], ["file:///chats/new", null]);
});

test("chats of all open folders, and the editor's own, are listed in one question", async () => {
  const { window: made, server, chats } = await staged();
  made.open(`${made.home}/a`, `${made.home}/b`);
  await chats.sessions();
  const own = chats.ownFolder?.toString();
  const folders = ["a", "b"].map((name) => `file://${made.home}/${name}`);
  assert.deepEqual(server.askedFor("sessions"), [
    { workspace: folders[0], workspaces: [folders[1]], filesIn: [own], limit: 100 },
  ]);
});

test("without a folder on a disk nothing is listed, rather than all chats of the machine", async () => {
  const { server, chats } = await staged();
  workspace.workspaceFolders = undefined;
  Object.assign(chats, { ownFolder: undefined });
  assert.deepEqual([await chats.sessions(), server.askedFor("sessions")], [[], []]);
});

test("before it is known which chat is in use, a command is about the newest, without a question", async () => {
  const { server, chats } = await staged(async (window, server) => {
    await window.chat();
    const newest = { uri: "file:///b", tool: "codex", format: "codex", title: "Newest", updatedAt: "2026", bytes: 1 };
    server.answers.watch = () => new Promise(() => undefined);
    server.answers.sessions = () => ({ sessions: [newest], complete: true });
  });
  await until(() => server.askedFor("watch").length > 0);
  window.showQuickPick = async () => assert.fail("nothing is to be chosen");
  assert.equal((await chats.wanted())?.title, "Newest");
});

test("where the meter is hidden a command is about the newest chat, without a question", async () => {
  const { server, chats } = await staged(async (window, server) => {
    await window.chat();
    window.configure("compactChat.meter.show", false);
    const session = { tool: "codex", format: "codex", bytes: 1 };
    const older = { ...session, uri: "file:///a.jsonl", title: "Older", updatedAt: "2026-11-01T00:00:00Z" };
    const newer = { ...session, uri: "file:///b.jsonl", title: "Newer", updatedAt: "2026-11-02T00:00:00Z" };
    server.answers.sessions = () => ({ sessions: [newer, older], complete: true });
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
