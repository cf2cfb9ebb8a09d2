/** The private environments in the extension's storage: which one is whole, and which may go. */

import { createHash } from "node:crypto";
import { access, cp, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What a server is installed from: files that came with the extension. */
export interface Supplies {
  readonly wheel: string;
  readonly requirements: string;
  /** The same for the same requirements, another one for others. */
  readonly libraries: string;
  /** The same for the same files, another one for others; begins with that of the libraries. */
  readonly identity: string;
}

const PREFIX = "server-";
const MARKER = "complete";
const DAY_MS = 24 * 60 * 60 * 1000;

/** Finds the wheel and its requirements next to the bundle; undefined if the extension came without them. */
export async function suppliesIn(folder: string): Promise<Supplies | undefined> {
  const names = await readdir(folder).catch((): string[] => []);
  const wheel = names.find((name) => name.endsWith(".whl"));
  if (wheel === undefined || !names.includes("requirements.txt")) {
    return undefined;
  }
  const found = { wheel: join(folder, wheel), requirements: join(folder, "requirements.txt") };
  const libraries = await hashOf(found.requirements);
  return { ...found, libraries, identity: `${libraries}-${await hashOf(found.wheel)}` };
}

async function hashOf(file: string): Promise<string> {
  const hash = createHash("sha256").update(await readFile(file));
  return hash.digest("hex").slice(0, 16);
}

/** Gives the Python of a whole environment that was made from these supplies; undefined where there is none. */
export async function findComplete(storage: string, identity: string): Promise<string | undefined> {
  return (await marked(storage, (mark) => mark === identity))[0];
}

/** Gives the Pythons of all whole environments that have these libraries, with whichever server. */
export function findAlike(storage: string, libraries: string): Promise<string[]> {
  return marked(storage, (mark) => mark.startsWith(`${libraries}-`));
}

/** Gives the Python of any whole environment, of whichever version of the extension. */
export async function findAny(storage: string): Promise<string | undefined> {
  return (await marked(storage, () => true))[0];
}

/** Gives those that are whole, the one that was used last first. */
async function marked(storage: string, isWanted: (mark: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (const { folder } of await byUse(await environments(storage))) {
    const [python, mark] = [pythonIn(folder), await markOf(folder)];
    if (mark !== undefined && isWanted(mark) && (await exists(python))) {
      found.push(python);
    }
  }
  return found;
}

/** Makes the folder of a new environment: one of its own for each try, so that two windows are not in each other's way. */
export function newFolder(storage: string): Promise<string> {
  return mkdtemp(join(storage, PREFIX));
}

/** Copies an environment into a folder, but for its mark. What is called as a module finds all in the copy; only the scripts of packages, which nothing calls, would lead back. */
export async function copyEnvironment(python: string, folder: string): Promise<void> {
  const from = folderOf(python);
  const filter = (file: string) => file !== join(from, MARKER);
  await cp(from, folder, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true, filter });
}

/** Says that an environment is whole. */
export async function markComplete(folder: string, identity: string): Promise<void> {
  await writeFile(join(folder, MARKER), identity);
}

/** Takes the mark from all that were made from the same supplies before, so that the one made last is the one that counts, also where two windows made one at once. */
export async function supersede(storage: string, folder: string, identity: string): Promise<void> {
  const own = await markedAt(folder);
  for (const other of await environments(storage)) {
    const [mark, at] = [await markOf(other), await markedAt(other)];
    if (mark === identity && (at < own || (at === own && other < folder))) {
      await discard(pythonIn(other));
    }
  }
}

/** Notes that an environment is in use now. */
export async function markUsed(python: string): Promise<void> {
  const now = new Date();
  await utimes(folderOf(python), now, now).catch(() => undefined);
}

/** Takes the mark away, so that the environment is made anew. */
export async function discard(python: string): Promise<void> {
  await rm(join(folderOf(python), MARKER), { force: true });
}

/** Removes unused environments: half-made ones and those of other versions, a day after their last use.
 * The newest of them stays: a window that was not reloaded yet may still run its server, and notes no use while the machine sleeps. */
export async function tidy(storage: string, used: string, now: number = Date.now()): Promise<void> {
  const others = (await environments(storage)).filter((folder) => pythonIn(folder) !== used);
  const [, ...older] = await byUse(others);
  for (const { folder, usedAt } of older) {
    if (now - usedAt > DAY_MS) {
      await rm(folder, { recursive: true, force: true }).catch(() => undefined);
    }
  }
}

/** Gives the Python of an environment. */
export function pythonIn(folder: string): string {
  return process.platform === "win32" ? join(folder, "Scripts", "python.exe") : join(folder, "bin", "python");
}

function folderOf(python: string): string {
  return join(python, "..", "..");
}

async function environments(storage: string): Promise<string[]> {
  const names = await readdir(storage).catch((): string[] => []);
  return names.filter((name) => name.startsWith(PREFIX)).map((name) => join(storage, name));
}

/** Gives them with the time of their last use, the latest first. */
async function byUse(folders: readonly string[]): Promise<{ folder: string; usedAt: number }[]> {
  const aged = await Promise.all(folders.map(async (folder) => ({ folder, usedAt: await changedAt(folder) })));
  return aged.sort((one, other) => other.usedAt - one.usedAt);
}

function markedAt(folder: string): Promise<number> {
  return changedAt(join(folder, MARKER));
}

async function markOf(folder: string): Promise<string | undefined> {
  return readFile(join(folder, MARKER), "utf8").catch(() => undefined);
}

async function changedAt(path: string): Promise<number> {
  const seen = await stat(path).catch(() => undefined);
  return seen?.mtimeMs ?? 0;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
