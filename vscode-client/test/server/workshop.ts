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

/** Writes a program that answers like a Python of a version. */
export function writePython(folder: string, name: string, said: readonly string[]): Promise<string> {
  return writeProgram(folder, name, ["cat <<'END'", ...said, "END"]);
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
