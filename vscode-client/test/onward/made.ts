/** A house with a scripted server, and an editor that records what is asked of it. */

import type { House, NamedChat, OperationName, Page } from "../../src/house";
import type { Compaction } from "../../src/wire";
import * as vscode from "../fakes/vscode";

export interface Recorded {
  readonly asked: [name: string, params: unknown][];
  readonly commands: [name: string, ...given: unknown[]][];
  readonly told: unknown[][];
  readonly copied: string[];
  readonly terminals: { options: { name: string; cwd: string }; sent: string[] }[];
}

export interface Scene {
  readonly answers?: Readonly<Record<string, (params: never) => unknown>>;
  readonly ownFolder?: string | undefined;
  readonly body?: string;
  readonly chat?: Partial<NamedChat>;
  readonly improver?: unknown;
  readonly inUse?: unknown;
}

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
  const recorded: Recorded = { asked: [], commands: [], told: [], copied: [], terminals: [] };
  vscode.extensions.all = AGENT_PANEL;
  Object.assign(vscode.commands, {
    getCommands: async () => CHAT_COMMANDS,
    executeCommand: async (...given: [string]) => void recorded.commands.push(given),
  });
  Object.assign(vscode.window, {
    showInformationMessage: async (...given: unknown[]) => void recorded.told.push(given),
    showQuickPick: async () => undefined,
    createTerminal: (options: { name: string; cwd: string }) => terminal(recorded, options),
  });
  Object.assign(vscode.env, { clipboard: { writeText: async (text: string) => void recorded.copied.push(text) } });
  Object.assign(vscode.workspace, { workspaceFolders: undefined, getConfiguration: () => ({ get: () => undefined }) });
  return recorded;
}

/** A house whose server answers from a table. */
export function madeHouse(recorded: Recorded, scene: Scene = {}): House {
  const ask = async (name: OperationName, params: never) => {
    recorded.asked.push([name, params]);
    const answer = scene.answers?.[name];
    if (!answer) {
      throw new Error(`nobody scripted ${name}`);
    }
    return answer(params);
  };
  return {
    server: { ask },
    models: { improver: async () => scene.improver },
    log: { error: () => undefined },
    chats: {
      inUse: scene.inUse,
      ownFolder: scene.ownFolder === undefined ? undefined : vscode.Uri.file(scene.ownFolder),
      wanted: async () => undefined,
    },
    pages: {
      current: () => ({ compaction: COMPACTION, body: scene.body ?? COMPACTION.continuation }),
      settled: async () => COMPACTION,
      of: async () => undefined,
      inTabs: () => [],
    },
  } as unknown as House;
}

export function madePage(chat: Partial<NamedChat> = {}): Page {
  return { chat: { ref: {}, tool: "vscode", title: "Build the parser", uri: undefined, ...chat } } as Page;
}

export const COMPACTION = {
  compactionId: "0123456789abcdef",
  provider: "offline",
  model: null,
  continuation: "This goes on from an earlier chat.",
  before: 128_412,
  after: 4_210,
  survival: { kept: 0.91, classes: [] },
  warnings: [],
} as unknown as Compaction;

function terminal(recorded: Recorded, options: { name: string; cwd: string }) {
  const made = { options, sent: [] as string[] };
  recorded.terminals.push(made);
  return { show: () => undefined, sendText: (text: string) => void made.sent.push(text) };
}
