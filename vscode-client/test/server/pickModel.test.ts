/** The choice of who improves summaries: what is offered, and what becomes of it. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { House, Models } from "../../src/house";
import { serverCommands } from "../../src/server/commands";
import { createModels } from "../../src/server/models";
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

/** Has a person take the row that begins like this, or none. */
function pick(beginning: string | undefined): Promise<boolean> {
  window.showQuickPick = async (given: unknown) => {
    rows = await (given as Promise<readonly Row[]>);
    return rows.find(({ label }) => beginning !== undefined && label.replace("$(check) ", "").startsWith(beginning));
  };
  return models.choose();
}

const settings = () => Object.fromEntries(workspace.settings);
const storeKey = () => fakes.context.secrets.store("anthropicApiKey", "sk-ant-x");

test("the editor's models are offered with maker and room, Anthropic's with what is missing, and leaving it open", async () => {
  assert.equal(await pick(undefined), false);
  assert.deepEqual(
    rows.map(({ label, description }) => [label, description].filter(Boolean).join(": ")),
    [
      "$(check) Automatic: Anthropic where a key is set, else the model of this editor that takes the most",
      "Models of This Editor",
      "Large $\u2060(x): Probe · 128,000 tokens",
      "Small: GitHub Copilot · 12,000 tokens",
      "Anthropic",
      "Claude Haiku 5.5: needs an API key",
      "Claude Sonnet 5.5: needs an API key",
      "Another Model of Anthropic's…: needs an API key",
    ],
  );
  assert.deepEqual(settings(), {}, "who chooses none changes nothing");
});

test("a chosen model of the editor's is who improves from then on, and is marked", async () => {
  await storeKey();
  assert.equal(await pick("Small"), true);
  assert.deepEqual(settings(), { "compactChat.provider": "editor", "compactChat.summaryModel": "editor:small" });
  assert.equal((await models.improver())?.label, "Small");
  await pick(undefined);
  assert.ok(rows.some(({ label }) => label === "$(check) Small"));
});

test("a chosen model of Anthropic's asks for the key where there is none, and without one nothing is written", async () => {
  assert.equal(await pick("Claude Sonnet"), false);
  assert.deepEqual(settings(), {});
  typed = `sk-ant-${"x".repeat(30)}`;
  assert.equal(await pick("Claude Sonnet"), true);
  assert.equal((await models.improver())?.label, "Claude Sonnet 5.5");
});

test("a model that is not listed can be typed, and is listed and marked from then on", async () => {
  await storeKey();
  typed = " my-gateway/model ";
  assert.equal(await pick("Another Model"), true);
  assert.equal((await models.improver())?.options.summaryModel, "my-gateway/model");
  await pick(undefined);
  assert.ok(rows.some(({ label }) => label === "$(check) my-gateway/model"));
  typed = " ";
  assert.equal(await pick("Another Model"), false);
});

test("it can be left open again, whatever the settings named", async () => {
  workspace.settings.set("compactChat.provider", "offline");
  workspace.settings.set("compactChat.summaryModel", "editor:gone");
  assert.equal(await pick("Automatic"), true);
  assert.equal((await models.improver())?.options.summaryModel, "editor:large");
});

test("both settings are written where one of them counts: into the workspace's only where one stands there", async () => {
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

test("from the palette, the choice is told", async () => {
  const said: unknown[] = [];
  window.showInformationMessage = async (sentence: unknown) => void said.push(sentence);
  const command = serverCommands({ models, context: fakes.context } as House).chooseModel as () => Promise<void>;
  await pick("Small");
  await command();
  await pick(undefined);
  await command();
  assert.deepEqual(said, ["From now on Small improves summaries when you ask for that."]);
});
