/** Who would improve a summary. */

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import type { Fault } from "../../src/faults";
import type { Models } from "../../src/house";
import { anthropicName } from "../../src/modelNames";
import { remedyFor } from "../../src/remedies";
import { vendorName } from "../../src/server/choose";
import { hasKey, lookAtKey } from "../../src/server/keys";
import { createModels } from "../../src/server/models";
import { l10n, lm, workspace } from "../fakes/vscode";
import { type FakeContext, fakeContext } from "./workshop";

let fakes: FakeContext;
let models: Models;

beforeEach(() => {
  delete process.env.ANTHROPIC_API_KEY;
  delete process.env.ANTHROPIC_AUTH_TOKEN;
  workspace.settings.clear();
  lm.models = [
    { id: "small", name: "Small", vendor: "copilot", maxInputTokens: 1 },
    { id: "large", name: "Large", vendor: "probe", maxInputTokens: 2 },
  ];
  fakes = fakeContext("/storage");
  models = createModels(fakes.context);
});

const use = (settings: Record<string, string>) => {
  for (const [name, value] of Object.entries(settings)) {
    workspace.settings.set(`compactChat.${name}`, value);
  }
};
const storeKey = () => fakes.context.secrets.store("anthropicApiKey", "sk-ant-x");

test("without a key the editor's largest model is the first choice", async () => {
  assert.deepEqual(await models.improver(), {
    provider: "editor",
    options: { summaryModel: "editor:large" },
    label: "Large",
    vendor: "Probe",
  });
});

test("with a key it is Anthropic, and the server chooses the model where none is named", async () => {
  await storeKey();
  assert.deepEqual(await models.improver(), {
    provider: "anthropic",
    options: { fallbackModels: ["claude-sonnet-5-5"] },
    label: "Claude",
    vendor: "Anthropic",
  });
});

test("a key in the environment counts like a stored one", async () => {
  process.env.ANTHROPIC_AUTH_TOKEN = "x";
  assert.equal((await models.improver())?.provider, "anthropic");
  delete process.env.ANTHROPIC_AUTH_TOKEN;
  assert.equal(await hasKey(fakes.context), false);
});

test("a named model of the editor's is taken, also where there is a key", async () => {
  await storeKey();
  use({ summaryModel: "editor:small" });
  const improver = await models.improver();
  assert.deepEqual(
    [improver?.provider, improver?.options.summaryModel, improver?.vendor],
    ["editor", "editor:small", "GitHub Copilot"],
  );
});

test("a named model of Anthropic's is taken, with a name for people", async () => {
  await storeKey();
  use({ summaryModel: "claude-sonnet-5-5" });
  const improver = await models.improver();
  assert.deepEqual(
    [improver?.options, improver?.label],
    [{ summaryModel: "claude-sonnet-5-5", fallbackModels: [] }, "Claude Sonnet 5.5"],
    "and no other one stands in for it",
  );
});

test("offline there is nobody, with Anthropic alone nobody without a key, and nobody where the editor has no model", async () => {
  use({ provider: "offline" });
  assert.equal(await models.improver(), undefined);
  use({ provider: "anthropic" });
  assert.equal(await models.improver(), undefined);
  use({ provider: "editor" });
  lm.models = [];
  assert.equal(await models.improver(), undefined);
});

for (const [settings, said] of [
  [{ summaryModel: "editor:gone" }, /name editor:gone .* does not offer/],
  [{ provider: "editor", summaryModel: "editor:gone" }, /name editor:gone .* does not offer/],
  [{ summaryModel: "claude-opus-5-5" }, /name claude-opus-5-5 .* no API key/],
  [{ provider: "editor", summaryModel: "small" }, /name small .*compactChat\.provider.* “editor”/],
  [{ provider: "anthropic", summaryModel: "editor:small" }, /name editor:small .* “anthropic”/],
] as const) {
  test(`a model that is not there is never replaced by another: ${JSON.stringify(settings)}`, async () => {
    use(settings);
    await assert.rejects(models.improver(), (problem: Fault) => {
      assert.match(problem.message, said);
      return remedyFor(problem, l10n.t).label === "Choose Model…";
    });
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

test("models and vendors have names as people know them", () => {
  assert.equal(anthropicName("claude-haiku-5-5"), "Claude Haiku 5.5");
  assert.equal(anthropicName("claude-opus-5-20260801"), "Claude Opus 5");
  assert.equal(anthropicName("my-gateway/model"), "my-gateway/model");
  assert.equal(vendorName("lmstudio"), "Lmstudio");
});

test("a key is looked at before it is stored", () => {
  assert.equal(lookAtKey(`  sk-ant-api03-${"x".repeat(40)}\n`), "fine");
  assert.equal(lookAtKey(" "), "empty");
  assert.equal(lookAtKey("sk-ant-two words and more of them"), "impossible");
  assert.equal(lookAtKey("sk-ant-…"), "impossible");
  assert.equal(lookAtKey("key-of-a-gateway"), "unusual");
});
