/** The lenses of a document are asked for until the editor has done so, and then left alone. */

import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { AskedLenses } from "../../src/page/askedLenses";
import * as vscode from "../fakes/vscode";

const PAGE = vscode.Uri.parse("compact-chat:/1/A chat.md");
const OTHER = vscode.Uri.parse("file:///notes.md");

interface Provider {
  onDidChangeCodeLenses(listener: () => void): unknown;
  provideCodeLenses(document: { uri: vscode.Uri }): unknown[];
}

/** An editor that counts how often it is told of a change, and asks when the test wants it to. */
function editor(context: TestContext) {
  context.mock.timers.enable({ apis: ["setTimeout"] });
  const visible = new vscode.EventEmitter<unknown[]>();
  let provider: Provider | undefined;
  const told: number[] = [];
  Object.assign(vscode.window, { visibleTextEditors: [], onDidChangeVisibleTextEditors: visible.event });
  vscode.languages.registerCodeLensProvider = (_filter: unknown, given: unknown) => {
    provider = given as Provider;
    provider.onDidChangeCodeLenses(() => told.push(1));
    return new vscode.Disposable(() => undefined);
  };
  const lenses = new AskedLenses("compact-chat", ({ path }) => [path] as never);
  context.after(() => lenses.dispose());
  return {
    lenses,
    told,
    show: (...uris: vscode.Uri[]) => {
      vscode.window.visibleTextEditors = uris.map((uri) => ({ document: { uri } }));
      visible.fire(vscode.window.visibleTextEditors);
    },
    ask: (uri = PAGE) => provider?.provideCodeLenses({ uri }),
    pass: (milliseconds: number) => context.mock.timers.tick(milliseconds),
  };
}

test("an editor that asks by itself is left alone, and gets what belongs to the document", (context) => {
  const { show, ask, pass, told } = editor(context);
  show(PAGE);
  assert.deepEqual(ask(), [PAGE.path]);
  pass(60_000);
  assert.deepEqual(told, []);
});

test("an editor that shows a page and does not ask is told again, more and more seldom, until it asks", (context) => {
  const { show, ask, pass, told } = editor(context);
  show(PAGE);
  pass(500);
  assert.equal(told.length, 1);
  pass(999);
  assert.equal(told.length, 1);
  pass(1);
  assert.equal(told.length, 2);
  ask();
  pass(60_000);
  assert.equal(told.length, 2);
});

test("an editor that never asks, since its user wants no lenses, is not told for ever", (context) => {
  const { show, pass, told } = editor(context);
  show(PAGE);
  for (let seconds = 0; seconds < 600; seconds++) {
    pass(1000);
  }
  assert.ok(told.length <= 6, String(told.length));
});

test("what has changed is told at once, and again where nobody asks", (context) => {
  const { lenses, show, ask, pass, told } = editor(context);
  show(PAGE);
  ask();
  lenses.renew();
  assert.equal(told.length, 1);
  pass(500);
  assert.equal(told.length, 2);
});

test("documents of others, and those that are not on the screen any more, are not waited for", (context) => {
  const { lenses, show, pass, told } = editor(context);
  show(OTHER);
  pass(60_000);
  show(PAGE);
  show(OTHER);
  pass(60_000);
  assert.deepEqual(told, []);
  lenses.renew();
  pass(60_000);
  assert.equal(told.length, 1);
});

test("a page that stays on the screen while another document comes beside it is not asked for again", (context) => {
  const { show, ask, pass, told } = editor(context);
  show(PAGE);
  ask();
  show(PAGE, OTHER);
  pass(60_000);
  assert.deepEqual(told, []);
});
