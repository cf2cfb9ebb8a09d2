/** The original is shown as text in which each message can be found. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { lineOf, readingOf } from "../../src/page/transcriptText";
import type { MessageText, Transcript } from "../../src/wire";
import { l10n } from "../fakes/vscode";
import { ODD } from "./made";

function transcriptOf(texts: readonly string[]): Transcript {
  const messages = texts.map(
    (text, index): MessageText => ({
      id: `id-${index}-x`,
      index,
      role: index % 2 ? "assistant" : "user",
      kind: "text",
      text,
    }),
  );
  return { title: "A chat", tool: "codex", format: "codex", messages, warnings: [] };
}

test("each message has a heading with its number and its sender, and its whole text", () => {
  const { text } = readingOf(transcriptOf(["Build it", "Built\nit"]), l10n, "en");
  assert.equal(text, "# A chat\n\n## 1 · User\n\nBuild it\n\n## 2 · Assistant\n\nBuilt\nit\n");
});

test("the line of each message is known, whatever stands in the messages before it", () => {
  const reading = readingOf(transcriptOf(ODD), l10n, "en");
  const lines = reading.text.split("\n");
  for (const index of ODD.keys()) {
    assert.match(lines[lineOf(reading, `id-${index}-x`) ?? -1] ?? "", new RegExp(`^## ${index + 1} · `));
  }
});

test("an id may be shortened to its beginning, and an unknown one has no line", () => {
  const reading = readingOf(transcriptOf(["one", "two"]), l10n, "en");
  assert.equal(lineOf(reading, "id-1"), lineOf(reading, "id-1-x"));
  assert.equal(lineOf(reading, "other"), undefined);
});

test("of a message of a megabyte the beginning is shown, and how much is left", () => {
  const { text } = readingOf(transcriptOf(["x".repeat(1_000_000)]), l10n, "en");
  assert.ok(text.length < 200_000);
  assert.match(text, /\(and 900,000 characters more\)/);
});

test("calls, results and earlier summaries are told apart", () => {
  const kinds = [
    ["assistant", "toolCall"],
    ["user", "toolResult"],
    ["user", "summary"],
    ["system", "text"],
  ] as const;
  const messages = kinds.map(([role, kind], index): MessageText => ({ id: `${index}`, index, role, kind, text: "" }));
  const headings = readingOf({ ...transcriptOf([]), messages }, l10n, "en")
    .text.split("\n")
    .filter((line) => line.startsWith("## "));
  assert.deepEqual(headings, [
    "## 1 · Assistant, calling a tool",
    "## 2 · Result of a tool",
    "## 3 · Summary of earlier messages",
    "## 4 · System",
  ]);
});
