/** The chat in use of a window: watched, renewed, left alone. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { afterEach, test } from "node:test";
import { Fault } from "../../src/faults";
import { Uri, workspace } from "../fakes/vscode";
import { written } from "./editor";
import { reportOf, settled, until } from "./made";
import { cleared, inUse, staged } from "./stage";

afterEach(cleared);

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

test("in a folder on a network share, which the server does not read, the editor's own chats are measured", async () => {
  const { server, chats } = await staged(async (window) => {
    workspace.workspaceFolders = [{ uri: Uri.parse("file://server/share/p"), name: "p", index: 0 }];
    await window.chat();
  });
  await inUse(chats, "Fix the parser");
  assert.deepEqual(server.askedFor("watch"), [{ roots: [chats.ownFolder?.toString()] }]);
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
  assert.deepEqual([chats.inUse?.title, chats.inUse?.uri], ["Another", "file:///chats/two.jsonl"]);
});

test("where the server finds no chat after all there is no trouble, and it is asked again later", async () => {
  const { server, chats } = await staged(async (window, server) => {
    const watch = server.answers.watch;
    server.answers.watch = () => {
      server.answers.watch = watch ?? (() => ({}));
      throw new Fault("chatNotFound", "No chat.");
    };
    await window.chat();
  });
  await until(() => server.askedFor("watch").length > 0);
  await settled();
  assert.deepEqual([chats.inUse, chats.trouble], [undefined, undefined]);
  chats.lookAgain();
  await inUse(chats, "Fix the parser");
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

for (const [what, state] of [
  ["before anybody is told that it ended", "running"],
  ["and is told to have ended", "stopped"],
] as const) {
  test(`a server that dies while it is asked, ${what}, is asked again and left to start anew`, async () => {
    const { server, chats } = await staged(async (window, server) => {
      const watch = server.answers.watch;
      server.answers.watch = () => {
        server.answers.watch = watch ?? (() => ({}));
        server.become(state);
        throw new Fault("serverFailed", "The server ended while it was asked.");
      };
      await window.chat();
    });
    await inUse(chats, "Fix the parser");
    assert.deepEqual([server.askedFor("watch").length, server.done], [2, []]);
  });
}

test("a server that dies too often is asked no more, and its own word for that is the trouble", async () => {
  let deaths = 0;
  const { server, chats } = await staged(async (window, server) => {
    server.answers.watch = () => {
      deaths += 1;
      server.become(deaths === 3 ? "failed" : "stopped");
      throw new Fault("serverFailed", "The server ended while it was asked.");
    };
    await window.chat();
  });
  await until(() => chats.trouble !== undefined);
  assert.deepEqual([deaths, chats.trouble], [3, server.failure]);
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

test("of several open folders the server says which has the chat in use", async () => {
  const { window, server } = await staged(async (window) => {
    await window.chat();
    window.open(`${window.home}/a`, `${window.home}/b`, `${window.home}/c`);
  });
  await until(() => server.askedFor("watch").length === 1);
  const [{ workspace: first, workspaces, roots }] = server.askedFor("watch") as [Record<string, unknown>];
  assert.equal(first, `file://${window.home}/a`);
  assert.deepEqual(workspaces, [`file://${window.home}/b`, `file://${window.home}/c`]);
  assert.equal((roots as string[]).length, 1);
});

test("while no server is set up, the chat's own record says how full it is", async () => {
  const { chats } = await staged(async (window, server) => {
    server.answers.watch = () => {
      throw new Fault("notSetUp", "The server is not set up yet.");
    };
    const usage = { input_tokens: 1000, cache_read_input_tokens: 82_000, output_tokens: 500 };
    const folder = join(window.home, ".claude/projects", "project");
    await written(join(folder, "s.jsonl"), `{"cwd":"/project"}\n{"message":{"usage":${JSON.stringify(usage)}}}\n`);
  });
  await until(() => chats.recorded !== undefined);
  assert.deepEqual(chats.recorded, { tool: "claude-code", percent: 50 });
});
