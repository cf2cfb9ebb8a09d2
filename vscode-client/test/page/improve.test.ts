/** A model improves a summary only after a yes; stopped or failed, the page is what it was before. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../src/faults";
import { pageCommands } from "../../src/page/commands";
import { improve } from "../../src/page/improve";
import { own } from "../../src/page/pages";
import { Papers } from "../../src/page/papers";
import * as vscode from "../fakes/vscode";
import { CHAT, desk, IMPROVER, until } from "./desk";
import { compactionOf } from "./made";
import { answer, BETTER, edited, PLAN, scriptedModel, sentIn, writing } from "./scripted";

const CLAUDE = {
  provider: "anthropic",
  options: { fallbackModels: ["claude-sonnet-5-5"] },
  label: "Claude",
  vendor: "Anthropic",
};

test("before anything is sent, one question tells how much goes to whom, what is masked and what goes along", async () => {
  const told = answer(undefined);
  const open = desk(scriptedModel().answers);
  await improve(open.house, await edited(open), new Papers());
  const [[message, { modal, detail }, ...buttons]] = told as [
    [string, { modal: boolean; detail: string }, ...string[]],
  ];
  assert.equal(message, "Send the chat to One?");
  assert.ok(modal);
  assert.match(detail, /About 99,000 tokens of this chat go to Makers in 2 calls\./);
  assert.match(detail, /Masked before it is sent: githubToken \(2\), password \(1\)\./);
  assert.match(detail, /CLAUDE\.md/);
  assert.match(detail, /What you edited is not sent/);
  assert.deepEqual(buttons, ["Send", "Show Text", "Another Model…"]);
  assert.deepEqual(sentIn(open), []);
});

/** Has somebody asked about a plan of Anthropic's for a model; gives the question. */
async function askedAbout(model: string): Promise<string> {
  const told = answer(undefined);
  const request = { ...PLAN.request, provider: "anthropic", model };
  const open = desk({ ...scriptedModel().answers, preview: () => ({ ...PLAN, request }) });
  Object.assign(open.house.models, { improver: async () => CLAUDE });
  await improve(open.house, await edited(open), new Papers());
  const { params } = open.asked.find(({ name }) => name === "preview") ?? {};
  assert.deepEqual(params, { chat: CHAT.ref, options: CLAUDE.options, provider: "anthropic" });
  return JSON.stringify(told);
}

test("where the server chooses the model, the question names the one of the plan, and who stands in for it", async () => {
  const question = await askedAbout("claude-haiku-5-5");
  assert.match(question, /Send the chat to Claude Haiku 5\.5\?.*fails, Claude Sonnet 5\.5 is asked instead/);
  assert.doesNotMatch(await askedAbout("claude-sonnet-5-5"), /instead/);
});

test("another model can be chosen from the question, which then asks about that one; without a choice it asks again", async () => {
  const told: unknown[] = [];
  const answers = ["Another Model…", "Another Model…"];
  vscode.window.showInformationMessage = async (message: unknown) => {
    told.push(message);
    return answers.shift();
  };
  const open = desk(scriptedModel().answers);
  const choices = [{ ...IMPROVER, label: "Two" }, undefined];
  const choose = async () => {
    const improver = choices.shift();
    Object.assign(open.house.models, improver && { improver: async () => improver });
    return improver !== undefined;
  };
  Object.assign(open.house.models, { choose });
  await improve(open.house, await edited(open), new Papers());
  assert.deepEqual(told, ["Send the chat to One?", "Send the chat to Two?", "Send the chat to Two?"]);
  assert.deepEqual(sentIn(open), []);
});

test("of edits nothing is said where there are none", async () => {
  const told = answer(undefined);
  const open = desk(scriptedModel().answers);
  await improve(open.house, await open.pages.open(CHAT, compactionOf(), {}), new Papers());
  assert.doesNotMatch(JSON.stringify(told), /edited/);
});

test("the text comes onto the page as it is written, and at the end the new summary stands there", async () => {
  const { model, open, page, improving } = await writing();
  model.say("<analysis>\nI think about it");
  await until(() => open.document().getText().includes("Thinking… (27 characters)"));
  model.say("\n</analysis>\n<summary>\n1. Intent");
  await until(() => open.document().getText().endsWith("\n\n1. Intent\n"));
  model.end();
  await improving;
  await until(() => open.document().getText().includes("Summary:\nbetter"));
  assert.equal(page.isWriting, false);
  assert.deepEqual(sentIn(open), [{ planId: "better", provider: "editor", userInitiated: true }]);
});

