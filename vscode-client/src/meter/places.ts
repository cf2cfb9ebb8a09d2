/** Where this window's chats may lie: beside the extension's own storage, and where other tools keep theirs. */

import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";

/** What tells one window from another; paths of the file system. */
export interface WindowPlaces {
  /** The folder that is open, under each of its names; empty in an empty window. */
  readonly folders: readonly string[];
  /** Where the editor keeps the chats of this window. */
  readonly own: string | undefined;
  /** Where the editor keeps what its extensions store for all windows. */
  readonly stored: string | undefined;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Where a user's tools look for what is theirs. */
export type Home = Pick<WindowPlaces, "home" | "env">;

/** A folder of one tool: chats lie in it behind levels in which `*` is any folder, under names that end so. */
export interface Place {
  readonly folder: string;
  readonly levels: readonly string[];
  readonly endings: readonly string[];
}

const TASKS = ["saoudrizwan.claude-dev", "rooveterinaryinc.roo-cline", "kilocode.kilo-code"];
const API_HISTORY = "api_conversation_history.json";
/** Characters of a path that Claude Code keeps in the name of its folder for it. */
export const LONGEST_NAME = 200;
const ANOTHER_WINDOWS = /(?<=[^\\/])-\d+$/; // behind a name, which may itself begin with a dash

/** The folder with the chats of a window. */
export function ownFolder(storage: string | undefined, stored: string): string {
  if (storage === undefined) return join(dirname(stored), "emptyWindowChatSessions");
  return join(dirname(steadyStorage(storage)), "chatSessions");
}

/** The storage of an extension in a window, which the editor numbers while an older window, or one before a reload, holds it. */
export function steadyStorage(storage: string): string {
  return join(dirname(storage).replace(ANOTHER_WINDOWS, ""), basename(storage));
}

/** The places of tools that keep the chats of all folders together: each chat tells in itself where it was held. */
export function sharedPlaces({ stored, home, env }: WindowPlaces): readonly Place[] {
  const codex = env.CODEX_HOME || join(home, ".codex");
  const cline = env.CLINE_DATA_DIR || join(env.CLINE_DIR || join(home, ".cline"), "data");
  const copilot = env.COPILOT_HOME || join(home, ".copilot");
  const extensions = stored === undefined ? [] : TASKS.map((name) => join(stored, name));
  return [
    { folder: join(codex, "sessions"), levels: ["*", "*", "*"], endings: [".jsonl"] },
    { folder: join(codex, "sessions"), levels: [], endings: [".jsonl", ".json"] },
    ...[...extensions, cline].map((folder) => ({
      folder: join(folder, "tasks"),
      levels: ["*"],
      endings: [API_HISTORY],
    })),
    { folder: join(copilot, "session-state"), levels: ["*"], endings: ["events.jsonl"] },
    { folder: join(copilot, "session-state"), levels: [], endings: [".jsonl"] },
    { folder: join(env.CONTINUE_GLOBAL_DIR || join(home, ".continue"), "sessions"), levels: [], endings: [".json"] },
  ];
}

/** The folders in which Claude Code has one for each project, the one of today first. */
export function claudeProjects({ home, env }: Home): readonly string[] {
  const chosen = env.CLAUDE_CONFIG_DIR;
  const folders = chosen
    ? [chosen]
    : [join(home, ".claude"), join(env.XDG_CONFIG_HOME || join(home, ".config"), "claude")];
  return folders.map((folder) => join(folder, "projects"));
}

/** The folder in which Gemini CLI has one for each project. */
export function geminiProjects({ home, env }: Home): string {
  return join(env.GEMINI_CLI_HOME || home, ".gemini", "tmp");
}

/** What is left of a path in the name of Claude Code's folder for it. */
export function letters(path: string): string {
  return (
    path
      .slice(0, LONGEST_NAME)
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? []
  ).join("");
}

/** What Gemini CLI calls its folder for a path. */
export function geminiName(path: string): string {
  return createHash("sha256").update(path).digest("hex");
}
