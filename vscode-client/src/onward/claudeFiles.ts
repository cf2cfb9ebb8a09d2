/** The sessions of Claude Code as they lie on the disk: what one says first, and where those of a folder with a long path are. */

import { open } from "node:fs/promises";
import { join } from "node:path";
import { comparable } from "../meter/comparable";
import { claudeProjects, type Home } from "../meter/places";
import { names, newest } from "../meter/seen";
import { heldIn, isProjectOf } from "./claudePlaces";

const FIRST_LINES = 1_000_000; // bytes, in which a session says where it was held
const MOST_ASKED = 20; // sessions of one project

export async function startOf(path: string): Promise<string> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(FIRST_LINES), 0, FIRST_LINES, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } finally {
    await handle.close();
  }
}

/** The project's folder whose sessions were held in a folder: the names of several may begin alike, and versions of Claude Code end them in different ways. */
export async function projectHolding(folder: string, home: Home): Promise<string | undefined> {
  const [projects = ""] = claudeProjects(home);
  for (const name of await names(projects)) {
    const project = join(projects, name);
    if (isProjectOf(name, folder) && (await holdsSessionsOf(project, folder))) {
      return project;
    }
  }
  return undefined;
}

async function holdsSessionsOf(project: string, folder: string): Promise<boolean> {
  const sessions = await newest({ folder: project, levels: [], endings: [".jsonl"] }, MOST_ASKED);
  for (const { path } of sessions) {
    const held = heldIn(await startOf(path).catch(() => ""));
    if (held !== undefined && comparable(held) === comparable(folder)) {
      return true;
    }
  }
  return false;
}
