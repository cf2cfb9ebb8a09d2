/** Whether a chat of this window is there, told by files alone. */

import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, test } from "node:test";
import { geminiName, ownFolder, type WindowPlaces } from "../../src/meter/places";
import { Presence } from "../../src/meter/presence";

const made: string[] = [];
const FOLDER = "/shop/my project";
const REQUEST = '{"kind":2,"k":["requests"],"v":[{"requestId":"r"}]}\n';
const EMPTY = '{"kind":0,"v":{"version":3,"sessionId":"s","requests":[]}}\n';

after(() => Promise.all(made.map((folder) => rm(folder, { recursive: true }))));

interface Stage {
  readonly presence: Presence;
  /** One that has not looked yet. */
  readonly newPresence: () => Presence;
  readonly write: (path: string, text: string) => Promise<string>;
}

async function staged(given: Partial<WindowPlaces> = {}): Promise<Stage> {
  const home = await mkdtemp(join(tmpdir(), "presence-"));
  made.push(home);
  const places = {
    folders: [FOLDER],
    own: join(home, "own"),
    stored: join(home, "globalStorage"),
    home,
    env: {},
    ...given,
  };
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(home, path)), { recursive: true });
    await writeFile(join(home, path), text);
    return join(home, path);
  };
  const newPresence = () => new Presence(places);
  return { presence: newPresence(), newPresence, write };
}

test("where no tool has left anything there is no chat", async () => {
  const { presence } = await staged();
  assert.equal(await presence.signs(), "");
});

test("a session of VS Code is a chat as soon as it has a request", async () => {
  const { presence, write } = await staged();
  await write("own/s.jsonl", EMPTY);
  assert.equal(await presence.signs(), "");
  await write("own/s.jsonl", EMPTY + REQUEST);
  assert.notEqual(await presence.signs(), "");
});

for (const [what, text] of [
  ["whole", '{"version":3,"requests":[{"requestId":"r"}]}'],
  ["indented", '{\n  "requests": [\n    {\n'],
  ["longer than its beginning", `{"inputState":"${"x".repeat(70_000)}"`],
] as const) {
  test(`a session of VS Code that is ${what} is a chat`, async () => {
    const { presence, write } = await staged();
    await write("own/s.json", text);
    assert.notEqual(await presence.signs(), "");
  });
}

test("files of other kinds, and empty ones, are no chats", async () => {
  const { presence, write } = await staged();
  await write("own/s.txt", REQUEST);
  await write("own/s.jsonl", "");
  assert.equal(await presence.signs(), "");
});

for (const [tool, path, text] of [
  ["Claude Code", ".claude/projects/-shop-my-project/s.jsonl", "{}"],
  ["Claude Code, below the folder", ".claude/projects/-shop-my-project-sub/s.jsonl", `{"cwd":"${FOLDER}/sub"}`],
  ["Claude Code, in its newer place", ".config/claude/projects/-shop-my-project/s.jsonl", "{}"],
  ["Codex", ".codex/sessions/2026/11/18/rollout-x.jsonl", `{"type":"session_meta","payload":{"cwd":"${FOLDER}"}}`],
  [
    "Cline",
    "globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json",
    `Directory (${FOLDER}) Files`,
  ],
  ["Cline without an editor", ".cline/data/tasks/1/api_conversation_history.json", `Directory (${FOLDER}) Files`],
  ["Cline, as it is today", ".cline/data/sessions/1/1.messages.json", `{"cwd":"${FOLDER}"}`],
  ["Qwen Code", ".qwen/projects/-shop-my-project/chats/a.jsonl", `{"cwd":"${FOLDER}"}`],
  ["Roo Code", "globalStorage/rooveterinaryinc.roo-cline/tasks/a/api_conversation_history.json", `(${FOLDER}/src)`],
  ["Copilot CLI", ".copilot/session-state/a/events.jsonl", `{"context":{"cwd":"${FOLDER}"}}`],
  ["Continue", ".continue/sessions/a.json", '{"workspaceDirectory":"file:///shop/my%20project"}'],
  ["Gemini CLI", `.gemini/tmp/${geminiName(FOLDER)}/chats/session-a.json`, "{}"],
] as const) {
  test(`a chat of ${tool} for this folder is found`, async () => {
    const { presence, write } = await staged();
    await write(path, text);
    assert.notEqual(await presence.signs(), "");
  });
}

