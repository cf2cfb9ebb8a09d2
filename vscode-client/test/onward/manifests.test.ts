/** What is read from the manifests of other extensions. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { hasPanel } from "../../src/onward/manifests";

const COPILOT = { contributes: { chatParticipants: [{}, { isDefault: true }] } };
const NEW_CHAT = "workbench.action.chat.newChat";

test("a panel is there where it can be opened and somebody answers in it", () => {
  assert.equal(hasPanel([{}, COPILOT], [NEW_CHAT]), true);
  assert.equal(hasPanel([], [NEW_CHAT, "github.copilot.chat.explain"]), true);
});

test("no panel is there where the editor has no such command, or nobody answers", () => {
  assert.equal(hasPanel([COPILOT], ["workbench.action.quit"]), false);
  assert.equal(hasPanel([{ contributes: { chatParticipants: [{}] } }, {}], [NEW_CHAT]), false);
});
