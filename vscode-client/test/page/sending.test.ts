/** The text of a request, shown before it is sent: that text is sent, or none. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../src/faults";
import { send } from "../../src/page/sending";
import { IMPROVER, until } from "./desk";
import { BETTER, looking, sentIn } from "./scripted";

test("the very text can be read first, and is sent only from there", async () => {
  const { open, paper } = await looking();
  assert.match(paper.sheet.text, /Be brief\.[\s\S]*The chat/);
  assert.deepEqual(
    paper.actions.map(({ command }) => command),
    ["compactChat.ui.sendShown"],
  );
  assert.deepEqual(sentIn(open), []);
});

test("only the text that was shown is sent: where the chat has grown since, it is to be looked at again", async () => {
  const summarize = () => Promise.reject(new Fault("planOutdated", "The chat has changed."));
  const { open, proposal } = await looking({ summarize });
  const before = open.document().getText();
  await assert.rejects(send(open.house, proposal), { kind: "textOutdated" });
  assert.deepEqual(sentIn(open), [{ planId: "shown", provider: "editor", userInitiated: true }]);
  await until(() => open.document().getText() === before);
});

test("what was shown for a model is not sent once the settings name another one, or none", async () => {
  const { open, page, proposal } = await looking({ summarize: () => BETTER });
  for (const [improver, kind] of [
    [undefined, "noModel"],
    [{ ...IMPROVER, options: { summaryModel: "editor:two" } }, "otherModel"],
    [{ ...IMPROVER, provider: "anthropic" }, "otherModel"],
  ] as const) {
    Object.assign(open.house.models, { improver: async () => improver });
    await assert.rejects(send(open.house, proposal), { kind });
  }
  assert.deepEqual(sentIn(open), []);
  assert.equal(page.isWriting, false);
});

test("while a model writes already, the shown text is not sent, and that is told", async () => {
  const { model, open, page, proposal } = await looking();
  const first = send(open.house, proposal);
  await until(() => page.isWriting);
  const second = assert.rejects(send(open.house, proposal), { kind: "busy" });
  model.end();
  await Promise.all([first, second]);
  assert.equal(sentIn(open).length, 1);
});
