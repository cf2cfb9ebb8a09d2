/** The server program: from the settings, else bundled, else installed; and its shell command. */

import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { Fault } from "../faults";
import { t } from "../words";

export interface Program {
  readonly origin: "path" | "interpreter" | "bundled" | "own";
  readonly command: string;
  readonly args: readonly string[];
  /** The extension's own folder in the user's storage. */
  readonly cwd: string;
}

/** What the universal package brings for a set-up. */
export interface Supplies {
  readonly wheel: string;
  readonly requirements: string;
  /** A hash of both. */
  readonly identity: string;
}

/** Folders with something to run, and to set it up with. */
export interface Place {
  readonly storage: string;
  /** What came with the extension. */
  readonly server: string;
}

export const COMPLETE = "complete";
/** How the names of environments begin, before the identity of their supplies; each try has a folder of its own, so that two windows do not collide. */
export const ENVIRONMENT = "server-";
const SERVE = ["-m", "compact_chat", "serve"];
const INSTALLED = "shellCommand";
const MARK = "written by the VS Code extension Compact Chat";
const EXE = process.platform === "win32" ? ".exe" : "";

export function placeOf({ globalStorageUri, extensionPath }: vscode.ExtensionContext): Place {
  return { storage: globalStorageUri.fsPath, server: join(extensionPath, "server") };
}

/** Return the program to start; undefined if one must be set up first. */
export async function findProgram(place: Place): Promise<Program | undefined> {
  const found = configured(place) ?? bundled(place);
  if (found !== undefined) {
    return found;
  }
  const supplies = await suppliesOf(place);
  const [own] = supplies ? await environments(place, supplies.identity) : [];
  return own === undefined
    ? undefined
    : { origin: "own", command: pythonIn(own), args: ["-I", ...SERVE], cwd: place.storage };
}

/** The program that the settings name. A user's Python runs without the current folder on its path. */
function configured({ storage: cwd }: Place): Program | undefined {
  const settings = vscode.workspace.getConfiguration("compactChat");
  // Accept a text or a list; ignore blanks.
  const wordsOf = (name: string) =>
    [settings.get<unknown>(name)].flat().flatMap((word) => (typeof word === "string" ? word.trim() || [] : []));
  const [[path], [python, ...args]] = [wordsOf("server.path"), wordsOf("interpreter")];
  if (path) {
    return { origin: "path", command: fromHome(path), args: ["serve"], cwd };
  }
  return python
    ? { origin: "interpreter", command: fromHome(python), args: [...args, "-P", ...SERVE], cwd }
    : undefined;
}

function fromHome(path: string): string {
  return path.replace(/^~(?=[\\/])/, homedir);
}

/** The program that a package for this platform brings. */
function bundled({ storage: cwd, server }: Place): Program | undefined {
  const command = join(server, "compact-chat", `compact-chat${EXE}`);
  return existsSync(command) ? { origin: "bundled", command, args: ["serve"], cwd } : undefined;
}

/** Find the wheel and its locked requirements; only the universal package has them. */
export async function suppliesOf({ server }: Place): Promise<Supplies | undefined> {
  const names = await readdir(server).catch((): string[] => []);
  const name = names.find((one) => one.endsWith(".whl"));
  if (name === undefined) {
    return undefined;
  }
  const [wheel, requirements] = [join(server, name), join(server, "requirements.txt")];
  const hash = createHash("sha256")
    .update(await readFile(requirements))
    .update(await readFile(wheel));
  return { wheel, requirements, identity: hash.digest("hex").slice(0, 8) };
}

/** List the complete private environments in the storage: all, or those made from the same supplies. */
export async function environments({ storage }: Place, identity = ""): Promise<readonly string[]> {
  const names = await readdir(storage).catch((): string[] => []);
  const folders = names
    .filter((name) => name.startsWith(`${ENVIRONMENT}${identity}`))
    .map((name) => join(storage, name));
  return folders.filter((folder) => [pythonIn(folder), join(folder, COMPLETE)].every(existsSync));
}

export function pythonIn(environment: string): string {
  return process.platform === "win32" ? join(environment, "Scripts", "python.exe") : join(environment, "bin", "python");
}

/** Mark an environment as incomplete, so that it is installed again. */
export function discard(python: string): Promise<void> {
  return rm(join(dirname(dirname(python)), COMPLETE), { force: true });
}

/** Write it into a folder that is usually on the PATH, and return that folder. */
export async function installScript(context: vscode.ExtensionContext, program: Program): Promise<string> {
  const file = scriptFile();
  const before = await readFile(file, "utf8").catch(() => "");
  if (before !== "" && !before.includes(MARK)) {
    throw new Fault("cannotWrite", t("{0} is another program. Remove it first.", file));
  }
  await mkdir(dirname(file), { recursive: true });
  await writeScript(file, program);
  await context.globalState.update(INSTALLED, file);
  return dirname(file);
}

/** Point an installed script at the program of this version of the extension. */
export async function refreshScript(context: vscode.ExtensionContext, program: Program): Promise<void> {
  const file = context.globalState.get<string>(INSTALLED);
  const before = file && (await readFile(file, "utf8").catch(() => ""));
  if (file && before?.includes(MARK) && before !== scriptText(program)) {
    await writeScript(file, program).catch(() => undefined);
  }
}

/** On Windows this folder is on every user's PATH. */
function scriptFile(): string {
  const local = process.env.LOCALAPPDATA ?? join(homedir(), "AppData", "Local");
  return process.platform === "win32"
    ? join(local, "Microsoft", "WindowsApps", "compact-chat.cmd")
    : join(homedir(), ".local", "bin", "compact-chat");
}

function scriptText({ command, args }: Program): string {
  const words = [command, ...args.filter((arg) => arg !== "serve")];
  return process.platform === "win32"
    ? `@rem ${MARK}\r\n@${words.map((word) => `"${word}"`).join(" ")} %*\r\n`
    : `#!/bin/sh\n# ${MARK}\nexec ${words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ")} "$@"\n`;
}

async function writeScript(file: string, program: Program): Promise<void> {
  await writeFile(file, scriptText(program));
  await chmod(file, 0o755);
}
