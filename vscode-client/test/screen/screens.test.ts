/** The page's host: what it tells the page, and what it does for it. */

import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, test } from "node:test";
import type { HostReady, HostState } from "../../page/port";
import { Fault } from "../../src/faults";
import { addressOf } from "../../src/screen/drafts";
import { Screens } from "../../src/screen/screens";
import type { DraftParams } from "../../src/wire";
import * as vscode from "../fakes/vscode";
import { draftOf, madeHouse, openDocument, type Recorded, recordedEditor, type Scene } from "../made";

const EDITORS = { provider: "editor", options: { summaryModel: "editor:gpt-5" }, label: "GPT-5", vendor: "Copilot" };
const PAGE = '<head><link rel="stylesheet" href="page.css" /></head><script type="module" src="page.js"></script>';

interface Sent {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { message: string; data: { kind: string } };
}

let recorded: Recorded;
let folder: string;

beforeEach(async () => {
  recorded = recordedEditor();
  folder = await mkdtemp(join(tmpdir(), "extension-"));
  await mkdir(join(folder, "dist/page"), { recursive: true });
  await writeFile(join(folder, "dist/page/index.html"), PAGE);
});

afterEach(() => rm(folder, { recursive: true }));

/** A screen that is open, and its page's side of the port. */
async function opened(scene: Scene = {}) {
  const answers = {
    draft: ({ text }: DraftParams) => draftOf(text ?? "One.", text === undefined ? 1 : 2),
    ...scene.answers,
  };
  const made = madeHouse(recorded, { improver: EDITORS, ...scene, answers });
  Object.assign(made.context, { extensionUri: vscode.Uri.file(folder) });
  const modelsChanged = new vscode.EventEmitter<void>();
  Object.assign(made.models, { onChanged: modelsChanged.event });
  let provider: { resolveCustomTextEditor(document: unknown, panel: unknown): Promise<void> } | undefined;
  let options: unknown;
  vscode.window.registerCustomEditorProvider = (_view, given, registered) => {
    [provider, options] = [given as typeof provider, registered];
    return new vscode.Disposable(() => undefined);
  };
  const house = { ...made, screens: new Screens(made) };
  const sent: Sent[] = [];
  const heard = new vscode.EventEmitter<unknown>();
  const closed = new vscode.EventEmitter<void>();
  const webview = {
    html: "",
    options: {},
    cspSource: "https://page.test",
    asWebviewUri: (uri: vscode.Uri) => `https://page.test${uri.path}`,
    postMessage: async (message: Sent) => void sent.push(message),
    onDidReceiveMessage: heard.event,
  };
  const document = openDocument(made, addressOf(draftOf("One.")) as never, "One.");
  await provider?.resolveCustomTextEditor(document, { webview, onDidDispose: closed.event });
  let last = 0;
  const ask = async (method: string, params: object): Promise<Sent> => {
    last += 1;
    const id = last;
    heard.fire({ id, method, params });
    for (let turn = 0; turn < 50; turn += 1) {
      const answer = sent.find((one) => one.id === id);
      if (answer) {
        return answer;
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    throw new Error(`no answer to ${method}`);
  };
  return {
    house,
    webview,
    options,
    sent,
    modelsChanged,
    ask,
    document,
    say: (message: object) => heard.fire(message),
    close: () => closed.fire(),
  };
}

const draftId = draftOf("").draftId;

test("the page runs nothing but its own script, and loads nothing from elsewhere", async () => {
  const { webview } = await opened();
  const [, nonce = ""] = /script-src 'nonce-([^']+)'/.exec(webview.html) ?? [];
  assert.ok(nonce.length >= 16);
  assert.match(webview.html, /default-src 'none'/);
  assert.ok(webview.html.includes(`nonce="${nonce}" src="https://page.test${folder}/dist/page/page.js"`));
  assert.doesNotMatch(webview.html, /unsafe|'self'/);
  const { localResourceRoots } = webview.options as { localResourceRoots: vscode.Uri[] };
  assert.deepEqual(localResourceRoots.map(String), [String(vscode.Uri.file(join(folder, "dist/page")))]);
});

