/** Numbers, ages, and the text of chats made safe. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { modelName, tokens } from "../page/words";
import { ago, count, fileSize, label, markdownLine, oneLine, toolName } from "../src/words";
import { env } from "./fakes/vscode";

test("a tool has the name that its users know, and an unknown one has none", () => {
  assert.equal(toolName("claude-code"), "Claude Code");
  assert.equal(toolName("vscode"), "VS Code");
  assert.equal(toolName("unknown"), undefined);
  assert.equal(toolName("constructor"), undefined);
});

test("numbers are grouped as the language does it", () => {
  assert.equal(count(1240), "1,240");
  env.language = "de";
  assert.equal(count(1240), "1.240");
  env.language = "en";
});

test("a number of tokens is short, as the language writes it", () => {
  assert.deepEqual(
    [840, 999.4, 1000, 6240, 9960, 136_400, 999_600, 1_240_000].map((number) => tokens(number)),
    ["840", "999", "1k", "6.2k", "10k", "136k", "1M", "1.2M"],
  );
  assert.equal(tokens(6240, "de"), "6,2k");
});

test("models have names as people know them", () => {
  assert.equal(modelName("claude-haiku-5-5"), "Claude Haiku 5.5");
  assert.equal(modelName("claude-opus-5-20260801"), "Claude Opus 5");
  assert.equal(modelName("my-gateway/model"), "my-gateway/model");
  assert.equal(modelName("copilot/gpt-5"), "gpt-5");
});

test("a file's size is told in kilobytes below a megabyte, and a small file is not told as empty", () => {
  assert.deepEqual(
    [0, 1, 1240, 999_999, 1_240_000].map((bytes) => fileSize(bytes)),
    ["0 kB", "1 kB", "1 kB", "1,000 kB", "1.2 MB"],
  );
});

test("an age is told in the largest unit that has passed, and the future is now", (t) => {
  t.mock.timers.enable({ apis: ["Date"], now: new Date("2026-11-18T12:00:00Z") });
  const before = (seconds: number) => ago(new Date(Date.now() - seconds * 1000));
  assert.deepEqual([-50, 0, 59, 60, 3599, 3600, 86_400, 40 * 86_400].map(before), [
    "now",
    "now",
    "now",
    "1 minute ago",
    "59 minutes ago",
    "1 hour ago",
    "yesterday",
    "last month",
  ]);
});

test("text of a chat becomes one line without signs that steer the screen", () => {
  assert.equal(oneLine("  a\r\n\tb\u0000c\u202Ed\u2066e\ufeff ", 80), "a b c d e");
});

test("a line ends with a sign that it was cut, between whole characters", () => {
  assert.equal(oneLine("abcdef", 6), "abcdef");
  assert.equal(oneLine("abcdefg", 6), "abcde…");
  assert.equal(oneLine("👩‍🚀".repeat(9), 4).endsWith("…"), true);
  assert.equal(oneLine("👍👍👍", 2), "👍…");
  assert.doesNotMatch(oneLine(`x${"😀".repeat(5000)}`, 10), /\p{Cs}/u);
});

test("a title of 10,000 characters costs no more than what is shown of it", () => {
  assert.equal(oneLine("word ".repeat(2000), 60).length <= 60, true);
});

test("a label shows no icon that a chat asks for", () => {
  assert.equal(label("$(trash) gone", 80).includes("$("), false);
  assert.equal(label("costs $5 (five)", 80), "costs $5 (five)");
});

test("a line that runs from right to left cannot turn what stands beside it", () => {
  assert.equal(label("שלום", 80), "\u2068שלום\u2069");
  assert.equal(label("مرحبا (1)", 80), "\u2068مرحبا (1)\u2069");
  assert.equal(label("plain", 80), "plain");
});

test("nothing of a chat is markup in Markdown", () => {
  const odd = "a|b](command:x) <img src=x> *b* `c` # $(sync) https://e.org www.e.org & _d_ ~~e~~ \\";
  const line = markdownLine(odd, 200);
  assert.doesNotMatch(line, /(?<!\\)[|<>*`#[\]()_~&]/);
  assert.doesNotMatch(line, /https:|www\.e/);
  assert.equal(line.replaceAll(/\\(?=[!-/:-@[-`{-~])/g, "").replaceAll("\u2060", ""), odd);
});
