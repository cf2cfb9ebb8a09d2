/** The chat in use of a window: watched, renewed, picked, left alone. */

import assert from "node:assert/strict";
import { rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { Fault } from "../../src/faults";
import type { Chats } from "../../src/house";
import { createChats } from "../../src/meter/chats";
import { Uri, window, workspace } from "../fakes/vscode";
import { closeWindows, newWindow, type Window, written } from "./editor";
import { FakeServer, reportOf, settled, until } from "./made";

const open: Chats[] = [];

afterEach(async () => {
  for (const one of open.splice(0)) one.dispose();
  await closeWindows();
});

interface Stage {
  readonly window: Window;
  readonly server: FakeServer;
  readonly chats: Chats;
  /** The chat that the server would find in use. */
  readonly found: { uri: string; tool: string; title: string | null };
}

interface Row {
  readonly label: string;
  readonly description?: string;
  readonly choice: () => Promise<unknown>;
}

async function staged(
  prepare: (window: Window, server: FakeServer) => Promise<unknown> = async () => {},
): Promise<Stage> {
  const made = await newWindow();
  const server = new FakeServer();
  const found = { uri: "file:///chats/one.jsonl", tool: "vscode", title: "Fix the parser" };
  let watches = 0;
  server.answers.watch = () => ({ watchId: `w${++watches}`, uri: found.uri, report: reportOf(found) });
  server.answers.unwatch = () => ({});
  server.answers.sessions = () => ({ sessions: [], complete: true });
  await prepare(made, server);
  const chats = createChats(made.context, server.real);
  open.push(chats);
  return { window: made, server, chats, found };
}

/** Says what the list showed, and chooses the row that begins so. */
function choosing(label: string): { rows: Row[] } {
  const told: { rows: Row[] } = { rows: [] };
  window.showQuickPick = async (...given: unknown[]) => {
    told.rows = given[0] as Row[];
    return told.rows.find((row) => row.label.startsWith(label));
  };
  return told;
}

async function inUse(chats: Chats, title: string): Promise<void> {
  await until(() => chats.inUse?.title === title, `${title} never came into use`);
}

test("nothing is looked at before the window goes on", async () => {
  const { server, chats } = await staged((window) => window.chat());
  assert.deepEqual([server.asked, chats.inUse], [[], undefined]);
});

test("a window with a chat of the editor's own watches its folder and the editor's own chats", async () => {
  const { window, server, chats } = await staged((window) => window.chat());
  await inUse(chats, "Fix the parser");
  const own = `file://${window.home}/User/workspaceStorage/5a2c/chatSessions`;
  assert.deepEqual(server.askedFor("watch"), [{ workspace: `file://${window.home}/project`, roots: [own] }]);
  assert.equal(chats.ownFolder?.toString(), own);
  assert.equal(
    server.asked.every(({ quietly }) => quietly),
    true,
  );
});

test("a window without a chat asks nothing, until the first one is written", async () => {
  const { window, server, chats } = await staged();
  await chats.wanted();
  assert.deepEqual(server.askedFor("watch"), []);
  await window.chat();
  chats.lookAgain();
  await inUse(chats, "Fix the parser");
});

test("an empty window watches only the editor's own chats", async () => {
  const { window, server, chats } = await staged(async (window) => {
    Object.assign(window.context, { storageUri: undefined });
    workspace.workspaceFolders = undefined;
    await written(join(window.home, "User/globalStorage/emptyWindowChatSessions/a.jsonl"), '"requests":[{');
  });
  await inUse(chats, "Fix the parser");
  const own = `file://${window.home}/User/globalStorage/emptyWindowChatSessions`;
  assert.deepEqual(server.askedFor("watch"), [{ roots: [own] }]);
});

test("what the server tells later is told on, with its chat", async () => {
  const { server, chats } = await staged((window) => window.chat());
  await inUse(chats, "Fix the parser");
  const told: unknown[] = [];
  chats.onChanged((chat) => told.push(chat?.report.percent));
  server.tell({ watchId: "w1", uri: "file:///chats/one.jsonl", report: reportOf({ percent: 70 }) });
  server.tell({ watchId: "other", uri: "file:///x", report: reportOf({ percent: 1 }) });
  server.tell({ watchId: "w1", uri: "file:///chats/two.jsonl", report: reportOf({ percent: 20, title: "Another" }) });
  assert.deepEqual(told, [70, 20]);
  assert.deepEqual([chats.inUse?.title, chats.inUse?.uri?.toString()], ["Another", "file:///chats/two.jsonl"]);
});

test("where the server finds no chat after all it is stopped again, unless somebody needs it", async () => {
  const nothing = (server: FakeServer) => {
    server.answers.watch = () => {
      throw new Fault("chatNotFound", "No chat.");
    };
  };
  const first = await staged(async (window, server) => {
    nothing(server);
    await window.chat();
  });
  await until(() => first.server.done.includes("stop"));
  const second = await staged(async (window, server) => {
    nothing(server);
    workspace.textDocuments = [{ uri: Uri.parse("compact-chat:/id/title.md") }] as never;
    await window.chat();
  });
  await until(() => second.server.askedFor("watch").length > 0);
  await settled();
  assert.deepEqual(second.server.done, []);
});

test("a server that was running anyway, or that is asked something, is not stopped", async () => {
  for (const prepare of [
    (server: FakeServer) => server.become("running"),
    (server: FakeServer) => {
      server.isIdle = false;
    },
  ]) {
    const { server } = await staged(async (window, server) => {
      prepare(server);
      server.answers.watch = () => {
        throw new Fault("chatNotFound", "No chat.");
      };
      await window.chat();
    });
    await until(() => server.askedFor("watch").length > 0);
    await settled();
    assert.deepEqual(server.done, []);
  }
});

test("after a crash the watch is renewed, and the number stays until then", async () => {
  const { server, chats } = await staged((window) => window.chat());
  await inUse(chats, "Fix the parser");
  server.become("stopped");
  assert.equal(chats.inUse?.title, "Fix the parser");
  await until(() => server.askedFor("watch").length === 2);
  await settled();
  server.tell({ watchId: "w2", uri: "file:///chats/one.jsonl", report: reportOf({ title: "Renewed" }) });
  assert.equal(chats.inUse?.title, "Renewed");
});

test("a server that fails is a trouble; once somebody helped it, the chat is measured again", async () => {
  const { server, chats } = await staged(async (window, server) => {
    const watch = server.answers.watch;
    server.answers.watch = () => {
      server.answers.watch = watch ?? (() => ({}));
      server.become("failed");
      throw new Fault("serverFailed", "The server ended unexpectedly.");
    };
    await window.chat();
  });
  await until(() => chats.trouble?.kind === "serverFailed");
  assert.equal(chats.inUse, undefined);
  server.become("stopped");
  await inUse(chats, "Fix the parser");
  assert.equal(chats.trouble, undefined);
});

test("a server that is set up later is noticed", async () => {
  const { server, chats } = await staged(async (window, server) => {
    const watch = server.answers.watch;
    server.answers.watch = () => {
      server.answers.watch = watch ?? (() => ({}));
      server.state = "stopped";
      throw new Fault("notSetUp", "The server is not set up yet.");
    };
    await window.chat();
  });
  await until(() => chats.trouble?.kind === "notSetUp");
  server.state = "starting";
  server.become("stopped");
  await inUse(chats, "Fix the parser");
});

test("the meter that is not wanted watches nothing, and begins when it is", async () => {
  const { window, server, chats } = await staged(async (window) => {
    window.configure("compactChat.meter.show", false);
    await window.chat();
  });
  chats.lookAgain();
  await settled();
  assert.deepEqual(server.asked, []);
  window.configure("compactChat.meter.show", true);
  await inUse(chats, "Fix the parser");
  window.configure("compactChat.meter.show", false);
  assert.equal(chats.inUse, undefined);
  assert.deepEqual(server.askedFor("unwatch"), [{ watchId: "w1" }]);
});

test("in a folder that is not trusted nothing runs, and it begins with the trust", async () => {
  const { window, server, chats } = await staged(async (window) => {
    workspace.isTrusted = false;
    await window.chat();
  });
  chats.lookAgain();
  await settled();
  assert.deepEqual(server.asked, []);
  window.trust();
  await inUse(chats, "Fix the parser");
});

test("of several open folders the one leads whose chat was written last", async () => {
  const { window, server, chats } = await staged(async (window, server) => {
    const [first, second] = [await window.chat("first"), await window.chat("second")];
    await utimes(first, 1, 1);
    await written(
      join(window.home, ".claude/projects", `${window.home}/b`.replaceAll(/[^a-z0-9]/gi, "-"), "s.jsonl"),
      "{}",
    );
    workspace.workspaceFolders = [`${window.home}/a`, `${window.home}/b`].map((path) => ({
      uri: Uri.file(path),
      name: "",
      index: 0,
    }));
    server.answers.watch = ({ workspace }) =>
      String(workspace).endsWith("/a")
        ? { watchId: "a", uri: `file://${first}`, report: reportOf({ title: "In a" }) }
        : { watchId: "b", uri: `file://${second}`, report: reportOf({ title: "In b" }) };
  });
  await until(() => server.askedFor("watch").length === 2);
  await inUse(chats, "In b");
  assert.deepEqual(
    server
      .askedFor("watch")
      .map(({ roots }) => (roots as string[] | undefined)?.length ?? 0)
      .sort(),
    [0, 1],
  );
  window.open(`${window.home}/a`);
  await inUse(chats, "In a");
});

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
  found.title = "Picked";
  const first = choosing("Picked");
  await chats.pick();
  await inUse(chats, "Picked");
  assert.deepEqual(
    first.rows.map(({ label }) => label),
    ["Picked", "", "$(folder-opened) Open Chat File…"],
  );
  assert.deepEqual(server.askedFor("watch").at(-1), {
    chat: { uri: `file://${window.home}/User/workspaceStorage/5a2c/chatSessions/picked.jsonl` },
  });
  const next = createChats(window.context, server.real);
  open.push(next);
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
  const told = choosing("Chat without");
  const chosen = await chats.wanted();
  assert.deepEqual(told.rows.map(({ label }) => label).slice(0, 2), ["Chat without a title", "Old"]);
  assert.match(told.rows[1]?.description ?? "", /^Codex · .+ · 1\.2 MB$/);
  assert.deepEqual([chosen?.ref, chosen?.title], [{ uri: "file:///chats/new" }, null]);
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

test("where there is no chat at all that is said, with a way to open a file", async () => {
  const { chats } = await staged();
  const said: unknown[] = [];
  window.showInformationMessage = async (...given: unknown[]) => said.push(...given) && given[1];
  window.showOpenDialog = async () => [Uri.file("/chats/mine.json")];
  const chosen = await chats.wanted();
  assert.deepEqual(said, ["There is no chat here yet.", "Open Chat File…"]);
  assert.deepEqual([chosen?.ref, chosen?.title], [{ uri: "file:///chats/mine.json" }, "mine.json"]);
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