test("the page can be searched, and stays as it is while another tab is in front", async () => {
  const { options } = await opened();
  assert.deepEqual(options, { webviewOptions: { enableFindWidget: true, retainContextWhenHidden: true } });
});

test("the page hears what to show, what can be done, and who rewrites", async () => {
  const { ask } = await opened();
  const state = (await ask("host/ready", {})).result as HostReady;
  assert.equal(state.draft?.draftId, draftId);
  assert.deepEqual(state.model, { provider: "editor", name: "GPT-5", confirmed: false });
  assert.deepEqual(
    state.actions.filter(({ primary }) => primary).map(({ id, keys }) => [id, keys]),
    [["continue", "Ctrl+Enter"]],
  );
  assert.equal(new Set(state.actions.map(({ id }) => id)).size, state.actions.length);
});

test("where no model is available there is none", async () => {
  const { ask } = await opened({ improver: undefined });
  assert.equal(((await ask("host/ready", {})).result as HostState).model, null);
});

test("a page that begins gets the draft that was just opened, and later asks the server", async () => {
  const { ask, house } = await opened();
  await house.drafts.change({ draftId });
  recorded.asked.length = 0;
  assert.equal(((await ask("host/ready", {})).result as HostReady).draft?.draftId, draftId);
  assert.deepEqual(recorded.asked, []);
  await ask("compactChat/draft", { draftId });
  assert.deepEqual(recorded.asked, [["draft", { draftId }]]);
});

