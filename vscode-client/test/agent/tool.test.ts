/** The tool as an agent meets it. */

import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type { LanguageModelTool } from "vscode";
import { provideTool } from "../../src/agent/tool";
import { Fault } from "../../src/faults";
import type { House } from "../../src/house";
import { sessionAddress } from "../../src/onward/sessions";
import * as vscode from "../fakes/vscode";
import { COMPACTION, madeHouse, type Recorded, recordedEditor, type Scene } from "../made";
import { NEVER, REPORT } from "./made";

const IMPROVER = { provider: "editor", options: { summaryModel: "editor:gpt-5" }, label: "GPT-5", vendor: "copilot" };

let recorded: Recorded;
let folder: string;

beforeEach(async () => {
  recorded = recordedEditor();
  folder = await mkdtemp(join(tmpdir(), "agent-"));
});

afterEach(() => rm(folder, { recursive: true }));

function provided(scene: Scene): LanguageModelTool<unknown> {
  return providedBy(madeHouse(recorded, scene));
}

function providedBy(house: House): LanguageModelTool<unknown> {
  let tool: unknown;
  vscode.lm.registerTool = (_name, given) => {
    tool = given;
    return new vscode.Disposable(() => undefined);
  };
  provideTool(house);
  return tool as LanguageModelTool<unknown>;
}

async function called(scene: Scene, input: unknown, toolInvocationToken?: unknown): Promise<string> {
  const result = await provided(scene).invoke({ input, toolInvocationToken } as never, NEVER);
  const [part] = (result?.content ?? []) as vscode.LanguageModelTextPart[];
  return part?.value ?? "";
}

const callFrom = (id: string) => ({ sessionResource: vscode.Uri.parse(sessionAddress(id)) });
const MEASURING = { countTokens: () => REPORT };

test("the chat that the call comes from is measured", async () => {
  await writeFile(join(folder, "abc.jsonl"), "");
  const answer = await called({ ownFolder: folder, answers: MEASURING }, { action: "meter" }, callFrom("abc"));
  assert.match(answer, /79% full/);
  assert.deepEqual(recorded.asked, [
    ["countTokens", { chat: { uri: vscode.Uri.file(join(folder, "abc.jsonl")).toString() } }],
  ]);
});

test("an editor that tells the chat by its bare id is understood too", async () => {
  await writeFile(join(folder, "abc.json"), "");
  await called({ ownFolder: folder, answers: MEASURING }, { action: "meter" }, { sessionId: "abc" });
  const uri = vscode.Uri.file(join(folder, "abc.json")).toString();
  assert.deepEqual(recorded.asked, [["countTokens", { chat: { uri } }]]);
});

test("a chat that is not saved yet is never taken for another", async () => {
  const answer = await called(
    { ownFolder: folder, answers: MEASURING, inUse: { uri: "file:///x" } },
    { action: "meter" },
    callFrom("abc"),
  );
  assert.match(answer, /not saved yet/);
  assert.deepEqual(recorded.asked, []);
});

test("a session of another kind is said to be unreadable, and never taken for the newest chat", async () => {
  const sessions = () => ({ sessions: [{ uri: "file:///newest" }] });
  const answers = { ...MEASURING, sessions };
  for (const caller of [
    { sessionResource: vscode.Uri.parse("vscode-chat-session://background/YWJj"), sessionId: "abc" },
    { sessionResource: vscode.Uri.parse("copilotcli:/abc") },
    { sessionId: "openai-codex:/../abc" },
    { sessionResource: "of no known form" },
  ]) {
    const scene = { ownFolder: folder, answers, inUse: { uri: "file:///used" } };
    assert.match(await called(scene, { action: "meter" }, caller), /cannot be read/);
  }
  assert.deepEqual(recorded.asked, []);
});

test("a caller that says nothing of its chat means the newest of this window, else the one in use", async () => {
  const sessions = () => ({ sessions: [{ uri: "file:///newest" }] });
  const silent = { sessionResource: undefined, sessionId: null };
  await called({ ownFolder: folder, answers: { ...MEASURING, sessions } }, { action: "meter" }, silent);
  assert.deepEqual(recorded.asked.at(-1), ["countTokens", { chat: { uri: "file:///newest" } }]);
  await called({ answers: MEASURING, inUse: { uri: "file:///used" } }, { action: "meter" });
  assert.deepEqual(recorded.asked.at(-1), ["countTokens", { chat: { uri: "file:///used" } }]);
});

test("the biggest things are asked for with a bound", async () => {
  await called({ answers: MEASURING, inUse: { uri: "file:///used" } }, { action: "biggest" });
  assert.deepEqual(recorded.asked, [["countTokens", { chat: { uri: "file:///used" }, biggest: 6 }]]);
});

const SUMMARIZING = {
  answers: { summarize: () => COMPACTION },
  inUse: { uri: "file:///used" },
  improver: IMPROVER,
};

test("a summary is made offline unless a model is asked for", async () => {
  const answer = await called(SUMMARIZING, { action: "summarize" });
  assert.ok(answer.endsWith(COMPACTION.continuation));
  assert.deepEqual(recorded.asked, [["summarize", { chat: { uri: "file:///used" }, provider: "offline" }]]);
});

