/** Which model rewrites a summary, and the choice of it. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { Fault } from "../../src/faults";
import { createModels, hasKey, type Models, setApiKey } from "../../src/server/models";
import { lm, window, workspace } from "../fakes/vscode";
import { type FakeContext, fakeContext } from "./workshop";

interface Row {
  readonly label: string;
  readonly description?: string;
}

const configuration = workspace.getConfiguration;

let fakes: FakeContext;
let models: Models;
let rows: readonly Row[];
let typed: string | undefined;

beforeEach(() => {
  delete process.env.ANTHROPIC_API_KEY;
  delete process.env.ANTHROPIC_AUTH_TOKEN;
  workspace.settings.clear();
  workspace.getConfiguration = configuration;
  lm.models = [
    { id: "small", name: "Small", vendor: "copilot", maxInputTokens: 12_000 },
    { id: "large", name: "Large $(x)", vendor: "probe", maxInputTokens: 128_000 },
    { id: "large", name: "Large of another", vendor: "other", maxInputTokens: 64_000 },
  ];
  fakes = fakeContext("/storage");
  models = createModels(fakes.context);
  typed = undefined;
  window.showInputBox = async () => typed;
  window.showInformationMessage = async () => undefined;
});

const use = (settings: Record<string, string>) => {
  for (const [name, value] of Object.entries(settings)) {
    workspace.settings.set(`compactChat.${name}`, value);
  }
};
const settings = () => Object.fromEntries(workspace.settings);
const storeKey = () => fakes.context.secrets.store("anthropicApiKey", "sk-ant-x");

/** Has a person take the row that begins like this, or none. */
function pick(beginning: string | undefined): Promise<boolean> {
  window.showQuickPick = async (given: unknown) => {
    rows = await (given as Promise<readonly Row[]>);
    return rows.find(({ label }) => beginning !== undefined && label.replace("$(check) ", "").startsWith(beginning));
  };
  return models.choose();
}

test("without a key it is the editor's largest model, with one Anthropic's, whose model the server chooses", async () => {
  const large = { summaryModel: "editor:large" };
  const editors = { provider: "editor", options: large, label: "Large $(x)", vendor: "Probe" };
  assert.deepEqual(await models.improver(), editors);
  await storeKey();
  const options = { fallbackModels: ["claude-sonnet-5-5"] };
  assert.deepEqual(await models.improver(), { provider: "anthropic", options, label: "Claude", vendor: "Anthropic" });
});

test("a key in the environment counts like a stored one", async () => {
  process.env.ANTHROPIC_AUTH_TOKEN = "x";
  assert.equal((await models.improver())?.provider, "anthropic");
  delete process.env.ANTHROPIC_AUTH_TOKEN;
  assert.equal(await hasKey(fakes.context), false);
});

test("a named model is taken, and no other one stands in for it", async () => {
  await storeKey();
  use({ summaryModel: "editor:small" });
  assert.equal((await models.improver())?.options.summaryModel, "editor:small");
  use({ summaryModel: "claude-sonnet-5-5" });
  const named = await models.improver();
  assert.deepEqual(named?.options, { summaryModel: "claude-sonnet-5-5", fallbackModels: [] });
});

for (const [offered, given] of [
  [0, { provider: "editor" }],
  [1, { provider: "offline" }],
  [1, { provider: "anthropic" }],
] as const) {
  test(`there is none: ${JSON.stringify(given)}, ${offered} models of the editor's`, async () => {
    lm.models = lm.models.slice(0, offered);
    use(given);
    assert.equal(await models.improver(), undefined);
  });
}

test("models of the editor that never answer are not waited for; a key needs none of them", async ({ mock }) => {
  mock.timers.enable({ apis: ["setTimeout"] });
  mock.method(lm, "selectChatModels", () => new Promise(() => undefined));
  const late = assert.rejects(models.improver(), ({ kind }: Fault) => kind === "modelsLate");
  const names = models.names();
  await new Promise(setImmediate);
  mock.timers.tick(10_000);
  await late;
  assert.deepEqual(await names, {});
  await storeKey();
  assert.equal((await models.improver())?.provider, "anthropic");
});

