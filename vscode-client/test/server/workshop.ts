/** What the tests of the server's room share: a folder of their own, and the fakes of an extension's context and log. */

import { rmSync } from "node:fs";
import { chmod, mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ExtensionContext, LogOutputChannel } from "vscode";
import { EventEmitter, LogLevel } from "../fakes/vscode";

const folders: string[] = [];
process.once("exit", () => folders.forEach((folder) => void rmSync(folder, { recursive: true, force: true })));

/** Makes a folder that goes with the test's process. */
export async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "compact-chat-test-"));
  folders.push(folder);
  return folder;
}

/** Writes a program that a shell runs. */
export async function writeProgram(folder: string, name: string, lines: readonly string[]): Promise<string> {
  const file = join(folder, name);
  await writeFile(file, ["#!/bin/sh", ...lines, ""].join("\n"));
  await chmod(file, 0o755);
  return file;
}

export interface FakeContext {
  readonly context: ExtensionContext;
  readonly secrets: Map<string, string>;
  readonly consents: Map<unknown, boolean>;
}

export function fakeContext(storage: string, extensionPath = storage): FakeContext {
  const secrets = new Map<string, string>();
  const consents = new Map<unknown, boolean>();
  const secretsChanged = new EventEmitter<{ key: string }>();
  const set = (key: string, value: string | undefined) => {
    value === undefined ? secrets.delete(key) : secrets.set(key, value);
    secretsChanged.fire({ key });
  };
  const state = new Map<string, unknown>();
  const context = {
    subscriptions: [],
    globalState: {
      get: (key: string, otherwise: unknown) => state.get(key) ?? otherwise,
      update: async (key: string, value: unknown) => void state.set(key, value),
    },
    extensionPath,
    globalStorageUri: { fsPath: storage },
    extension: { packageJSON: { version: "0.1.0" } },
    languageModelAccessInformation: { canSendRequest: (model: unknown) => consents.get(model) },
    secrets: {
      get: async (key: string) => secrets.get(key),
      store: async (key: string, value: string) => set(key, value),
      delete: async (key: string) => set(key, undefined),
      onDidChange: secretsChanged.event,
    },
  };
  return { context: context as unknown as ExtensionContext, secrets, consents };
}

export function fakeLog(): { readonly log: LogOutputChannel; readonly lines: string[] } {
  const lines: string[] = [];
  const write = (line: unknown) => void lines.push(String(line));
  const log = {
    logLevel: LogLevel.Info,
    onDidChangeLogLevel: new EventEmitter<number>().event,
    trace: write,
    debug: write,
    info: write,
    warn: write,
    error: write,
    append: write,
    appendLine: write,
    show: () => undefined,
    dispose: () => undefined,
  };
  return { log: log as unknown as LogOutputChannel, lines };
}

/** Waits until something holds; what is waited for stands in the failure. */
export async function until(what: string, holds: () => boolean | Promise<boolean>, patienceMs = 10_000): Promise<void> {
  const end = Date.now() + patienceMs;
  while (!(await holds())) {
    if (Date.now() > end) {
      throw new Error(`This did not come in time: ${what}.`);
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** Programs for `node -e` that speak as servers do. */
const FRAME = `
const send = (message) => { const body = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write("Content-Length: " + Buffer.byteLength(body) + "\\r\\n\\r\\n" + body); };
let rest = Buffer.alloc(0);
process.stdin.on("end", () => process.exit(0));
process.stdin.on("data", (data) => { rest = Buffer.concat([rest, data]);
  for (;;) { const end = rest.indexOf("\\r\\n\\r\\n"); if (end < 0) return;
    const length = Number(/Content-Length: (\\d+)/i.exec(rest.subarray(0, end))[1]); if (rest.length < end + 4 + length) return;
    const message = JSON.parse(rest.subarray(end + 4, end + 4 + length)); rest = rest.subarray(end + 4 + length); take(message); } });`;
const OPERATIONS =
  "sessions countTokens preview summarize prompt format continuation transcript check export restore history watch unwatch";
const ours = (called: string) => `${FRAME}
const experimental = { compactChat: { version: 1, features: ["strip"], operations: "${OPERATIONS}".split(" ") } };
const take = ({ id, method }) => { if (method === "initialize") send({ id, result: { serverInfo: { name: "compact-chat" }, capabilities: { experimental } } });
  if (method === "shutdown") send({ id, result: null });
  if (method === "exit") process.exit(0);
  if (method.startsWith("compactChat/")) ${called}; };`;
/** A server that ends as soon as it is asked something. */
export const DYING = ours("process.exit(9)");
/** A server that answers every question with nothing. */
export const ANSWERING = ours("send({ id, result: {} })");
/** A server of another kind. */
export const OTHER = `${FRAME}
const take = ({ id, method }) => { if (method === "initialize") send({ id, result: { serverInfo: { name: "other" }, capabilities: {} } });
  if (method === "shutdown") send({ id, result: null }); };`;
