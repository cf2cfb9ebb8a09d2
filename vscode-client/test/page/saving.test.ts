/** A page is taken elsewhere as it was edited, and no file is lost on the way. */

import assert from "node:assert/strict";
import { test } from "node:test";
import type { House } from "../../src/house";
import { copy, saveAsMarkdown } from "../../src/page/saving";
import * as vscode from "../fakes/vscode";
import { CHAT, desk } from "./desk";
import { compactionOf, KEY, survivalOf } from "./made";

const ANSWERS = {
  check: () => ({ survival: survivalOf({}), warnings: [], continuation: "" }),
  summarize: () => compactionOf({ compactionId: "edited00" }),
  export: ({ uri }: { uri: string }) => ({ uri, bytes: 1 }),
};

async function opened(target: vscode.Uri | undefined) {
  const open = desk(ANSWERS);
  const moved: [string, string, unknown][] = [];
  const rename = async (from: vscode.Uri, to: vscode.Uri, how: unknown) => void moved.push([`${from}`, `${to}`, how]);
  Object.assign(vscode.workspace.fs, {
    rename,
    delete: async (gone: vscode.Uri) => void moved.push([`${gone}`, "", {}]),
  });
  vscode.window.showSaveDialog = async () => target;
  const page = await open.pages.open(CHAT, compactionOf(), {});
  return { ...open, page, moved, house: open.house as House };
}

test("the copy holds what is typed, saved or not, and none of the report", async () => {
  const copied: string[] = [];
  Object.assign(vscode.env, { clipboard: { writeText: async (text: string) => void copied.push(text) } });
  Object.assign(vscode.window, { setStatusBarMessage: () => undefined });
  const { house, page, document } = await opened(undefined);
  document().type((text) => text.replace("build it", "build it twice"));
  await copy(house, page);
  assert.deepEqual(copied, [compactionOf().continuation.replace("build it", "build it twice")]);
});

test("the server writes a new file beside the one that was named, which then takes its place in one step", async () => {
  const { house, page, moved, asked } = await opened(vscode.Uri.file("/shop/notes.md"));
  await saveAsMarkdown(house, page);
  const [{ uri, ...sent } = { uri: "" }] = asked.flatMap(({ name, params }) =>
    name === "export" ? [params as { uri: string }] : [],
  );
  assert.deepEqual(sent, { compactionId: KEY, as: "markdown" });
  assert.match(vscode.Uri.parse(uri).path, /^\/shop\/notes\.md\/\.\.\/\.[\w-]+\.md$|^\/shop\/\.[\w-]+\.md$/);
  assert.deepEqual(moved, [[uri, "file:///shop/notes.md", { overwrite: true }]]);
});

test("what was edited is what is saved, to the last line, also where it wins nothing any more", async () => {
  const { house, page, document, asked, moved } = await opened(vscode.Uri.file("/shop/notes.md"));
  const written: string[] = [];
  const writeFile = async (_file: vscode.Uri, bytes: Uint8Array) => void written.push(new TextDecoder().decode(bytes));
  Object.assign(vscode.workspace.fs, { writeFile });
  document().type((text) => text.replace("build it", "build it twice"));
  await saveAsMarkdown(house, page);
  assert.deepEqual(written, [
    `# A chat\n\n${compactionOf().continuation.replace("build it", "build it twice").trim()}\n`,
  ]);
  assert.ok(asked.every(({ name }) => name !== "export" && name !== "summarize"));
  assert.equal(moved[0]?.[1], "file:///shop/notes.md");
});

test("nothing is left behind where the file cannot be put in its place", async () => {
  const { house, page, moved } = await opened(vscode.Uri.file("/shop/notes.md"));
  Object.assign(vscode.workspace.fs, { rename: () => Promise.reject(new Error("read-only")) });
  await assert.rejects(saveAsMarkdown(house, page), /read-only/);
  assert.equal(moved.length, 1);
});

test("where the dialog is closed, nothing is written", async () => {
  const { house, page, asked } = await opened(undefined);
  await saveAsMarkdown(house, page);
  assert.ok(asked.every(({ name }) => name !== "export"));
});
