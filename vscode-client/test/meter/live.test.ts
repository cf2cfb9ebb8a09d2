/** The meter with the real server, where COMPACT_CHAT_PYTHON names a Python that has it. */

import assert from "node:assert/strict";
import { appendFile, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, test } from "node:test";
import { createChats } from "../../src/meter/chats";
import { createServer } from "../../src/server/server";
import { fakeContext, fakeLog, writeProgram } from "../server/workshop";
import { closeWindows, newWindow, written } from "./editor";
import { until } from "./made";

const python = process.env.COMPACT_CHAT_PYTHON;
const real = { skip: python ? false : "COMPACT_CHAT_PYTHON names no Python that has the server" };
const HALF_A_SECOND = 500;

after(closeWindows);

function line(folder: string, index: number): string {
  const parentUuid = index === 0 ? null : `u${index - 1}`;
  const message = { role: "user", content: `Message ${index} is about the parser.` };
  const told = { parentUuid, uuid: `u${index}`, type: "user", sessionId: "s", cwd: folder, message };
  return `${JSON.stringify({ ...told, timestamp: "2026-11-18T12:00:00.000Z", version: "2.1.90" })}\n`;
}

async function staged() {
  const window = await newWindow();
  process.env.XDG_STATE_HOME = join(window.home, "state");
  const project = `${window.home}/project`;
  const noted = join(window.home, "server.pid");
  const lines = [`echo $$ > '${noted}'`, `exec '${python}' "$@"`];
  window.configure("compactChat.interpreter", [await writeProgram(window.home, "python", lines)]);
  const context = { ...fakeContext(window.home).context, ...window.context };
  const server = createServer(context, fakeLog().log);
  const chats = createChats(context, server);
  const slug = project.replaceAll(/[^a-z0-9]/gi, "-");
  const write = (text: string) => written(join(window.home, ".claude/projects", slug, "s.jsonl"), text);
  const kill = async () => process.kill(Number(await readFile(noted, "utf8")), "SIGKILL");
  const close = async () => {
    chats.dispose();
    await server.stop();
    server.dispose();
  };
  return { server, chats, project, write, kill, close };
}

test("once it runs, the meter follows a chat within half a second of a change of its file", real, async () => {
  const { chats, project, write, close } = await staged();
  try {
    const file = await write(line(project, 0));
    chats.lookAgain();
    await until(() => chats.inUse !== undefined, "the chat never came into use");
    assert.deepEqual([chats.inUse?.tool, chats.inUse?.report.messageCount], ["claude-code", 1]);
    const times: number[] = [];
    for (const index of [1, 2, 3, 4, 5]) {
      const begun = performance.now();
      await appendFile(file, line(project, index));
      await until(() => chats.inUse?.report.messageCount === index + 1);
      times.push(performance.now() - begun);
    }
    const [, , median = 0] = times.sort((one, other) => one - other);
    assert.ok(median < HALF_A_SECOND, `it took ${median} milliseconds`);
  } finally {
    await close();
  }
});

test("a window in which nothing is a chat after all keeps no server", real, async () => {
  const { server, chats, project, write, close } = await staged();
  try {
    const states: string[] = [];
    server.onState((state) => states.push(state));
    await write(`{"type":"summary","summary":"x","cwd":"${project}"}\n`);
    chats.lookAgain();
    await until(() => states.includes("running") && states.at(-1) === "stopped", "the server stayed");
    assert.equal(chats.inUse, undefined);
  } finally {
    await close();
  }
});

test("a server that was killed is started again, and the meter goes on", real, async () => {
  const { server, chats, project, write, kill, close } = await staged();
  try {
    const file = await write(line(project, 0));
    chats.lookAgain();
    await until(() => chats.inUse !== undefined, "the chat never came into use");
    const states: string[] = [];
    server.onState((state) => states.push(state));
    await kill();
    await until(() => states.includes("stopped"), "nobody noticed that the server is gone");
    await appendFile(file, line(project, 1));
    await until(() => chats.inUse?.report.messageCount === 2, "the watch was not renewed");
    await rm(file);
  } finally {
    await close();
  }
});