test("nothing is typed or saved into a page while a model writes", async () => {
  const { open, page, improving } = await writing();
  assert.equal((await open.files.stat(page.uri as never)).permissions, vscode.FilePermission.Readonly);
  await assert.rejects(open.files.writeFile(page.uri as never, new Uint8Array()), /NoPermissions/);
  const { useEarlier } = pageCommands(open.house);
  for (const change of [improve(open.house, page, new Papers()), useEarlier?.(page.uri as never)]) {
    await assert.rejects(Promise.resolve(change), { kind: "busy" });
  }
  own(page).writing?.stop();
  await improving;
});

test("stopped, the page is what it was, with its edits, and nobody complains", async () => {
  const { model, open, page, improving } = await writing();
  model.say("<summary>\nhalf");
  await until(() => open.document().getText().includes("half"));
  own(page).writing?.stop();
  await improving;
  await until(() => open.document().getText().includes("build it twice"));
  assert.equal(page.versions.length, 1);
  assert.match(open.pages.current(page).body, /build it twice/);
});

test("what somebody typed into a half text gives way to what the page is at the end", async () => {
  const { open, page, improving } = await writing();
  open.document().type(() => "typed in the moment before it was read-only");
  own(page).writing?.stop();
  await improving;
  assert.match(open.document().getText(), /build it twice/);
  assert.equal(open.document().isDirty, false);
});

test("where the model fails, the page is what it was, and the fault is told", async () => {
  const { model, open, improving } = await writing();
  model.fail(new Fault("providerFailed", "No."));
  await assert.rejects(improving, { kind: "providerFailed" });
  await until(() => open.document().getText().includes("build it twice"));
});

test("a text that is edited while a model is stopped is checked in the end", async () => {
  const { page, improving } = await writing();
  own(page).writing?.stop();
  await improving;
  await until(() => own(page).shown.checked?.body === own(page).shown.body);
  assert.match(own(page).shown.body, /build it twice/);
});

test("two that send at once send once, and the other is told", async () => {
  answer("Send");
  const model = scriptedModel();
  const open = desk(model.answers);
  const page = await edited(open);
  const papers = new Papers();
  const both = [improve(open.house, page, papers), improve(open.house, page, papers)];
  const told = await Promise.race(both).catch(({ kind }: Fault) => kind);
  assert.ok(page.isWriting);
  model.end();
  await Promise.allSettled(both);
  assert.equal(told, "busy");
  assert.equal(sentIn(open).length, 1);
  assert.equal(page.versions.length, 2);
});

test("without a model, and where nothing would be summarised, one sentence says so", async () => {
  answer("Send");
  const idle = desk({ ...scriptedModel().answers, preview: () => ({ ...PLAN, action: "none", reason: "Too short." }) });
  await assert.rejects(improve(idle.house, await edited(idle), new Papers()), {
    kind: "nothingToCompact",
    message: "Too short.",
  });
  const nobody = desk(scriptedModel().answers);
  Object.assign(nobody.house.models, { improver: async () => undefined });
  await assert.rejects(improve(nobody.house, await edited(nobody), new Papers()), { kind: "noModel" });
});

for (const [inputTokens, expected] of [
  [100_000, "better"],
  [200_000, "planOutdated"],
] as const) {
  test(`where the chat has grown from 99,000 to ${inputTokens} tokens since the question, it ends in: ${expected}`, async () => {
    answer("Send");
    const plans = [PLAN, { ...PLAN, planId: "newest", request: { ...PLAN.request, inputTokens } }];
    const summarize = (params: { planId: string }) => {
      if (params.planId !== "newest") {
        throw new Fault("planOutdated", "The chat has changed.");
      }
      return BETTER;
    };
    const open = desk({ ...scriptedModel().answers, preview: () => plans.shift(), summarize });
    const page = await edited(open);
    const outcome = await improve(open.house, page, new Papers()).then(
      () => own(page).shown.compaction.summary.slice("Summary:\n".length),
      (problem: Fault) => problem.kind,
    );
    assert.equal(outcome, expected);
  });
}