test("a summary of a model's is asked for as something that the user allowed", async () => {
  const tool = provided(SUMMARIZING);
  const call = { input: { action: "summarize", model: true } } as never;
  await tool.prepareInvocation?.(call, NEVER);
  recorded.asked.length = 0;
  await tool.invoke(call, NEVER);
  const sent = { provider: "editor", userInitiated: true, options: { summaryModel: "editor:gpt-5" } };
  assert.deepEqual(recorded.asked, [["summarize", { chat: { uri: "file:///used" }, ...sent }]]);
});

test("a model that the user was not asked about gets nothing: the summary is made offline", async () => {
  const scene = { ...SUMMARIZING, improver: { ...IMPROVER, label: "GPT-4" } };
  const house = madeHouse(recorded, scene);
  const tool = providedBy(house);
  const call = { input: { action: "summarize", model: true } } as never;
  await tool.prepareInvocation?.(call, NEVER);
  recorded.asked.length = 0;
  Object.assign(house.models, { improver: async () => IMPROVER });
  await tool.invoke(call, NEVER);
  assert.deepEqual(recorded.asked, [["summarize", { chat: { uri: "file:///used" }, provider: "offline" }]]);
});

test("where no model is set up, the summary is made offline all the same", async () => {
  await called({ ...SUMMARIZING, improver: undefined }, { action: "summarize", model: true });
  assert.deepEqual(recorded.asked, [["summarize", { chat: { uri: "file:///used" }, provider: "offline" }]]);
});

test("where the settings name a model that is missing, that is the answer, and no other summary", async () => {
  const house = madeHouse(recorded, SUMMARIZING);
  Object.assign(house.models, { improver: () => Promise.reject(new Fault("modelMissing", "It is not there.")) });
  const given = await providedBy(house).invoke({ input: { action: "summarize", model: true } } as never, NEVER);
  assert.match(JSON.stringify(given), /It is not there\./);
  assert.deepEqual(recorded.asked, []);
});

test("a fault is one sentence in the answer, and the agent goes on", async () => {
  const refusing = () => Promise.reject(new Fault("nothingToCompact", "This chat is too short."));
  assert.equal(
    await called({ ...SUMMARIZING, answers: { summarize: refusing } }, { action: "summarize" }),
    "This chat is too short.",
  );
  const stopped = () => Promise.reject(new Fault("cancelled", "x"));
  assert.equal(await called({ ...SUMMARIZING, answers: { summarize: stopped } }, { action: "summarize" }), "x");
  const broken = () => Promise.reject(new TypeError("secret text"));
  assert.doesNotMatch(
    await called({ ...SUMMARIZING, answers: { summarize: broken } }, { action: "summarize" }),
    /secret/,
  );
  assert.match(await called(SUMMARIZING, { action: "dance" }), /meter, biggest/);
});

function prepared(scene: Scene, input: unknown) {
  return provided(scene).prepareInvocation?.({ input } as never, NEVER);
}

function textOf(message: unknown): string {
  return message instanceof vscode.MarkdownString ? message.value : "";
}

test("nothing is confirmed where nothing leaves the machine", async () => {
  for (const input of [
    { action: "meter" },
    { action: "biggest" },
    { action: "summarize" },
    { action: "summarize", model: false },
    7,
  ]) {
    const { confirmationMessages, invocationMessage } = (await prepared(SUMMARIZING, input)) ?? {};
    assert.equal(confirmationMessages, undefined);
    assert.ok(invocationMessage);
  }
  assert.equal(
    (await prepared({ ...SUMMARIZING, improver: undefined }, { action: "summarize", model: true }))
      ?.confirmationMessages,
    undefined,
  );
});

test("before a model gets the chat, the user sees how much goes to whom, and what is masked", async () => {
  const request = { provider: "editor", model: "gpt-5", calls: 2, inputTokens: 91_000, maxOutputTokens: 8_192 };
  const preview = () => ({ request, redactions: { total: 3, kinds: {} } });
  const asked = (await prepared({ ...SUMMARIZING, answers: { preview } }, { action: "summarize", model: true }))
    ?.confirmationMessages;
  assert.equal(asked?.title, "Let GPT-5 summarize this chat?");
  const message = textOf(asked?.message);
  for (const part of ["91,000", "GPT\\-5", "copilot", "calls: 2", "secrets: 3", "cost money"]) {
    assert.ok(message.includes(part), part);
  }
});

test("a model that the server chose is named to the user, and the one that stands in for it", async () => {
  const improver = { provider: "anthropic", options: { fallbackModels: ["claude-sonnet-5-5"] }, label: "Claude" };
  const request = { provider: "anthropic", model: "claude-haiku-5-5", calls: 1, inputTokens: 9, maxOutputTokens: 9 };
  const preview = () => ({ request, redactions: { total: 0, kinds: {} } });
  const scene = { ...SUMMARIZING, improver: { ...improver, vendor: "Anthropic" }, answers: { preview } };
  const asked = (await prepared(scene, { action: "summarize", model: true }))?.confirmationMessages;
  assert.equal(asked?.title, "Let Claude Haiku 5.5 summarize this chat?");
  assert.match(textOf(asked?.message), /go to Claude Haiku 5\\\.5 .*\n\n.*Claude Sonnet 5\\\.5 is used instead/);
});

test("the user is asked even where the chat cannot be looked at beforehand", async () => {
  const asked = (await prepared(SUMMARIZING, { action: "summarize", model: true }))?.confirmationMessages;
  assert.match(textOf(asked?.message), /cost money/);
});
