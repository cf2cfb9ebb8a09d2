/** The newest files of a place, and what their beginnings say; every look is bounded, and none is made twice. */

import { open, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Place } from "./places";

/** A file as it was when we looked; it is another one when its stamp is. */
export interface Seen {
  readonly path: string;
  readonly bytes: number;
  readonly changed: number;
}

export const BEGINNING = 64 * 1024;
const MOST_LOOKED_AT = 500;
const MOST_REMEMBERED = 5000;
const NO_CHAT = "agent-";

/** The newest files of a place, the newest first. */
export async function newest(place: Place, most: number): Promise<Seen[]> {
  const found: string[] = [];
  await collect(place.folder, place, found);
  const seen = await Promise.all(found.map(look));
  return seen
    .filter((one) => one !== undefined)
    .sort((one, other) => other.changed - one.changed)
    .slice(0, most);
}

/** The names in a folder, the last first, since most tools begin them with a time; none where it cannot be read. */
export async function names(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort().reverse();
  } catch {
    return [];
  }
}

/** Answers a question about the beginnings of files, once for each state of a file. */
export class Beginnings {
  private readonly known = new Map<string, { readonly stamp: string; readonly answer: boolean }>();

  constructor(private readonly question: (beginning: string, file: Seen) => boolean) {}

  async say(file: Seen): Promise<boolean> {
    const known = this.known.get(file.path);
    if (known?.stamp === stamp(file)) {
      return known.answer;
    }
    const answer = this.question(await beginning(file.path), file);
    if (this.known.size >= MOST_REMEMBERED) {
      this.known.clear();
    }
    this.known.set(file.path, { stamp: stamp(file), answer });
    return answer;
  }
}

/** What changes when a file does. */
export function stamp(file: Seen): string {
  return `${file.path}:${file.bytes}:${file.changed}`;
}

async function collect(folder: string, { levels, endings }: Omit<Place, "folder">, found: string[]): Promise<void> {
  const [level, ...below] = levels;
  for (const name of level === undefined || level === "*" ? await names(folder) : [level]) {
    if (found.length >= MOST_LOOKED_AT) {
      return;
    }
    if (level !== undefined) {
      await collect(join(folder, name), { levels: below, endings }, found);
    } else if (endings.some((ending) => name.endsWith(ending)) && !name.startsWith(NO_CHAT)) {
      found.push(join(folder, name));
    }
  }
}

async function look(path: string): Promise<Seen | undefined> {
  try {
    const seen = await stat(path);
    return seen.isFile() && seen.size > 0 ? { path, bytes: seen.size, changed: seen.mtimeMs } : undefined;
  } catch {
    return undefined;
  }
}

async function beginning(path: string): Promise<string> {
  try {
    await using file = await open(path);
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING), 0, BEGINNING, 0);
    return buffer.toString("utf8", 0, bytesRead);
  } catch {
    return "";
  }
}
