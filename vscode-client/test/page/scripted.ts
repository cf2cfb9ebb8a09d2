/** What the tests about improving share: a model that a test lets speak, and a person who has it write for a page. */

import assert from "node:assert/strict";
import { Fault } from "../../src/faults";
import type { Asking, Page } from "../../src/house";
import { improve, type Proposal } from "../../src/page/improve";
import { type Paper, Papers } from "../../src/page/papers";
import type { Preview } from "../../src/wire";
import * as vscode from "../fakes/vscode";
import { type Answers, CHAT, type Desk, desk, until } from "./desk";
import { compactionOf, survivalOf } from "./made";

export const PLAN = {
  planId: "better",
  action: "compact",
  before: 128_412,
  request: { provider: "editor", model: "one", calls: 2, inputTokens: 99_000, maxOutputTokens: 8000 },
  redactions: { total: 3, kinds: { githubToken: 2, password: 1 } },
  instructions: [{ uri: "file:///shop/CLAUDE.md", text: "" }],
} as unknown as Preview;
export const BETTER = compactionOf({
  compactionId: "better00",
  provider: "editor",
  model: "one",
  summary: "Summary:\nbetter",
});

/** A model that a test lets speak, end and fail. */
export function scriptedModel() {
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
  const messages = [{ role: "user", content: "The chat" }];
  const answers = {
    check: () => ({ survival: survivalOf({}), warnings: [], continuation: "" }),
    preview: () => PLAN,
    summarize,
    prompt: () => ({ system: "Be brief.", messages, planId: "shown", tokens: 9 }),
  };
  return {
    answers,
    say: (text: string) => asking.heard?.(text),
    end: () => resolve(BETTER),
    fail: (problem: unknown) => reject(problem),
  };
}

/** Has a person press a button of each question, or none; gives what was asked. */
export function answer(button: string | undefined): unknown[][] {
  const told: unknown[][] = [];
  vscode.window.showInformationMessage = async (...given: unknown[]) => {
    told.push(given);
    return button;
  };
  return told;
}

/** Opens a page and edits it. */
export async function edited({ pages, document }: Desk): Promise<Page> {
  const page = await pages.open(CHAT, compactionOf(), {});
  document().type((text) => text.replace("build it", "build it twice"));
  return page;
}

/** Has a model write for an edited page, up to where it begins. */
export async function writing() {
  answer("Send");
  const model = scriptedModel();
  const open = desk(model.answers);
  const page = await edited(open);
  const improving = improve(open.house, page, new Papers());
  await until(() => page.isWriting);
  return { model, open, page, improving };
}

/** Has a person look at the text first; gives the document and what its action would send. */
export async function looking(answers: Answers = {}) {
  answer("Show Text");
  const model = scriptedModel();
  const open = desk({ ...model.answers, ...answers });
  const page = await edited(open);
  const papers = new Papers();
  const shown: Paper[] = [];
  papers.show = async (paper) => {
    shown.push(paper);
    return page.uri;
  };
  await improve(open.house, page, papers);
  const [paper] = shown;
  assert.ok(paper);
  return { model, open, page, paper, proposal: paper.actions[0]?.arguments?.[0] as Proposal };
}

/** What was sent to a model. */
export function sentIn({ asked }: Desk): unknown[] {
  return asked.filter(({ name }) => name === "summarize").map(({ params }) => params);
}
