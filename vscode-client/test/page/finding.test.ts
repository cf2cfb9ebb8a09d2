/** A page that could not be shown is looked for again as soon as it may be found. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../src/faults";
import { addressOf } from "../../src/page/address";
import * as vscode from "../fakes/vscode";
import { desk, until } from "./desk";
import { compactionOf, KEY, survivalOf } from "./made";

const UNKNOWN = new Fault("compactionNotFound", "No compaction has this id.");
const PAGE = addressOf(KEY, "x");

/** A tab whose page is not there until `isThere`. */
async function failed() {
  const archive = { isThere: false };
  const found = { compaction: compactionOf(), uri: null, archive: null };
  const open = desk({
    check: () => ({ survival: survivalOf({}), warnings: [], continuation: "" }),
    restore: () => (archive.isThere ? found : Promise.reject(UNKNOWN)),
    history: () => ({ compactions: [] }),
  });
  await vscode.workspace.openTextDocument(PAGE);
  assert.match(open.document().getText(), /cannot be shown now/);
  const looks = () => open.asked.filter(({ name }) => name === "restore").length;
  return { ...open, archive, looks };
}

test("a page that is not there is looked for once, however often the editor reads it", async () => {
  const { files, looks } = await failed();
  await files.stat(PAGE as never);
  await files.readFile(PAGE as never);
  assert.equal(looks(), 1);
});

test("who asks for the page anew gets it, and so does its tab", async () => {
  const { pages, document, archive } = await failed();
  await assert.rejects(pages.of(PAGE), { kind: "compactionNotFound" });
  archive.isThere = true;
  assert.equal((await pages.of(PAGE))?.key, KEY);
  await until(() => document().getText().includes("build it"));
});

test("after a change of our settings the tab shows the page, and other settings change nothing", async (context) => {
  context.after(() => vscode.workspace.settings.clear());
  const { document, archive, looks } = await failed();
  archive.isThere = true;
  vscode.workspace.change("editor.codeLens", false);
  vscode.workspace.change("compactChat.archive", "/disk");
  await until(() => document().getText().includes("build it"));
  assert.equal(looks(), 2);
});
