/** A model improves a summary only after a yes; stopped or failed, the page is what it was before. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../src/faults";
import type { Asking } from "../../src/house";
import { pageCommands } from "../../src/page/commands";
import { improve, type Proposal } from "../../src/page/improve";
import { own } from "../../src/page/pages";
import { Papers } from "../../src/page/papers";
import { send } from "../../src/page/sending";
import type { Preview } from "../../src/wire";
import * as vscode from "../fakes/vscode";
import { CHAT, type Desk, desk, until } from "./desk";
import { compactionOf, survivalOf } from "./made";

const PLAN = {
  planId: "better",
  action: "compact",
  before: 128_412,
  request: { provider: "editor", model: "one", calls: 2, inputTokens: 99_000, maxOutputTokens: 8000 },
  redactions: { total: 3, kinds: { githubToken: 2, password: 1 } },
  instructions: [{ uri: "file:///shop/CLAUDE.md", text: "" }],
} as unknown as Preview;
const BETTER = compactionOf({
  compactionId: "better00",
  provider: "editor",
  model: "one",
  summary: "Summary:\nbetter",
});

/** A model that a test lets speak, end and fail. */
function scriptedModel() {
  let resolve: (done: unknown) => void = () => undefined;
  let reject: (problem: unknown) => void = () => undefined;
  const promise = new Promise<unknown>((...given) => {
    [resolve, reject] = given;
  });
  let asking: Asking = {};
  const summarize = (_params: never, given: Asking) => {
    asking = given;
    given.token?.onCancellationRequested(() => reject(new Fault("cancelled", "Stopped.")));
    return promise;
  };
  const answers = {
    check: () => ({ survival: survivalOf({}), warnings: [], continuation: "" }),
    preview: () => PLAN,
    summarize,
    prompt: () => ({
      system: "Be brief.",
      messages: [{ role: "user", content: "The chat" }],
      planId: "better",
      tokens: 9,
    }),
  };
  return {
    answers,
    say: (text: string) => asking.heard?.(text),
    end: () => resolve(BETTER),
    fail: (problem: unknown) => reject(problem),
  };
}

function answer(button: string | undefined): unknown[][] {
  const told: unknown[][] = [];
  vscode.window.showInformationMessage = async (...given: unknown[]) => {
    told.push(given);
    return button;
  };
  return told;
}

async function edited({ pages, document }: Desk) {
  const page = await pages.open(CHAT, compactionOf(), {});
  document().type((text) => text.replace("build it", "build it twice"));
  return page;
}

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
  assert.deepEqual(buttons, ["Send", "Show Text"]);
  assert.ok(open.asked.every(({ name }) => name !== "summarize"));
});

test("of edits nothing is said where there are none", async () => {
  const told = answer(undefined);
  const open = desk(scriptedModel().answers);
  await improve(open.house, await open.pages.open(CHAT, compactionOf(), {}), new Papers());
  assert.doesNotMatch(JSON.stringify(told), /edited/);
});

test("the text comes onto the page as it is written, and at the end the new summary stands there", async () => {
  answer("Send");
  const model = scriptedModel();
  const open = desk(model.answers);
  const page = await edited(open);
  const improving = improve(open.house, page, new Papers());
  await until(() => page.isWriting);
  model.say("<analysis>\nI think about it");
  await until(() => open.document().getText().includes("Thinking… (27 characters)"));
  model.say("\n</analysis>\n<summary>\n1. Intent");
  await until(() => open.document().getText().endsWith("\n\n1. Intent\n"));
  model.end();
  await improving;
  await until(() => open.document().getText().includes("Summary:\nbetter"));
  assert.equal(page.isWriting, false);
  const sent = open.asked.find(({ name }) => name === "summarize")?.params;
  assert.deepEqual(sent, { planId: "better", provider: "editor", userInitiated: true });
});

test("nothing is typed or saved into a page while a model writes", async () => {
  answer("Send");
  const model = scriptedModel();
  const open = desk(model.answers);
  const page = await edited(open);
  const improving = improve(open.house, page, new Papers());
  await until(() => page.isWriting);
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
  answer("Send");
  const model = scriptedModel();
  const open = desk(model.answers);
  const page = await edited(open);
  const improving = improve(open.house, page, new Papers());
  await until(() => page.isWriting);
  model.say("<summary>\nhalf");
  await until(() => open.document().getText().includes("half"));
  own(page).writing?.stop();
  await improving;
  await until(() => open.document().getText().includes("build it twice"));
  assert.equal(page.versions.length, 1);
  assert.match(open.pages.current(page).body, /build it twice/);
});