for (const [what, path, text] of [
  [
    "Claude Code's for a folder that begins alike",
    ".claude/projects/-shop-my-project2/s.jsonl",
    `{"cwd":"${FOLDER}2"}`,
  ],
  ["Claude Code's for another folder", ".claude/projects/-shop-other/s.jsonl", `{"cwd":"${FOLDER}"}`],
  ["an agent's of Claude Code", ".claude/projects/-shop-my-project/agent-1.jsonl", "{}"],
  ["Codex's for the folder above", ".codex/sessions/2026/11/18/rollout-x.jsonl", '{"cwd":"/shop"}'],
  ["Codex's for a folder that begins alike", ".codex/sessions/2026/11/18/rollout-x.jsonl", `{"cwd":"${FOLDER}-2"}`],
  ["Gemini CLI's for another folder", `.gemini/tmp/${geminiName("/shop")}/chats/session-a.json`, "{}"],
] as const) {
  test(`a chat that is ${what} is none of this window`, async () => {
    const { presence, write } = await staged();
    await write(path, text);
    assert.equal(await presence.signs(), "");
  });
}

test("Gemini CLI may note a project's folder in a file", async () => {
  const { presence, write } = await staged();
  await write(".gemini/tmp/my-project/.project_root", FOLDER);
  await write(".gemini/tmp/my-project/chats/session-a.jsonl", "{}");
  assert.notEqual(await presence.signs(), "");
});

test("tools that the user has moved are found where they are", async () => {
  const home = await mkdtemp(join(tmpdir(), "presence-"));
  made.push(home);
  const { presence } = await staged({ env: { CODEX_HOME: home, CLAUDE_CONFIG_DIR: join(home, "c") } });
  const before = await presence.signs();
  await mkdir(join(home, "c/projects/-shop-my-project"), { recursive: true });
  await writeFile(join(home, "c/projects/-shop-my-project/s.jsonl"), "{}");
  assert.deepEqual([before, (await presence.signs()) !== ""], ["", true]);
});

test("the folder counts under each of its names", async () => {
  const { presence, write } = await staged({ folders: ["/link", FOLDER] });
  await write(".codex/sessions/2026/11/18/rollout-x.jsonl", `{"cwd":"${FOLDER}"}`);
  assert.notEqual(await presence.signs(), "");
});

test("an empty window has only the editor's own chats", async () => {
  const { presence, write } = await staged({ folders: [] });
  await write(".codex/sessions/2026/11/18/rollout-x.jsonl", '{"cwd":"/"}');
  assert.equal(await presence.signs(), "");
  await write("own/s.jsonl", REQUEST);
  assert.notEqual(await presence.signs(), "");
});

test("the signs change when a chat does, and stay the same when none does", async () => {
  const { presence, write } = await staged();
  const file = await write("own/s.jsonl", REQUEST);
  const first = await presence.signs();
  assert.equal(await presence.signs(), first);
  await utimes(file, 1, 1);
  assert.notEqual(await presence.signs(), first);
});

/** The least milliseconds that something takes in three tries, since others use the machine too. */
async function least(act: () => Promise<void>): Promise<number> {
  const times: number[] = [];
  for (const _ of [1, 2, 3]) {
    const begun = performance.now();
    await act();
    times.push(performance.now() - begun);
  }
  return Math.min(...times);
}

test("thousands of tasks of other folders cost little, also the first time", async () => {
  const { newPresence, write } = await staged();
  const tasks = Array.from({ length: 2000 }, (_, index) => index);
  const files = await Promise.all(
    tasks.map((index) =>
      write(`globalStorage/saoudrizwan.claude-dev/tasks/${index}/api_conversation_history.json`, "{}"),
    ),
  );
  const whole = await least(async () => {
    for (const file of files) await readFile(file);
  });
  const look = await least(async () => assert.equal(await newPresence().signs(), ""));
  assert.ok(look < whole / 3, `a look took ${look} milliseconds, to read all files ${whole}`);
});

for (const [what, storage, folder] of [
  ["a folder's", "/data/User/workspaceStorage/5a2c/our.extension", "/data/User/workspaceStorage/5a2c/chatSessions"],
  [
    "a second window's",
    "/data/User/workspaceStorage/5a2c-1/our.extension",
    "/data/User/workspaceStorage/5a2c/chatSessions",
  ],
  [
    "a folder's whose name begins with a dash",
    "/data/User/workspaceStorage/-61991357/our.extension",
    "/data/User/workspaceStorage/-61991357/chatSessions",
  ],
  [
    "a second window's of such a folder",
    "/data/User/workspaceStorage/-61991357-1/our.extension",
    "/data/User/workspaceStorage/-61991357/chatSessions",
  ],
  ["an empty window's", undefined, "/data/User/globalStorage/emptyWindowChatSessions"],
] as const) {
  test(`${what} chats lie in the editor's own folder beside the extension's storage`, () => {
    assert.equal(ownFolder(storage, "/data/User/globalStorage/our.extension"), folder);
  });
}
