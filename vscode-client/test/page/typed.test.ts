/** Of a message that an editor framed, a person sees what was typed. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { wholeText } from "../../src/page/putting";
import { readingOf } from "../../src/page/transcriptText";
import { typed } from "../../src/page/typed";
import { inLinearTime } from "./made";

const l10n = { t: (text: string) => text };
const FRAMED = "<context>\nToday\n</context>\n<userRequest>\nBake rye.\nThen rest.\n</userRequest>\n";

test("the typed words stand in the frame", () => {
  assert.equal(typed(FRAMED), "Bake rye.\nThen rest.");
  assert.equal(typed("<user_query>Bake rye.</user_query>"), "Bake rye.");
});

test("a frame that was quoted in the typed words is a part of them", () => {
  const quoted = "As before:\n<userRequest>\nBake.\n</userRequest>\nAnd rest.";
  assert.equal(typed(`<userRequest>\n${quoted}\n</userRequest>`), quoted);
});

test("a message without a whole frame stays as it is", () => {
  for (const text of ["Bake rye.", "", "What is <userRequest>?", "<userRequest>a</userRequest> is a tag"]) {
    assert.equal(typed(text), text);
  }
});

test("a lost message is put back, and shown in the original, without its frame", () => {
  const lost = { id: "userMessages:1", text: "Bake rye…", message: "m1" };
  assert.equal(wholeText("userMessages", lost, FRAMED), "Bake rye.\nThen rest.");
  const message = { id: "m1", index: 0, role: "user", kind: "text", text: FRAMED } as const;
  const { text } = readingOf(
    { title: "Rye", tool: "vscode", format: "vscode", messages: [message], warnings: [] },
    l10n,
    "en",
  );
  assert.equal(text, "# Rye\n\n## 1 · User\n\nBake rye.\nThen rest.\n");
});

test("megabytes of beginnings of frames do not hold anybody up", () => {
  const frames = "<userRequest>".repeat(800_000);
  inLinearTime(() => {
    assert.equal(typed(`${frames}no end`), `${frames}no end`);
    assert.equal(typed(`${frames}x</userRequest>`).at(-1), "x");
  });
});
