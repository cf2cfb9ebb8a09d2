/** Where this window's chats may be: next to the extension's own storage, and where other tools keep theirs. */

import { createHash } from "node:crypto";
import { basename, dirname, join } from "node:path";
import { FOLDERS } from "../tools";

/** What distinguishes one window from another; file system paths. */
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

/** Tools with a folder for each workspace, which are looked through by its name. */
const BY_WORKSPACE = ["vscode", "claude-code", "gemini"];
/** Characters of a path that Claude Code keeps in the name of its folder for it. */
export const LONGEST_NAME = 200;
const ANOTHER_WINDOWS = /(?<=[^\\/])-\d+$/; // behind a name, which may itself begin with a dash

/** The folder with the chats of a window. */
export function ownFolder(storage: string | undefined, stored: string): string {
  if (storage === undefined) {
    return join(dirname(stored), "emptyWindowChatSessions");
  }
  return join(dirname(steadyStorage(storage)), "chatSessions");
}

/** The storage of an extension in a window, which the editor numbers while an older window, or one before a reload, holds it. */
export function steadyStorage(storage: string): string {
  return join(dirname(storage).replace(ANOTHER_WINDOWS, ""), basename(storage));
}

/** The places of tools that keep the chats of all folders together: each chat says where it was held. */
export function sharedPlaces(window: WindowPlaces): readonly Place[] {
  return FOLDERS.filter(({ tool, below }) => !BY_WORKSPACE.includes(tool) && !below.startsWith("workspaceStorage/"))
    .map(({ roots, below, endings }) => {
      const root = roots.map((one) => rootFolder(one, window)).find((one) => one !== undefined);
      return root === undefined ? undefined : { folder: root, levels: below.split("/"), endings };
    })
    .filter((place) => place !== undefined);
}

/** The folder that a root of the table names: the editor's, one below the user's home, or one that a variable holds. */
function rootFolder(root: string, { stored, home, env }: WindowPlaces): string | undefined {
  const [first = "", ...below] = root.split("/");
  if (first === "editor") {
    return stored === undefined ? undefined : dirname(stored);
  }
  const start = first === "~" ? home : env[first.slice(1)];
  return start ? join(start, ...below) : undefined;
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
