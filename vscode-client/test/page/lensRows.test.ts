/** The actions of a page are those that would do something now, in rows that fit an editor. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { rowsFor } from "../../src/page/lensRows";
import { actionsFor } from "../../src/page/more";
import { OpenPage } from "../../src/page/openPage";
import * as vscode from "../fakes/vscode";
import { CHAT } from "./desk";
import { compactionOf, KEY, survivalOf } from "./made";

const FITS = 70; // characters, with the signs between the lenses

function pageOf(change: Parameters<typeof compactionOf>[0] = {}): OpenPage {
  const compaction = compactionOf(change);
  const uri = vscode.Uri.from({ scheme: "compact-chat", path: `/${KEY}/A chat.md` }) as never;
  return new OpenPage(uri, KEY, CHAT, [{ compaction, body: compaction.continuation, options: {} }]);
}

function titles(page: OpenPage, improver?: string): string[] {
  return rowsFor(page, improver).map(({ commands }) => commands.map(({ title }) => title).join(" | "));
}

test("ways on stand above the title, what takes the text elsewhere below it", () => {
  assert.deepEqual(titles(pageOf(), "Claude Sonnet"), [
    "Continue in New Chat | Improve with Claude Sonnet | Change…",
    "Copy | Save as Markdown | More…",
  ]);
});

test("without a model the action stands there all the same, and says what is missing when it is used", () => {
  assert.match(titles(pageOf())[0] ?? "", /Improve with a Model…/);
});

test("no row is too long, whatever a model calls itself", () => {
  const page = pageOf();
  page.push({ compaction: compactionOf(), body: "" }, {});
  assert.ok(titles(page, "x".repeat(1000)).every((row) => row.length <= FITS));
  page.beginWriting({ model: "x\n".repeat(1000), stop: () => undefined });
  page.hear({ thought: 0, text: "x".repeat(1_000_000) });
  assert.ok(titles(page).every((row) => row.length <= FITS));
});

test("while a model writes there is one action: to stop it, with how much it has written", () => {
  const page = pageOf();
  page.beginWriting({ model: "One", stop: () => undefined });
  page.hear({ thought: 0, text: "x".repeat(1240) });
  assert.deepEqual(titles(page), ["One writes… 1,240 characters: Stop"]);
  page.endWriting();
  assert.equal(titles(page).length, 2);
});

test("a page with an earlier version offers the way back", () => {
  const page = pageOf();
  assert.doesNotMatch(titles(page)[1] ?? "", /Use the Summary Before/);
  page.push({ compaction: compactionOf(), body: "" }, {});
  assert.match(titles(page)[1] ?? "", /Use the Summary Before/);
});

test("who has lenses switched off finds what they offer in the list", () => {
  const names = (has: boolean, page = pageOf()) => actionsFor(page, has).map(({ name }) => name);
  assert.deepEqual(names(false).slice(0, 3), ["copy", "saveAsMarkdown", "change"]);
  assert.ok(!names(true).includes("change"));
  assert.ok(!names(false, pageOf({ summary: "" })).includes("copy"));
});

test("a chat that was only cut has no text to continue with or improve: its copy is the way on", () => {
  assert.equal(titles(pageOf({ summary: "" }))[0], "Open Compacted Copy (Experimental) | Change…");
});

test("every action is about its own page", () => {
  const page = pageOf();
  for (const { commands } of rowsFor(page, undefined)) {
    assert.ok(commands.every((one) => one.arguments?.[0] === page.uri));
  }
});

test("the further actions put back only what is lost", () => {
  const names = (page: OpenPage) => actionsFor(page).map(({ name }) => name);
  assert.ok(!names(pageOf()).includes("putAllBack"));
  assert.ok(names(pageOf({ survival: survivalOf({ commands: ["make"] }) })).includes("putAllBack"));
});

test("a session is offered with its own size, if its tool's prompt is known", () => {
  const nextChat = { continuation: null, messages: { tokens: 28_017, fixed: 12_000, messages: 5 } };
  const sizes = (tool: string) =>
    actionsFor(pageOf({ tool, nextChat })).flatMap(({ description }) => description ?? []);
  assert.deepEqual(sizes("claude-code"), ["28,017 tokens"]);
  assert.deepEqual(sizes("vscode"), ["28,017 tokens"]);
  assert.deepEqual(sizes("codex"), []);
});
