/** An editor for the tests of this room: documents over the file system of the pages, which can be typed in and saved. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Asking, House, Models, NamedChat, OperationName, Server } from "../../src/house";
import { PageShelf } from "../../src/page/pages";
import * as vscode from "../fakes/vscode";

interface Files {
  stat(uri: vscode.Uri): Promise<{ mtime: number; size: number; permissions?: number }>;
  readFile(uri: vscode.Uri): Promise<Uint8Array>;
  writeFile(uri: vscode.Uri, content: Uint8Array): Promise<void>;
  onDidChangeFile(listener: (events: { uri: vscode.Uri }[]) => void): unknown;
}

/** A document that takes changes of its file as the editor does: only while nothing is typed in it. */
export class Document {
  isDirty = false;
  #text = "";
  #size = -1;

  constructor(
    readonly uri: vscode.Uri,
    private readonly files: Files,
  ) {}

  async read(): Promise<void> {
    const { size } = await this.files.stat(this.uri);
    if (!this.isDirty && size !== this.#size) {
      this.#text = new TextDecoder().decode(await this.files.readFile(this.uri));
      this.#size = size;
    }
  }

  type(change: (text: string) => string): void {
    this.#text = change(this.#text);
    this.isDirty = true;
  }

  async save(): Promise<boolean> {
    await this.files.writeFile(this.uri, new TextEncoder().encode(this.#text));
    this.isDirty = false;
    this.#size = (await this.files.stat(this.uri)).size;
    return true;
  }

  getText(): string {
    return this.#text;
  }

  positionAt(offset: number): vscode.Position {
    const lines = this.#text.slice(0, offset).split("\n");
    return new vscode.Position(lines.length - 1, lines.at(-1)?.length ?? 0);
  }

  /** Does what the editor does with an edit. */
  replace({ start, end }: vscode.Range, text: string): void {
    this.type((old) => `${old.slice(0, offsetAt(old, start))}${text}${old.slice(offsetAt(old, end))}`);
  }
}

function offsetAt(text: string, { line, character }: vscode.Position): number {
  const before = text.split("\n").slice(0, line);
  return before.reduce((sum, one) => sum + one.length + 1, character);
}

export interface Desk {
  readonly house: House;
  readonly pages: PageShelf;
  readonly files: Files;
  readonly asked: { name: OperationName; params: unknown; asking: Asking }[];
  /** The folder of the extension's storage. */
  readonly storage: string;
  document(): Document;
}

export type Answers = Readonly<Record<string, (params: never, asking: Asking) => unknown>>;

export const CHAT: NamedChat = {
  ref: { uri: "file:///chats/1.jsonl" },
  tool: "claude-code",
  title: "A chat",
  uri: vscode.Uri.file("/chats/1.jsonl") as never,
};
export const IMPROVER = {
  provider: "editor",
  options: { summaryModel: "editor:one" },
  label: "One",
  vendor: "Makers",
} as const;

/** Sets up the editor with pages over a server that answers from a table; `storage` outlives a reload. */
export function desk(answers: Answers, storage = freshFolder()): Desk {
  const asked: Desk["asked"] = [];
  const documents: Document[] = [];
  const { held, editor } = editorOf(documents);
  Object.assign(vscode.workspace, editor);
  Object.assign(vscode.window, { showTextDocument: async (given: Document) => given, activeTextEditor: undefined });
  const server = scriptedServer(answers, asked);
  const models = { improver: async () => IMPROVER, onChanged: new vscode.EventEmitter<void>().event };
  const context = {
    subscriptions: [],
    storageUri: vscode.Uri.file(storage),
    globalStorageUri: vscode.Uri.file("/global"),
  };
  const pages = new PageShelf(context as never, server, models as unknown as Models);
  const house = { server, models, pages, context } as unknown as House;
  return { house, pages, files: held.files as Files, asked, storage, document: () => documents[0] as Document };
}

function scriptedServer(answers: Answers, asked: Desk["asked"]): Server {
  const ask = async (name: OperationName, params: unknown, asking: Asking = {}) => {
    asked.push({ name, params, asking });
    const answer = answers[name];
    assert.ok(answer, `nobody scripted ${name}`);
    return answer(params as never, asking);
  };
  return { ask, onState: new vscode.EventEmitter<string>().event } as unknown as Server;
}

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "pages-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

function editorOf(documents: Document[]) {
  const held: { files?: Files } = {};
  const known = (uri: unknown) => documents.find((one) => String(one.uri) === String(uri));
  const openTextDocument = async (uri: vscode.Uri) => {
    const document = known(uri) ?? new Document(uri, held.files as Files);
    documents.push(...(documents.includes(document) ? [] : [document]));
    await document.read();
    return document;
  };
  const applyEdit = async ({ replaced }: vscode.WorkspaceEdit) => {
    for (const { uri, range, text } of replaced) {
      known(uri)?.replace(range, text);
    }
    return true;
  };
  const registerFileSystemProvider = (_scheme: string, files: Files) => {
    held.files = files;
    files.onDidChangeFile((events) => events.forEach(({ uri }) => void known(uri)?.read()));
    return { dispose: () => undefined };
  };
  return { held, editor: { applyEdit, registerFileSystemProvider, openTextDocument, textDocuments: documents } };
}

/** Waits until something holds. */
export async function until(holds: () => boolean): Promise<void> {
  const end = performance.now() + 10_000;
  while (!holds()) {
    assert.ok(performance.now() < end, `not within 10 seconds: ${holds}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
