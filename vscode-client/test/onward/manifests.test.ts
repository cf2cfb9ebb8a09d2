/** What is read from the manifests of other extensions. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { hasPanel, toolNames, withoutToolReferences } from "../../src/onward/manifests";

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

test("names of tools and of sets of tools are found in all manifests", () => {
  const tools = { contributes: { languageModelTools: [{ toolReferenceName: "codebase" }, {}] } };
  const sets = { contributes: { languageModelToolSets: [{ name: "search" }, { name: "x", referenceName: "edit" }] } };
  assert.deepEqual(toolNames([{}, tools, sets]), new Set(["codebase", "search", "edit"]));
});

test("a tool that the text names is no reference any more, and all else stays as it is", () => {
  const names = new Set(["codebase", "compactChat"]);
  const kept = "# codebase\n#42 #file:a.ts #fff a#codebase ##codebase #codebases";
  assert.equal(withoutToolReferences(kept, names), kept);
  assert.equal(
    withoutToolReferences("ask #codebase. Then #compactChat", names),
    "ask #\u2060codebase. Then #\u2060compactChat",
  );
});

test("a megabyte of signs is read in a moment", () => {
  const begun = performance.now();
  for (const part of ["#", "#a", "a-", "-", "#a.b"]) {
    withoutToolReferences(`#${part.repeat(1_000_000 / part.length)}!`, new Set(["a"]));
  }
  assert.ok(performance.now() - begun < 2_000);
});
