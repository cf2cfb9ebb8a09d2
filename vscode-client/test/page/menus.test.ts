/** The menus of the editor offer what would do something for the document in front, and nothing else. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { afterEach, test } from "node:test";
import { pageCommands } from "../../src/page/commands";
import { own } from "../../src/page/pages";
import { Papers } from "../../src/page/papers";
import { Sheet } from "../../src/page/sheet";
import * as vscode from "../fakes/vscode";
import { CHAT, desk } from "./desk";
import { compactionOf, survivalOf } from "./made";

const ANSWERS = { check: () => ({ survival: survivalOf({}), warnings: [], continuation: "" }) };
const usual = { window: { ...vscode.window }, commands: { ...vscode.commands } };

afterEach(() => {
  Object.assign(vscode.window, usual.window);
  Object.assign(vscode.commands, usual.commands);
});

/** Keeps what the editor is told, and which other commands are run. */
function editor() {
  const keys = new Map<string, unknown>();
  const told: string[] = [];
  const run: unknown[][] = [];
  vscode.commands.executeCommand = async (...given: unknown[]) => {
    const [name, key, value] = given;
    if (name === "setContext") {
      keys.set(String(key), value);
      told.push(String(key));
    } else {
      run.push(given);
    }
  };
  return { keys, told, run };
}

test("*Continue* and *Improve* are offered for pages with a summary, *Stop* while a model writes", async () => {
  const { keys, told } = editor();
  const { pages } = desk(ANSWERS);
  const page = await pages.open(CHAT, compactionOf(), {});
  await pages.open(CHAT, compactionOf({ compactionId: "00000001", summary: "" }), { strategy: "prune" });
  const uri = String(page.uri);
  assert.deepEqual(keys.get("compactChat.pagesWithSummary"), [uri]);
  own(page).beginWriting({ model: "One", stop: () => undefined });
  own(page).hear({ thought: 0, text: "Once upon a time" });
  assert.deepEqual(keys.get("compactChat.pagesWithSummary"), []);
  assert.deepEqual(keys.get("compactChat.pagesInWriting"), [uri]);
  own(page).endWriting();
  assert.deepEqual(keys.get("compactChat.pagesWithSummary"), [uri]);
  assert.deepEqual(keys.get("compactChat.pagesInWriting"), []);
  assert.equal(told.length, 2 + 5, "the editor is told what holds at first, and then only what is new");
});

test("a page that is changed to one without a summary, or to one with it, is offered what fits", async () => {
  const { keys } = editor();
  const { pages } = desk(ANSWERS);
  const page = await pages.open(CHAT, compactionOf(), {});
  const pruned = compactionOf({ compactionId: "00000001", summary: "" });
  await pages.show(page, { compaction: pruned, body: "" }, { strategy: "prune" });
  assert.deepEqual(keys.get("compactChat.pagesWithSummary"), []);
  own(page).turnBack();
  assert.deepEqual(keys.get("compactChat.pagesWithSummary"), [String(page.uri)]);
});

test("the actions of a paper can be chosen from its title, as long as it has some and stands open", async () => {
  const { keys, run } = editor();
  const closed = new vscode.EventEmitter<unknown>();
  Object.assign(vscode.workspace, { onDidCloseTextDocument: closed.event, openTextDocument: async () => undefined });
  Object.assign(vscode.window, { showTextDocument: async () => undefined });
  const papers = new Papers();
  const send = { command: "compactChat.ui.sendShown", title: "Send to One", arguments: ["proposal"] };
  const copy = { command: "compactChat.ui.compact", title: "Compact Chat" };
  const uri = await papers.show({ title: "Request", sheet: new Sheet(), actions: [send, copy] });
  await papers.show({ title: "Commands", sheet: new Sheet(), actions: [] });
  assert.deepEqual(keys.get("compactChat.papersWithActions"), [String(uri)]);
  vscode.window.showQuickPick = async (...[items]: unknown[]) =>
    (items as { label: string }[]).find(({ label }) => label === "Send to One");
  await papers.offerActions(uri);
  assert.deepEqual(run, [["compactChat.ui.sendShown", "proposal"]]);
  vscode.window.showQuickPick = async () => undefined;
  await papers.offerActions(uri);
  assert.equal(run.length, 1);
  closed.fire({ uri });
  assert.deepEqual(keys.get("compactChat.papersWithActions"), []);
});

test("without code lenses, what was lost is copied from the title of its list, and from the palette", async () => {
  const { run } = editor();
  const { house } = desk({ check: () => ({ survival: survivalOf({ commands: ["make"] }), warnings: [] }) });
  Object.assign(house, { chats: { wanted: async () => CHAT } });
  const opened: vscode.Uri[] = [];
  Object.assign(vscode.workspace, { openTextDocument: async (uri: vscode.Uri) => void opened.push(uri) });
  const { checkLast, paperActions } = pageCommands(house);
  await checkLast?.();
  vscode.window.showQuickPick = async (...[items]: unknown[]) => (items as unknown[])[0];
  await paperActions?.(opened[0] as never);
  Object.assign(vscode.window, { activeTextEditor: { document: { uri: opened[0] } } });
  await paperActions?.();
  assert.deepEqual(
    run.map(([name]) => name),
    ["compactChat.ui.copyLost", "compactChat.ui.copyLost"],
  );
});

test("every key of ours that the manifest asks for is one that the code tells", () => {
  const asked = readFileSync("package.json", "utf8").matchAll(/ in (compactChat\.\w+)/g);
  const sources = readdirSync("src/page").map((name) => readFileSync(`src/page/${name}`, "utf8"));
  const told = Array.from(sources.join("\n").matchAll(/new MenuKey\("(.+?)"\)/g), ([, key]) => key);
  assert.deepEqual(new Set(Array.from(asked, ([, key]) => key)), new Set(told));
});
