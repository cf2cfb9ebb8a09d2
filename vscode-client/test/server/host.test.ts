/** The answers to the server's questions: models, what one writes, and the key. */

import assert from "node:assert/strict";
import { beforeEach, mock, test } from "node:test";
import { hostMethods } from "../../src/server/host";
import { CancellationError, LanguageModelTextPart, lm, workspace } from "../fakes/vscode";
import { type FakeContext, fakeContext, until } from "./workshop";

type Handler = (params: unknown, running?: unknown) => Promise<Record<string, unknown>>;

let handlers: Readonly<Record<string, Handler>>;
let told: string[];
let fakes: FakeContext;

beforeEach(() => {
  told = [];
  fakes = fakeContext("/storage");
  workspace.settings.clear();
  handlers = hostMethods(fakes.context) as never;
});

interface Asked {
  readonly text: string;
  readonly options: unknown;
}

function model(id: string, maxInputTokens: number, write: () => AsyncIterable<unknown>) {
  const asked: Asked[] = [];
  const sendRequest = async ([message]: { content: string }[], options: unknown) => {
    asked.push({ text: message?.content ?? "", options });
    return { stream: write() };
  };
  return { id, name: id.toUpperCase(), vendor: "test", maxInputTokens, sendRequest, asked };
}

async function* words(...texts: string[]): AsyncIterable<unknown> {
  yield* texts.map((text) => new LanguageModelTextPart(text));
}

async function* failing(problem: unknown): AsyncIterable<unknown> {
  yield new LanguageModelTextPart("half");
  throw problem;
}

const question = {
  messages: [{ role: "user", content: { type: "text", text: "The chat." } }],
  systemPrompt: "Summarise.",
  justification: "A summary.",
  userInitiated: true,
};
const ask = (given: object = {}, signal = new AbortController().signal) =>
  handlers["compactChat/languageModel"]?.(
    { ...question, ...given },
    { signal, text: (text: string) => told.push(text) },
  ) as Promise<Record<string, unknown>>;
const listed = () =>
  handlers["compactChat/languageModels"]?.({}) as unknown as Promise<{
    models: { id: string; consent: boolean }[];
  }>;
const refusal = (reason: string) => (problem: { kind?: string; data?: { reason?: string } }) =>
  problem.kind === "refused" && problem.data?.reason === reason;

test("models are told with the wished one first, then by what they take; what takes nothing is none", async () => {
  lm.models = [model("s", 1, words), model("l", 9, words), model("w", 5, words), model("auto", 0, words)];
  workspace.settings.set("compactChat.summaryModel", "editor:w");
  const { models } = await listed();
  assert.deepEqual(
    models.map(({ id, consent }) => [id, consent]),
    [
      ["w", false],
      ["l", false],
      ["s", false],
    ],
  );
});

test("a model's text is streamed, and comes whole", async () => {
  const one = model("one", 1, () => words("Sum", "mary"));
  lm.models = [one];
  const answer = await ask();
  assert.deepEqual(answer, {
    role: "assistant",
    content: { type: "text", text: "Summary" },
    model: "one",
    stopReason: "unknown",
  });
  assert.deepEqual(told, ["Sum", "mary"]);
  assert.deepEqual(one.asked, [{ text: "Summarise.\n\nThe chat.", options: { justification: "A summary." } }]);
});

test("without a person's wish a model is asked only where consent is known", async () => {
  const one = model("one", 1, () => words("Summary"));
  lm.models = [one];
  await assert.rejects(ask({ userInitiated: false }), refusal("noConsent"));
  assert.deepEqual(one.asked, []);
  fakes.consents.set(one, true);
  assert.equal((await ask({ userInitiated: false })).model, "one");
});

test("no model at all, and one that is gone, are told apart", async () => {
  lm.models = [];
  await assert.rejects(ask(), refusal("noModel"));
  lm.models = [model("one", 1, words)];
  await assert.rejects(ask({ model: "two" }), refusal("notFound"));
});

for (const [what, problem, reason] of [
  ["a refused consent", { code: "NoPermissions", message: "" }, "noConsent"],
  ["a block", { code: "Blocked", message: "" }, "blocked"],
  ["a model that went", { code: "NotFound", message: "" }, "notFound"],
  [
    "a prompt that is too long",
    { code: "Unknown", message: "", cause: new Error("prompt is too long: 210000 tokens > 200000 maximum") },
    "tooLong",
  ],
  ["a prompt beyond the window", new Error("maximum context length is 128000 tokens"), "tooLong"],
  ["a rate limit", new Error("429 rate limited"), "blocked"],
  ["a lost connection", new Error("socket hang up"), "failed"],
] as const) {
  test(`${what} while a model writes is told as ${reason}`, async () => {
    lm.models = [model("one", 1, () => failing(problem))];
    await assert.rejects(ask(), refusal(reason));
  });
}

test("a question that the server cancels ends the model's writing, and so does a person who stops it", async () => {
  const stopping = new AbortController();
  lm.models = [
    model("one", 1, async function* () {
      yield new LanguageModelTextPart("half");
      stopping.abort();
    }),
  ];
  await assert.rejects(ask({}, stopping.signal), { kind: "cancelled" });
  lm.models = [model("one", 1, () => failing(new CancellationError()))];
  await assert.rejects(ask(), { kind: "cancelled" });
});

test("a question that is cancelled while the editor looks for its models asks none of them", async (context) => {
  const stopping = new AbortController();
  const one = model("one", 1, () => words("Summary"));
  context.mock.method(lm, "selectChatModels", async () => {
    stopping.abort();
    return [one];
  });
  await assert.rejects(ask({}, stopping.signal), { kind: "cancelled" });
  assert.deepEqual(one.asked, []);
});

test("a model that writes is stopped when the connection ends, since nobody would get what it writes", async () => {
  let [isEnded, pieces] = [false, 0];
  lm.models = [
    model("one", 1, async function* () {
      try {
        for (;;) {
          pieces += 1;
          yield new LanguageModelTextPart("more");
          await new Promise((resolve) => setImmediate(resolve));
        }
      } finally {
        isEnded = true;
      }
    }),
  ];
  const closing = new AbortController();
  const answer = assert.rejects(ask({}, closing.signal), { kind: "cancelled" });
  await until("the model to write", () => pieces > 1);
  closing.abort();
  await answer;
  assert.ok(isEnded);
});

test("while a person is asked for consent, an empty piece every ten seconds says that the model is still there", async () => {
  mock.timers.enable({ apis: ["setInterval"] });
  let allow: (given: unknown) => void = () => undefined;
  const waiting = new Promise((resolve) => {
    allow = resolve;
  });
  const one = { ...model("one", 1, words), sendRequest: () => waiting };
  lm.models = [one];
  const answer = ask();
  await new Promise((resolve) => setImmediate(resolve));
  mock.timers.tick(20_000);
  assert.deepEqual(told, ["", ""]);
  allow({ stream: words("Done") });
  await answer;
  mock.timers.reset();
});

test("the key is given by its name, and nothing else is", async () => {
  fakes.secrets.set("anthropicApiKey", "sk-ant-1").set("other", "x");
  const secret = handlers["compactChat/secret"];
  assert.deepEqual(await secret?.({ name: "anthropicApiKey" }), { value: "sk-ant-1" });
  assert.deepEqual(await secret?.({ name: "other" }), { value: null });
});
