/** A house with a scripted server, and an editor that records what is asked of it. */

import { readFileSync } from "node:fs";
import { Fault } from "../src/faults";
import type { House } from "../src/house";
import { Drafts, sizeOf } from "../src/screen/drafts";
import type { Compaction, Draft, Session } from "../src/wire";
import * as vscode from "./fakes/vscode";

export interface Recorded {
  readonly asked: [name: string, params: unknown][];
  readonly commands: [name: string, ...given: unknown[]][];
  readonly messages: unknown[][];
  readonly copied: string[];
  readonly terminals: { options: { name: string; cwd: string }; sent: string[] }[];
}

export interface Scene {
  readonly answers?: Readonly<Record<string, (params: never) => unknown>>;
  readonly ownFolder?: string | undefined;
  readonly improver?: unknown;
  readonly inUse?: unknown;
  readonly wanted?: unknown;
}

const MANIFEST: unknown = JSON.parse(readFileSync("package.json", "utf8"));

export const AGENT_PANEL = [
  { id: "GitHub.copilot-chat", packageJSON: { contributes: { chatParticipants: [{ isDefault: true }] } } },
];
export const CHAT_COMMANDS = [
  "workbench.panel.chat.view.copilot.focus",
  "workbench.action.chat.newChat",
  "workbench.action.chat.newLocalChat",
];

/** Begins to record; the editor has a chat panel unless a test takes it away. */
export function recordedEditor(): Recorded {
  const recorded: Recorded = { asked: [], commands: [], messages: [], copied: [], terminals: [] };
  vscode.extensions.all = AGENT_PANEL;
  Object.assign(vscode.commands, {
    getCommands: async () => CHAT_COMMANDS,
    executeCommand: async (...given: [string]) => void recorded.commands.push(given),
  });
  const message = async (...given: unknown[]) => void recorded.messages.push(given);
  Object.assign(vscode.window, {
    showInformationMessage: message,
    showErrorMessage: message,
    showQuickPick: async () => undefined,
    createTerminal: (options: { name: string; cwd: string }) => {
      const terminal = { options, sent: [] as string[] };
      recorded.terminals.push(terminal);
      return { show: () => undefined, sendText: (text: string) => void terminal.sent.push(text) };
    },
  });
  Object.assign(vscode.env, { clipboard: { writeText: async (text: string) => void recorded.copied.push(text) } });
  Object.assign(vscode.workspace, {
    workspaceFolders: undefined,
    textDocuments: [],
    getConfiguration: () => ({ get: () => undefined }),
  });
  return recorded;
}

/** A house whose server answers from a table. */
export function madeHouse(recorded: Recorded, scene: Scene = {}): House & { drafts: Drafts } {
  const states = new vscode.EventEmitter<string>();
  const ask = async (name: string, params: never) => {
    recorded.asked.push([name, params]);
    const answer = scene.answers?.[name];
    if (!answer) {
      throw new Fault("internal", `no script for ${name}`);
    }
    return answer(params);
  };
  const server = { ask, onState: states.event, fire: (state: string) => states.fire(state) };
  const remembered = new Map<string, unknown>();
  const globalState = {
    get: (key: string, otherwise: unknown) => remembered.get(key) ?? otherwise,
    update: async (key: string, value: unknown) => void remembered.set(key, value),
  };
  return {
    server,
    context: { globalState, extensionUri: vscode.Uri.file("/extension"), extension: { packageJSON: MANIFEST } },
    models: {
      improver: async () => scene.improver,
      names: async () => ({ "gpt-5": "GPT-5" }),
      onChanged: new vscode.EventEmitter<void>().event,
    },
    log: { error: () => undefined },
    chats: {
      inUse: scene.inUse,
      ownFolder: scene.ownFolder === undefined ? undefined : vscode.Uri.file(scene.ownFolder),
      wanted: async () => scene.wanted,
      sessions: async (): Promise<Session[]> => [],
    },
    drafts: new Drafts(server as never),
    screens: { refresh: async () => undefined, inFront: undefined, show: async () => undefined },
  } as unknown as House & { drafts: Drafts };
}

export const COMPACTION = {
  compactionId: "0123456789abcdef",
  planId: "p1",
  provider: "offline",
  model: null,
  title: "Build the parser",
  continuation: "This goes on from an earlier chat.",
  before: 128_412,
  after: 4_210,
  survival: {
    kept: 0.91,
    classes: [
      { name: "files", total: 11, kept: 10, restored: 0, lost: [] },
      { name: "omissions", total: 5, kept: 0, restored: 0, lost: [] },
    ],
  },
  warnings: [],
} as unknown as Compaction;

/** A draft with a message, at a version. */
export function draftOf(message: string, version = 1, more: Partial<Draft> = {}): Draft {
  return {
    draftId: COMPACTION.compactionId,
    version,
    uri: "file:///chat.jsonl",
    report: { title: "Build the parser", tool: "vscode", messageCount: 12 },
    compaction: { ...COMPACTION, continuation: message },
    ...more,
  } as unknown as Draft;
}

/** A document of the editor's on the drafts' file system, which is loaded and saved as the editor does it. */
export function openDocument({ drafts }: House, uri: vscode.Uri, text: string) {
  const place = uri as never;
  const bytes = new TextEncoder();
  const document = {
    uri,
    isClosed: false,
    isDirty: false,
    text,
    /** What the file was like when it was read or written last. */
    known: { mtime: 1, size: sizeOf(bytes.encode(text)) },
    getText: () => document.text,
    load: async () => {
      const [read, known] = await Promise.all([drafts.readFile(place), drafts.stat(place)]);
      if (!document.isDirty) {
        Object.assign(document, { text: new TextDecoder().decode(read), known });
      }
    },
    save: async () => {
      const { mtime, size } = await drafts.stat(place);
      const isNewer = mtime > document.known.mtime && size !== document.known.size;
      const saving = isNewer ? Promise.reject() : drafts.writeFile(place, bytes.encode(document.text));
      const isSaved = await saving.then(
        () => true,
        () => false,
      );
      if (isSaved) {
        Object.assign(document, { isDirty: false, known: await drafts.stat(place) });
        await document.load();
      }
      return isSaved;
    },
    /** Does what a person does who types. */
    type: (typed: string) => Object.assign(document, { text: typed, isDirty: true }),
  };
  drafts.onDidChangeFile(() => void document.load());
  vscode.workspace.textDocuments.push(document);
  return document;
}
