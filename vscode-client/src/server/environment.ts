/** The private environments in the extension's storage: which one is whole, and which may go. */

import { createHash } from "node:crypto";
import { access, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What a server is installed from: files that came with the extension. */
export interface Supplies {
  readonly wheel: string;
  readonly requirements: string;
  /** The same for the same files, another one for others. */
  readonly identity: string;
}

const PREFIX = "server-";
const MARKER = "complete";
const DAY_MS = 24 * 60 * 60 * 1000;

/** Finds the wheel and its requirements beside the bundle; undefined where the extension came without them. */
export async function suppliesIn(folder: string): Promise<Supplies | undefined> {
  const names = await readdir(folder).catch((): string[] => []);
  const wheel = names.find((name) => name.endsWith(".whl"));
  if (wheel === undefined || !names.includes("requirements.txt")) {
    return undefined;
  }
  const found = { wheel: join(folder, wheel), requirements: join(folder, "requirements.txt") };
  const hash = createHash("sha256");
  for (const file of [found.wheel, found.requirements]) {
    hash.update(await readFile(file));
  }
  return { ...found, identity: hash.digest("hex").slice(0, 16) };
}

/** Gives the Python of a whole environment that was made from these supplies; undefined where there is none. */
export async function findComplete(storage: string, identity: string): Promise<string | undefined> {
  for (const folder of await environments(storage)) {
    const python = pythonIn(folder);
    if ((await markOf(folder)) === identity && (await exists(python))) {
      return python;
    }
  }
  return undefined;
}

/** Makes the folder of a new environment: one of its own for each try, so that two windows are not in each other's way. */
export function newFolder(storage: string): Promise<string> {
  return mkdtemp(join(storage, PREFIX));
}

/** Says that an environment is whole. */
export async function markComplete(folder: string, identity: string): Promise<void> {
  await writeFile(join(folder, MARKER), identity);
}

/** Takes the mark from all others that were made from the same supplies, so that the one made last is the one that counts. */
export async function supersede(storage: string, folder: string, identity: string): Promise<void> {
  for (const other of await environments(storage)) {
    if (other !== folder && (await markOf(other)) === identity) {
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

/** Removes what nobody uses: half-made environments and those of other versions, a day after their last use.
 * The newest of them stays: a window that was not reloaded yet may still run its server, and notes no use while the machine sleeps. */
export async function tidy(storage: string, used: string, now: number = Date.now()): Promise<void> {
  const others = (await environments(storage)).filter((folder) => pythonIn(folder) !== used);
  const aged = await Promise.all(others.map(async (folder) => ({ folder, usedAt: await lastUse(folder) })));
  const [, ...older] = aged.sort((one, other) => other.usedAt - one.usedAt);
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

async function markOf(folder: string): Promise<string | undefined> {
  return readFile(join(folder, MARKER), "utf8").catch(() => undefined);
}

async function lastUse(folder: string): Promise<number> {
  const seen = await stat(folder).catch(() => undefined);
  return seen?.mtimeMs ?? 0;
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
