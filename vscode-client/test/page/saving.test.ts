/** A page is taken elsewhere as it was edited, and no file is lost on the way. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Fault } from "../../src/faults";
import type { Asking, House } from "../../src/house";
import { copy, saveAsMarkdown } from "../../src/page/saving";
import type { Compaction } from "../../src/wire";
import * as vscode from "../fakes/vscode";
import { CHAT, desk } from "./desk";
import { compactionOf, KEY, survivalOf } from "./made";
import { stopped } from "./progress";

const NOTES = vscode.Uri.file("/shop/notes.md");
const ANSWERS = {
  check: () => ({ survival: survivalOf({}), warnings: [], continuation: "" }),
  summarize: () => compactionOf({ compactionId: "edited00" }),
  export: ({ uri }: { uri: string }) => ({ uri, bytes: 1 }),
};

async function opened(target: vscode.Uri | undefined, change = {}, compaction: Partial<Compaction> = {}) {
  const open = desk({ ...ANSWERS, ...change });
  const moved: [string, string, unknown][] = [];
  const rename = async (from: vscode.Uri, to: vscode.Uri, how: unknown) => void moved.push([`${from}`, `${to}`, how]);
  const written: string[] = [];
  Object.assign(vscode.workspace.fs, {
    rename,
    createDirectory: async () => undefined,
    writeFile: async (_file: vscode.Uri, bytes: Uint8Array) => void written.push(new TextDecoder().decode(bytes)),
    delete: async (gone: vscode.Uri) => void moved.push([`${gone}`, "", {}]),
  });
  vscode.window.showSaveDialog = async () => target;
  const page = await open.pages.open(CHAT, compactionOf(compaction), {});
  return { ...open, page, moved, written, house: open.house as House };
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
  const { house, page, moved, asked } = await opened(NOTES);
  await saveAsMarkdown(house, page);
  const [{ uri, ...sent } = { uri: "" }] = asked.flatMap(({ name, params }) =>
    name === "export" ? [params as { uri: string }] : [],
  );
  assert.deepEqual(sent, { compactionId: KEY, as: "markdown" });
  assert.match(vscode.Uri.parse(uri).path, /^\/shop\/notes\.md\/\.\.\/\.[\w-]+\.md$|^\/shop\/\.[\w-]+\.md$/);
  assert.deepEqual(moved, [[uri, "file:///shop/notes.md", { overwrite: true }]]);
});

test("what was edited is what is saved, to the last line, also where it wins nothing any more", async () => {
  const { house, page, document, asked, moved, written } = await opened(NOTES);
  document().type((text) => text.replace("build it", "build it twice"));
  await saveAsMarkdown(house, page);
  assert.deepEqual(written, [
    `# A chat\n\n${compactionOf().continuation.replace("build it", "build it twice").trim()}\n`,
  ]);
  assert.ok(asked.every(({ name }) => name !== "export" && name !== "summarize"));
  assert.equal(moved[0]?.[1], "file:///shop/notes.md");
});

test("where the server has the compaction no more, or there is none, the text of the page is saved, without a question", async () => {
  for (const kind of ["compactionNotFound", "notSetUp", "notTrusted", "serverFailed"]) {
    const refuse = () => Promise.reject(new Fault(kind, "No."));
    const { house, page, asked, moved, written } = await opened(NOTES, { export: refuse });
    await saveAsMarkdown(house, page);
    assert.deepEqual(written, [`# A chat\n\n${compactionOf().continuation.trim()}\n`]);
    assert.equal(moved[0]?.[1], `${NOTES}`);
    assert.ok(asked.every(({ name, asking }) => name !== "export" || asking.quietly));
  }
});

test("a page that has no text of its own is saved by the server or not at all", async () => {
  const refuse = () => Promise.reject(new Fault("compactionNotFound", "No."));
  const { house, page, written } = await opened(NOTES, { export: refuse }, { summary: "" });
  await assert.rejects(saveAsMarkdown(house, page), { kind: "compactionNotFound" });
  assert.deepEqual(written, []);
});

test("where nothing can be written, one sentence says what to look at, edited or not", async () => {
  const refuse = () => Promise.reject(new Fault("invalidParams", "$.uri: no file can be written there"));
  const full = () => Promise.reject(new Error("EACCES"));
  for (const compaction of [{}, { summary: "" }]) {
    for (const isEdited of [false, true]) {
      const { house, page, document } = await opened(NOTES, { export: refuse }, compaction);
      Object.assign(vscode.workspace.fs, { writeFile: full, delete: full });
      document().type((text) => (isEdited ? `${text}mine` : text));
      const message = /^\/shop\/notes\.md could not be written; check the folder's permissions/;
      await assert.rejects(saveAsMarkdown(house, page), { kind: "cannotWrite", message });
    }
  }
});

test("nothing is left behind where the file cannot be put in its place", async () => {
  const { house, page, moved } = await opened(NOTES);
  Object.assign(vscode.workspace.fs, { rename: () => Promise.reject(new Error("read-only")) });
  await assert.rejects(saveAsMarkdown(house, page), { kind: "cannotWrite" });
  assert.equal(moved.length, 1);
});

test("stopped, nothing is saved, left behind or opened", async (context) => {
  const late = (_params: unknown, { token }: Asking) =>
    new Promise((resolve) => token?.onCancellationRequested(() => resolve({ bytes: 1 }))); // it was written by then
  const { house, page, moved } = await opened(NOTES, { export: late });
  const shown: unknown[] = [];
  Object.assign(vscode.window, { showTextDocument: async (uri: unknown) => void shown.push(uri) });
  await assert.rejects(
    stopped(context, () => saveAsMarkdown(house, page)),
    { kind: "cancelled" },
  );
  assert.deepEqual([moved.map(([, to]) => to), shown], [[""], []]);
});

test("where the dialog is closed, nothing is written", async () => {
  const { house, page, asked } = await opened(undefined);
  await saveAsMarkdown(house, page);
  assert.ok(asked.every(({ name }) => name !== "export"));
});
