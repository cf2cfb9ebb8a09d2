/** Finds the program to start as the server: as the settings say, else what is active, else our own environment. */

import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import * as vscode from "vscode";
import { activePython } from "./active";
import { findComplete, type Supplies, suppliesIn } from "./environment";
import { type Program, programAt, programIn, programOf } from "./program";
import { isOlder, lookAt, type Python, suits } from "./python";

/** What the program is looked for with. */
export interface Place {
  /** The extension's folder in the user's storage, in which all its processes run. */
  readonly storage: string;
  readonly version: string;
  supplies(): Promise<Supplies | undefined>;
}

export function placeOf(context: vscode.ExtensionContext): Place {
  let found: Promise<Supplies | undefined> | undefined;
  return {
    storage: context.globalStorageUri.fsPath,
    version: String(context.extension.packageJSON.version),
    supplies: () => {
      found ??= suppliesIn(join(context.extensionPath, "server"));
      return found;
    },
  };
}

/** Gives the program to start; undefined where one must be set up first. Other extensions are woken only where that is allowed; an active Python that is known not to work is passed over. */
export async function locate(
  place: Place,
  mayWake: boolean,
  broken: ReadonlySet<string> = new Set(),
): Promise<Program | undefined> {
  return configured() ?? (await active(place, mayWake, broken)) ?? (await own(place));
}

/** Gives the program that the settings name; undefined where they name none. */
export function configured(): Program | undefined {
  const settings = vscode.workspace.getConfiguration("compactChat");
  const [path] = wordsOf(settings.get("server.path"));
  const [command, ...args] = wordsOf(settings.get("interpreter"));
  if (path !== undefined) {
    return programAt(path);
  }
  return command === undefined ? undefined : programOf("interpreter", [command, ...args]);
}

/** Reads a setting as a command, even if a text was written for a list or the other way round. */
function wordsOf(setting: unknown): string[] {
  const words = Array.isArray(setting) ? setting : [setting];
  return words.filter((word) => typeof word === "string").flatMap((word) => word.trim() || []);
}

/** The active environment counts only where it has a server that is not older than this extension. */
async function active(place: Place, mayWake: boolean, broken: ReadonlySet<string>): Promise<Program | undefined> {
  const executable = await activePython(mayWake);
  const python = executable === undefined ? undefined : await look(executable, place);
  if (python?.server === undefined || suits(python) === "tooOld" || isOlder(python.server, place.version)) {
    return undefined;
  }
  const program = programOf("active", [python.executable]);
  return broken.has(program.command) ? undefined : program;
}

async function look(executable: string, { storage }: Place): Promise<Python | undefined> {
  await mkdir(storage, { recursive: true });
  return lookAt([executable], storage);
}

/** Gives our own environment's program; undefined where none was set up for this version. */
export async function own(place: Place): Promise<Program | undefined> {
  const supplies = await place.supplies();
  const python = supplies && (await findComplete(place.storage, supplies.identity));
  return python === undefined ? undefined : programIn(python);
}
