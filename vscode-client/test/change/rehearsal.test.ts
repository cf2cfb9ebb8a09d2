/** A plan while a person changes it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { CancellationTokenSource } from "vscode";
import { Rehearsal } from "../../src/change/rehearsal";
import type { Options } from "../../src/wire";
import { type Asked, afterwards, previewOf, serverAsked } from "./made";

const CHAT = { uri: "file:///chat.jsonl" };
const TOKEN = new CancellationTokenSource().token;

test("a choice is in the options at once and in the preview when the server has answered", async () => {
  const { rehearsal, asked } = await begun();
  void rehearsal.propose({ pin: ["a"] });
  assert.deepEqual(rehearsal.options, { pin: ["a"] });
  assert.ok(rehearsal.isBusy);
  await last(asked).answer(previewOf({ planId: "pinned" }));
  assert.equal(rehearsal.preview.planId, "pinned");
  assert.ok(!rehearsal.isBusy);
});

test("a new choice cancels the preview of the one before, whose answer no longer counts", async () => {
  const { rehearsal, asked } = await begun();
  void rehearsal.propose({ pin: ["a"] });
  const first = last(asked);
  void rehearsal.propose({ pin: ["a", "b"] });
  assert.ok(first.isCancelled());
  await first.answer(previewOf({ planId: "late" }));
  assert.equal(rehearsal.preview.planId, "plan");
  await last(asked).answer(previewOf({ planId: "both" }));
  assert.equal(rehearsal.preview.planId, "both");
});

test("a choice that the server refuses is taken back, and its sentence is told without the path", async () => {
  const { rehearsal, asked } = await begun({ pin: ["a"] });
  void rehearsal.propose({ pin: ["a"], drop: ["b"] });
  await last(asked).refuse("invalidParams", "$.options.drop[0]: This message, or one of its exchange, is pinned.");
  assert.deepEqual(rehearsal.options, { pin: ["a"] });
  assert.equal(rehearsal.problem, "Taken back: This message, or one of its exchange, is pinned.");
  assert.equal(rehearsal.preview.planId, "plan");
});

test("the choice before a refused one stays, though its own preview was cancelled for it", async () => {
  const { rehearsal, asked } = await begun();
  void rehearsal.propose({ pin: ["a"] });
  void rehearsal.propose({ pin: ["a"], drop: ["b"] });
  await last(asked).refuse("invalidParams", "No.");
  assert.deepEqual(rehearsal.options, { pin: ["a"] });
  assert.ok(rehearsal.isBusy);
  await last(asked).answer(previewOf({ planId: "pinned" }));
  assert.equal(rehearsal.preview.planId, "pinned");
  assert.equal(rehearsal.problem, "Taken back: No.");
});

test("the next choice takes the sentence of a refused one away", async () => {
  const { rehearsal, asked } = await begun();
  void rehearsal.propose({ drop: ["b"] });
  await last(asked).refuse("invalidParams", "No.");
  void rehearsal.propose({ pin: ["b"] });
  assert.equal(rehearsal.problem, undefined);
  await last(asked).answer(previewOf());
});

test("choices about messages that the chat no longer has are forgotten at the start, and only they, and this is told", async () => {
  const { server, asked } = serverAsked();
  const others = { style: "brief", instructions: "the parser", continuation: { silent: true } } as const;
  const beginning = Rehearsal.of(server, CHAT, { ...others, pin: ["gone"] }, TOKEN);
  await last(asked).refuse("messageNotFound", "$.options.pin[0] is no message's id.");
  assert.deepEqual(last(asked).params.options, others);
  await last(asked).answer(previewOf());
  assert.match((await beginning).problem ?? "", /no longer/);
});

test("a chat that cannot be read is a fault at the start", async () => {
  const { server, asked } = serverAsked();
  const beginning = Rehearsal.of(server, CHAT, {}, TOKEN);
  await Promise.all([assert.rejects(beginning, { kind: "chatNotFound" }), last(asked).refuse("chatNotFound", "Gone.")]);
});

test("who waits for it to be settled goes on once the last preview is there", async () => {
  const { rehearsal, asked } = await begun();
  void rehearsal.propose({ pin: ["a"] });
  let isSettled = false;
  const waiting = rehearsal.settled().then(() => {
    isSettled = true;
  });
  await afterwards();
  assert.ok(!isSettled);
  await last(asked).answer(previewOf());
  await waiting;
});

test("its end cancels what is still asked for", async () => {
  const { rehearsal, asked } = await begun();
  void rehearsal.propose({ pin: ["a"] });
  rehearsal.dispose();
  assert.ok(last(asked).isCancelled());
});

async function begun(options: Options = {}): Promise<{ rehearsal: Rehearsal; asked: Asked[] }> {
  const { server, asked } = serverAsked();
  const beginning = Rehearsal.of(server, CHAT, options, TOKEN);
  await last(asked).answer(previewOf());
  return { rehearsal: await beginning, asked };
}

function last(asked: readonly Asked[]): Asked {
  const question = asked.at(-1);
  assert.ok(question, "nothing was asked");
  return question;
}