for (const given of [
  { summaryModel: "editor:gone" },
  { provider: "editor", summaryModel: "small" },
  { provider: "anthropic", summaryModel: "editor:small" },
]) {
  test(`a model that is not there is named, and never replaced: ${JSON.stringify(given)}`, async () => {
    use(given);
    const isNamed = ({ kind, message }: Fault) => kind === "modelMissing" && message.includes(given.summaryModel);
    await assert.rejects(models.improver(), isNamed);
  });
}

for (const provider of ["auto", "anthropic"]) {
  test(`without a key, a model of Anthropic's in the settings asks for one: ${provider}`, async () => {
    use({ provider, summaryModel: "claude-opus-5-5" });
    const isNamed = ({ kind, message }: Fault) => kind === "noModel" && message.includes("claude-opus-5-5");
    await assert.rejects(models.improver(), isNamed);
  });
}

test("a change of settings or of the key may give another answer, one of other settings may not", async () => {
  let changes = 0;
  models.onChanged(() => (changes += 1));
  workspace.change("compactChat.provider", "editor");
  await storeKey();
  assert.equal(changes, 2);
  workspace.change("compactChat.style", "brief");
  await fakes.context.secrets.store("other", "x");
  assert.equal(changes, 2);
});

test("each model is offered once, the largest first, without icons in its name; who chooses none changes nothing", async () => {
  assert.equal(await pick(undefined), false);
  const names = rows.map(({ label }) => label);
  assert.deepEqual([names[0], names[2], names[3]], ["$(check) Automatic", "Large $\u2060(x)", "Small"]);
  assert.equal(rows.length, 8);
  assert.deepEqual(settings(), {});
});

test("a chosen model is the one from then on, and is marked", async () => {
  await storeKey();
  assert.equal(await pick("Small"), true);
  assert.deepEqual(settings(), { "compactChat.provider": "editor", "compactChat.summaryModel": "editor:small" });
  await pick(undefined);
  assert.ok(rows.some(({ label }) => label === "$(check) Small"));
  typed = " my-gateway/model ";
  assert.equal(await pick("Another"), true);
  assert.equal((await models.improver())?.options.summaryModel, "my-gateway/model");
  assert.equal(await pick("Automatic"), true);
  assert.equal(settings()["compactChat.provider"], "auto");
});

test("a model of Anthropic's asks for the key where there is none, and without one nothing is written", async () => {
  assert.equal(await pick("Claude Sonnet"), false);
  assert.deepEqual(settings(), {});
  typed = `sk-ant-${"x".repeat(30)}`;
  assert.equal(await pick("Claude Sonnet"), true);
  assert.equal((await models.improver())?.label, "Claude Sonnet 5.5");
});

test("both settings go into the workspace's where one stands there", async () => {
  const written: unknown[][] = [];
  workspace.getConfiguration = (section) => ({
    ...configuration(section),
    inspect: (name) => (name === "provider" ? { workspaceValue: "offline" } : {}),
    update: async (...given: unknown[]) => void written.push(given),
  });
  await pick("Small");
  assert.deepEqual(written, [
    ["provider", "editor", 2],
    ["summaryModel", "editor:small", 2],
  ]);
});

test("a typed key is hidden and kept without blanks; an impossible one is refused, an unusual one remarked on", async () => {
  let [password, severity]: [unknown, (text: string) => number | undefined] = [undefined, () => 0];
  window.showInputBox = async (...given: unknown[]) => {
    const box = given[0] as { password: boolean; validateInput: (text: string) => { severity: number } | undefined };
    [password, severity] = [box.password, (text) => box.validateInput(text)?.severity];
    return " sk-ant-1\n";
  };
  await setApiKey(fakes.context);
  assert.equal(password, true);
  assert.deepEqual([...fakes.secrets], [["anthropicApiKey", "sk-ant-1"]]);
  const texts = ["", "two words", "gateway-key", `sk-ant-${"x".repeat(30)}`];
  assert.deepEqual(texts.map(severity), [undefined, 3, 2, undefined]);
});

test("the editor's models have their names", async () => {
  assert.equal((await models.names()).small, "Small");
});