test("a change is passed on as it is, and becomes the document's text", async () => {
  const { ask, document } = await opened();
  await ask("host/ready", {});
  await ask("compactChat/draft", { draftId, version: 1, text: "Two.", workDoneToken: "w" });
  assert.deepEqual(recorded.asked.at(-1), ["draft", { draftId, version: 1, text: "Two." }]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(document.text, "Two.");
});

test("a change from elsewhere is told to the page, its own is only answered", async () => {
  const { ask, sent, house } = await opened();
  await ask("host/ready", {});
  const before = sent.length;
  await ask("compactChat/draft", { draftId, version: 1, text: "Mine." });
  assert.deepEqual(
    sent.slice(before).map(({ method }) => method),
    [undefined],
  );
  await house.drafts.change({ draftId, version: 1, text: "Elsewhere." });
  assert.deepEqual(
    sent.slice(before + 1).map(({ method }) => method),
    ["host/draft"],
  );
});

test("a rewrite names the model that the user was shown, and says that it writes", async () => {
  const { ask, house } = await opened();
  const writing: boolean[] = [];
  house.screens.onWriting((isWriting) => writing.push(isWriting));
  await ask("host/ready", {});
  await ask("compactChat/draft", { draftId, version: 1, write: { provider: "editor" } });
  const options = { summaryModel: "editor:gpt-5" };
  assert.deepEqual(recorded.asked.at(-1), ["draft", { draftId, version: 1, options, write: { provider: "editor" } }]);
  assert.deepEqual(writing, [true, false]);
});

test("another model than the one that was shown gets nothing", async () => {
  const { ask, house } = await opened();
  await ask("host/ready", {});
  Object.assign(house.models, { improver: async () => ({ ...EDITORS, label: "GPT-6" }) });
  recorded.asked.length = 0;
  const { error } = await ask("compactChat/draft", { draftId, version: 1, write: { provider: "editor" } });
  assert.equal(error?.data.kind, "cancelled");
  assert.deepEqual(recorded.asked, []);
  assert.equal(recorded.messages.length, 1);
});

/** What comes of a rewrite that fails: the page's error, and the messages of the editor. */
async function failing(fault: Fault) {
  const draft = ({ write }: DraftParams) => (write ? Promise.reject(fault) : draftOf("One."));
  const { ask } = await opened({ answers: { draft } });
  const { error } = await ask("compactChat/draft", { draftId, version: 1, write: { provider: "editor" } });
  return { error, messages: recorded.messages.map(([sentence, ...buttons]) => [sentence, buttons.length]) };
}

test("a model that fails is told on the page, which offers another try", async () => {
  const attempts = [{ provider: "editor", outcome: "failed", detail: "It is blocked." }];
  const { error, messages } = await failing(new Fault("providerFailed", "It failed.", { attempts }));
  assert.deepEqual([error?.data.kind, error?.message, messages], ["providerFailed", "It failed.", []]);
});

test("a refused key is told by the editor, with the button that helps", async () => {
  const attempts = [{ provider: "anthropic", outcome: "failed", detail: "The key was refused.", kind: "auth" }];
  const { error, messages } = await failing(new Fault("providerFailed", "It failed.", { attempts }));
  assert.deepEqual([error?.data.kind, messages], ["cancelled", [["It failed.", 1]]]);
});

test("Stop ends what a model writes, also from the palette", async () => {
  const draft = ({ write }: DraftParams) => (write ? new Promise(() => undefined) : draftOf("One."));
  const { house, say } = await opened({ answers: { draft } });
  let isStopped = false;
  const { change } = house.drafts;
  house.drafts.change = (params, asking) => {
    asking?.signal?.addEventListener("abort", () => {
      isStopped = true;
    });
    return change.call(house.drafts, params, asking);
  };
  say({ id: 9, method: "compactChat/draft", params: { draftId, version: 1, write: { provider: "editor" } } });
  await new Promise((resolve) => setImmediate(resolve));
  house.screens.stop();
  assert.ok(isStopped);
});

test("consent is stored for this model alone, and the page hears of it", async () => {
  const { ask, sent, house, modelsChanged } = await opened();
  await ask("host/ready", {});
  assert.deepEqual((await ask("host/do", { action: "confirmModel", draftId })).result, {});
  const told = sent.filter(({ method }) => method === "host/state").at(-1)?.params as HostState;
  assert.equal(told.model?.confirmed, true);
  Object.assign(house.models, { improver: async () => ({ ...EDITORS, label: "GPT-6" }) });
  modelsChanged.fire();
  await new Promise((resolve) => setImmediate(resolve));
  const now = sent.filter(({ method }) => method === "host/state").at(-1)?.params as HostState;
  assert.deepEqual([now.model?.name, now.model?.confirmed], ["GPT-6", false]);
});

test("an action says in one sentence what it did, on the text as it is now", async () => {
  const { ask, document } = await opened();
  await ask("host/ready", {});
  document.type("Typed.");
  const { status } = (await ask("host/do", { action: "copy", draftId })).result as { status?: string };
  assert.ok(status);
  assert.deepEqual(recorded.copied, ["Typed."]);
});

test("an action that fails is one sentence with one button", async () => {
  const { ask } = await opened({ answers: { export: () => Promise.reject(new Fault("noPlace", "Open a folder.")) } });
  assert.deepEqual((await ask("host/do", { action: "claudeSession", draftId })).result, {});
  assert.equal(recorded.messages[0]?.[0], "Open a folder.");
});

test("an action is about the draft that the page shows, which may be another than its tab's", async () => {
  const other = draftOf("Other.", 1, { draftId: "other" });
  const draft = ({ draftId: id }: DraftParams) => (id === "other" ? other : draftOf("One."));
  const { ask } = await opened({ answers: { draft } });
  await ask("host/do", { action: "copy", draftId: "other" });
  await ask("host/do", { action: "copy", draftId });
  assert.deepEqual(recorded.copied, ["Other.", "One."]);
});

test("models that never answer do not keep the draft from being shown, and are shown once they do", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  const { ask, house, sent } = await opened();
  let answer = (_improver: unknown): void => undefined;
  Object.assign(house.models, { improver: () => new Promise((resolve) => (answer = resolve)) });
  const ready = ask("host/ready", {});
  await new Promise((resolve) => setImmediate(resolve));
  t.mock.timers.tick(60_000);
  const { draft, model } = (await ready).result as HostReady;
  assert.deepEqual([draft?.draftId, model], [draftId, null]);
  answer(EDITORS);
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
  const told = sent.filter(({ method }) => method === "host/state").at(-1)?.params as HostState | undefined;
  assert.equal(told?.model?.name, "GPT-5");
});