test("what somebody typed into a half text gives way to what the page is at the end", async () => {
  answer("Send");
  const model = scriptedModel();
  const open = desk(model.answers);
  const page = await edited(open);
  const improving = improve(open.house, page, new Papers());
  await until(() => page.isWriting);
  open.document().type(() => "typed in the moment before it was read-only");
  own(page).writing?.stop();
  await improving;
  assert.match(open.document().getText(), /build it twice/);
  assert.equal(open.document().isDirty, false);
});

test("where the model fails, the page is what it was, and the fault is told", async () => {
  answer("Send");
  const model = scriptedModel();
  const open = desk(model.answers);
  const page = await edited(open);
  const improving = improve(open.house, page, new Papers());
  await until(() => page.isWriting);
  model.fail(new Fault("providerFailed", "No."));
  await assert.rejects(improving, { kind: "providerFailed" });
  await until(() => open.document().getText().includes("build it twice"));
});

test("two that send at once send once", async () => {
  answer("Send");
  const model = scriptedModel();
  const open = desk(model.answers);
  const page = await edited(open);
  const papers = new Papers();
  const both = [improve(open.house, page, papers), improve(open.house, page, papers)];
  await Promise.race(both);
  assert.ok(page.isWriting);
  model.end();
  await Promise.all(both);
  assert.equal(open.asked.filter(({ name }) => name === "summarize").length, 1);
  assert.equal(page.versions.length, 2);
});

test("the very text can be read first, and is sent only from there", async () => {
  answer("Show Text");
  const open = desk(scriptedModel().answers);
  const page = await edited(open);
  const papers = new Papers();
  const shown: { sheet: { text: string }; actions: readonly { command: string }[] }[] = [];
  papers.show = async (paper) => {
    shown.push(paper);
    return page.uri;
  };
  await improve(open.house, page, papers);
  assert.match(shown[0]?.sheet.text ?? "", /Be brief\.[\s\S]*The chat/);
  assert.deepEqual(
    shown[0]?.actions.map(({ command }) => command),
    ["compactChat.ui.sendShown"],
  );
  assert.ok(open.asked.every(({ name }) => name !== "summarize"));
});

test("only the text that was shown is sent: where the chat has grown since, it is to be looked at again", async () => {
  answer("Show Text");
  const outdated = () => Promise.reject(new Fault("planOutdated", "The chat has changed."));
  const prompt = () => ({ system: "", messages: [], planId: "shown", tokens: 9 });
  const open = desk({ ...scriptedModel().answers, prompt, summarize: outdated });
  const page = await edited(open);
  const papers = new Papers();
  let shown: unknown;
  papers.show = async ({ actions }) => {
    shown = actions[0]?.arguments?.[0];
    return page.uri;
  };
  await improve(open.house, page, papers);
  const before = open.document().getText();
  await assert.rejects(send(open.house, shown as Proposal), { kind: "textOutdated" });
  const sent = open.asked.filter(({ name }) => name === "summarize").map(({ params }) => params);
  assert.deepEqual(sent, [{ planId: "shown", provider: "editor", userInitiated: true }]);
  await until(() => open.document().getText() === before);
});

test("a text that is edited while a model is stopped is checked in the end", async () => {
  answer("Send");
  const model = scriptedModel();
  const open = desk(model.answers);
  const page = await edited(open);
  const improving = improve(open.house, page, new Papers());
  await until(() => page.isWriting);
  own(page).writing?.stop();
  await improving;
  await until(() => own(page).shown.checked?.body === own(page).shown.body);
  assert.match(own(page).shown.body, /build it twice/);
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

test("where the chat has grown a little since the question, its newest state is summarised; after much, nothing is sent", async () => {
  for (const [inputTokens, expected] of [
    [100_000, "better"],
    [200_000, "planOutdated"],
  ] as const) {
    answer("Send");
    const model = scriptedModel();
    const plans = [PLAN, { ...PLAN, planId: "newest", request: { ...PLAN.request, inputTokens } }];
    const summarize = (params: { planId: string }) => {
      if (params.planId !== "newest") {
        throw new Fault("planOutdated", "The chat has changed.");
      }
      return BETTER;
    };
    const open = desk({ ...model.answers, preview: () => plans.shift(), summarize });
    const page = await edited(open);
    const improving = improve(open.house, page, new Papers());
    const outcome = await improving.then(
      () => own(page).shown.compaction.summary.slice("Summary:\n".length),
      (problem: Fault) => problem.kind,
    );
    assert.equal(outcome, expected);
  }
});
