/** Where Claude Code keeps its sessions, and what a session says about itself. */

import path, { join } from "node:path";
import { comparable } from "../meter/comparable";
import { claudeProjects, type Home, LONGEST_NAME } from "../meter/places";
import { asId } from "./sessions";

/** The folder in which Claude Code looks for the sessions of a folder; undefined for a longer path, of whose name only the beginning is known. */
export function projectFolder(folder: string, home: Home): string | undefined {
  const [projects = ""] = claudeProjects(home);
  const name = slug(folder);
  return name.length > LONGEST_NAME ? undefined : join(projects, name);
}

/** The id of the session in a file of Claude Code's; undefined for other files. */
export function claudeSessionIn(file: string, home: Home, platform: string = process.platform): string | undefined {
  const { basename, dirname, extname } = platform === "win32" ? path.win32 : path.posix;
  const projects = comparable(dirname(dirname(file)), platform);
  const isOne =
    extname(file) === ".jsonl" && claudeProjects(home).some((one) => comparable(one, platform) === projects);
  return isOne ? asId(basename(file, ".jsonl")) : undefined;
}

/** Says whether a project's folder of Claude Code's may be, by its name, that of a folder: a long one is cut, and ends in a hash. */
export function isProjectOf(name: string, folder: string, platform: string = process.platform): boolean {
  const [found, wanted] = [comparable(name, platform), comparable(slug(folder), platform)];
  return wanted.length > LONGEST_NAME ? found.startsWith(`${wanted.slice(0, LONGEST_NAME)}-`) : found === wanted;
}

/** The name of a folder as Claude Code writes it: all but letters and digits become dashes. */
export function slug(folder: string): string {
  return folder.replace(/[^a-zA-Z0-9]/g, "-");
}

/** The id by which a session is resumed; undefined for what is no id. */
export function sessionId(text: string): string | undefined {
  return asId(firstOf(text, "sessionId"));
}

/** The folder that a session was held in. */
export function heldIn(text: string): string | undefined {
  return firstOf(text, "cwd");
}

/** The session as one that was held in another folder. */
export function movedTo(text: string, folder: string): string {
  const moved = records(text).map((record) => JSON.stringify("cwd" in record ? { ...record, cwd: folder } : record));
  return `${moved.join("\n")}\n`;
}

function firstOf(text: string, name: string): string | undefined {
  const told = records(text).map((record) => record[name]);
  return told.find((value): value is string => typeof value === "string");
}

function records(text: string): Record<string, unknown>[] {
  return text.split("\n").flatMap(recordIn);
}

/** A damaged or truncated line is ignored. */
function recordIn(line: string): Record<string, unknown>[] {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === "object" && value !== null ? [value as Record<string, unknown>] : [];
  } catch {
    return [];
  }
}
