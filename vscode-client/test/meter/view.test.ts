/** What stands in the status bar in each state. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../src/faults";
import { type Seen, view } from "../../src/meter/view";
import { chatOf, ENGLISH, reportOf } from "./made";

function seen(given: Partial<Seen> = {}) {
  const nothing = { inUse: undefined, isPicked: false, trouble: undefined, isWriting: false, after: undefined };
  return view({ ...nothing, version: "1.139.1", language: "en", ...given }, ENGLISH.l10n);
}

test("without a chat nothing is shown", () => {
  assert.equal(seen(), undefined);
});

test("a chat in use is one icon and its number", () => {
  const shown = seen({ inUse: chatOf() });
  assert.deepEqual([shown?.text, shown?.level], ["$(fold) 63%", "calm"]);
});

test("the item is loud from 75 percent, and louder from 90", () => {
  const levels = [74, 75, 89, 90].map((percent) => seen({ inUse: chatOf(reportOf({ percent })) })?.level);
  assert.deepEqual(levels, ["calm", "warning", "warning", "error"]);
});

test("while a model writes, the icon turns and the number stays", () => {
  assert.equal(seen({ inUse: chatOf(), isWriting: true })?.text, "$(sync~spin) 63%");
  assert.equal(seen({ isWriting: true })?.text, "$(sync~spin)");
});

test("a server that is not set up is offered without a colour", () => {
  const shown = seen({ trouble: new Fault("notSetUp", "The server is not set up.") });
  assert.deepEqual([shown?.text, shown?.level], ["$(fold) Set Up", "calm"]);
});

test("a server that failed is a sign of warning, and the tooltip says why", () => {
  const shown = seen({ trouble: new Fault("serverFailed", "The server [ended](x) three times.") });
  assert.equal(shown?.text, "$(fold) $(warning)");
  assert.equal(shown?.markdown, "The server \\[ended\\]\\(x\\) three times\\.");
  assert.equal(shown?.spoken, "The server [ended](x) three times.");
});

test("in a folder that is not trusted nothing is shown", () => {
  assert.equal(seen({ trouble: new Fault("notTrusted", "This folder is not trusted.") }), undefined);
});
