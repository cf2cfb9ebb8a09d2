/** What a reload would lose of a page is kept privately, within bounds, and only where the archive is on. */

import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { Compaction } from "../../src/wire";
import * as vscode from "../fakes/vscode";
import { CHAT, type Desk, desk, until } from "./desk";
import { compactionOf, KEY, survivalOf } from "./made";

const PLAIN = { check: () => ({ survival: survivalOf({}), warnings: [], continuation: "" }) };

function kept({ storage }: Desk): string[] {
  try {
    return readdirSync(join(storage, "pages"));
  } catch {
    return [];
  }
}

async function editedPage(open: Desk, change: Partial<Compaction> = {}): Promise<void> {
  await open.pages.open(CHAT, compactionOf(change), {});
  open.document().type((text) => text.replace("build it", "build it twice"));
  await open.document().save();
}

test("an edit that is saved is on the disk, where only its owner can read it", async () => {
  const open = desk(PLAIN);
  await editedPage(open);
  const path = join(open.storage, "pages", `${KEY}.json`);
  assert.match(readFileSync(path, "utf8"), /build it twice/);
  assert.equal(statSync(path).mode & 0o077, 0);
  assert.equal(statSync(join(open.storage, "pages")).mode & 0o077, 0);
  assert.deepEqual(kept(open), [`${KEY}.json`]);
});

test("of a compaction that was not archived nothing is kept", async () => {
  const open = desk(PLAIN);
  await editedPage(open, { archive: null });
  assert.deepEqual(kept(open), []);
});

test("where the archive is switched off, nothing is kept, and what was kept goes", async (context) => {
  const open = desk(PLAIN);
  await open.pages.open(CHAT, compactionOf(), {});
  await until(() => kept(open).length === 1);
  context.after(() => vscode.workspace.settings.delete("compactChat.archive"));
  vscode.workspace.settings.set("compactChat.archive", "off");
  open.document().type((text) => `${text}more`);
  await open.document().save();
  assert.deepEqual(kept(open), []);
});

test("of many pages the newest are kept, and not more than so much of them", async () => {
  const open = desk(PLAIN);
  const folder = join(open.storage, "pages");
  mkdirSync(folder);
  for (let number = 0; number < 40; number += 1) {
    const path = join(folder, `old${number}.json`);
    writeFileSync(path, "x".repeat(1_000_000));
    utimesSync(path, number, number);
  }
  await editedPage(open);
  assert.ok(kept(open).includes(`${KEY}.json`) && kept(open).includes("old39.json"));
  assert.equal(kept(open).length, 20);
});

test("where nothing can be kept, saving goes on", async () => {
  const open = desk(PLAIN);
  writeFileSync(join(open.storage, "pages"), "in the way");
  await editedPage(open);
  assert.equal(open.document().isDirty, false);
});
