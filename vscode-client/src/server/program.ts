/** The server program: from the settings, else bundled, else installed with a Python after one question; and its shell command. */

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import { Fault } from "../faults";
import { patiently } from "../patience";
import { t } from "../words";

export interface Program {
  readonly origin: "path" | "interpreter" | "bundled" | "own";
  readonly command: string;
  readonly args: readonly string[];
  /** The extension's own folder in the user's storage. */
  readonly cwd: string;
}

/** What the universal package brings for a set-up. */
interface Supplies {
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

const COMPLETE = "complete";
/** How the names of environments begin, before the identity of their supplies; each try has a folder of its own, so that two windows do not collide. */
const ENVIRONMENT = "server-";
const SERVE = ["-m", "compact_chat", "serve"];
const INSTALLED = "shellCommand";
const MARK = "written by the VS Code extension Compact Chat";
const EXE = process.platform === "win32" ? ".exe" : "";
const SIZE_MB = 100;
const [LOOK_MS, UNUSED_MS] = [15_000, 7 * 24 * 60 * 60 * 1000];
const NAMES = ["python3.14", "python3.13", "python3.12", "python3.11", "python3", "python"];
/** On macOS a mere `python3` may only offer to install one. */
const FOLDERS = process.platform === "darwin" ? ["", "/opt/homebrew/bin/", "/usr/local/bin/"] : [""];
/** Usual names of Python, the newest first. */
const COMMANDS =
  process.platform === "win32"
    ? [["py", "-3"], ["python"], ["python3"]]
    : NAMES.flatMap((name) => FOLDERS.map((folder) => [`${folder}${name}`]));
/** Print line by line, so that an old Python reports its version before it fails. */
const LOOK = `import sys
print("%d.%d.%d" % sys.version_info[:3])
print(sys.executable)
import venv, ensurepip
print("venv")
`;
const PIP = [
  ...["-I", "-m", "pip", "install", "--only-binary=:all:", "--no-input", "--no-user", "--disable-pip-version-check"],
  ...["--progress-bar", "off"],
];
/** Variables that would install elsewhere; the user's index and proxy stay. */
const MISLEADING =
  /^PIP_(TARGET|PREFIX|ROOT|USER|PYTHON|REQUIREMENT|CONSTRAINT|EDITABLE|NO_DEPS|DRY_RUN|REPORT|SRC|PLATFORM|PYTHON_VERSION|IMPLEMENTATION|ABI)$/i;
const OFFLINE =
  /Failed to establish|NameResolution|getaddrinfo|Timeout|ProxyError|Connection refused|Max retries|HTTP error \d|\b(40[137]|5\d\d) (Client |Server )?Error/i;

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
async function suppliesOf({ server }: Place): Promise<Supplies | undefined> {
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

function pythonIn(environment: string): string {
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

interface Python {
  readonly executable: string;
  readonly version: string;
  readonly hasVenv: boolean;
}

/** Install the server; rejects with a `Fault` if that is declined or fails. `isChoosing`: the user names the Python. */
export async function setUp(
  place: Place,
  log: vscode.LogOutputChannel,
  isChoosing: boolean,
  closing: AbortSignal,
): Promise<void> {
  const supplies = await suppliesOf(place);
  if (supplies === undefined) {
    throw new Fault("wrongServer", t("This copy of the extension has no server. Install it again."));
  }
  await mkdir(place.storage, { recursive: true });
  const hasAgreed = (await environments(place)).length > 0 && !isChoosing;
  const missing = t("Python was not found. Install Python 3.11 or newer from python.org, or choose one.");
  const found = isChoosing ? await choosePython(place) : await findPython(place, COMMANDS, missing);
  const python = hasAgreed ? found : await agreed(found, place);
  await patiently(t("Setting up Compact Chat"), (signal) =>
    install(python, supplies, place, log, AbortSignal.any([signal, closing])),
  );
}

/** Note that an environment runs, and remove those that nothing has used for a week. */
export async function tidy({ storage }: Place, python: string): Promise<void> {
  const now = new Date();
  for (const name of (await readdir(storage)).filter((one) => one.startsWith(ENVIRONMENT))) {
    const folder = join(storage, name);
    if (pythonIn(folder) === python) {
      await utimes(folder, now, now);
    } else if (now.getTime() - (await stat(folder)).mtimeMs > UNUSED_MS) {
      await rm(folder, { recursive: true, force: true }).catch(() => undefined); // one in use does not keep the others
    }
  }
}

/** Ask once; the user may name another Python instead. */
async function agreed(python: Python, place: Place): Promise<Python> {
  const [yes, other] = [t("Install"), t("Choose Python…")];
  const detail = [
    t("Compact Chat runs on this machine with Python {0}.", python.version),
    t("Downloads about {0} MB from the Python Package Index, each package checked by its hash.", SIZE_MB),
    t("Everything goes into the extension's own folder."),
  ].join("\n");
  const question = t("Set up Compact Chat?");
  const answer = await vscode.window.showInformationMessage(question, { modal: true, detail }, yes, other);
  if (answer === other) {
    return agreed(await choosePython(place), place);
  }
  if (answer !== yes) {
    throw new Fault("cancelled", t("The server was not set up."));
  }
  return python;
}

/** Find the first Python that fits. */
async function findPython(place: Place, commands: readonly (readonly string[])[], missing: string): Promise<Python> {
  const objections: Fault[] = [];
  for (const command of commands) {
    const python = await lookAt(command, place);
    const objection = python && objectionTo(python);
    if (python && !objection) {
      return python;
    }
    objections.push(...(objection ? [objection] : []));
  }
  throw objections[0] ?? new Fault("noPython", missing);
}

async function choosePython(place: Place): Promise<Python> {
  const title = t("Python 3.11 or newer");
  const [file] = (await vscode.window.showOpenDialog({ title, openLabel: t("Use This Python") })) ?? [];
  if (file === undefined) {
    throw new Fault("cancelled", t("The server was not set up."));
  }
  const missing = t("{0} is not a Python. Choose Python 3.11 or newer.", file.fsPath);
  return findPython(place, [[file.fsPath]], missing);
}

async function lookAt(command: readonly string[], { storage }: Place): Promise<Python | undefined> {
  const signal = AbortSignal.timeout(LOOK_MS);
  const { output } = await run([...command, "-c", LOOK], { cwd: storage, signal });
  const [version, executable, venv] = output.split("\n").map((line) => line.trim());
  const isOne = version !== undefined && /^\d+\.\d+\.\d+$/.test(version) && executable;
  return isOne ? { executable, version, hasVenv: venv === "venv" } : undefined;
}

/** Say why a Python cannot be used, if it cannot. */
function objectionTo({ version, executable, hasVenv }: Python): Fault | undefined {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  if (major < 3 || (major === 3 && minor < 11)) {
    return new Fault("oldPython", t("Compact Chat needs Python 3.11 or newer and found {0}.", version));
  }
  const name = `python${major}.${minor}-venv`;
  const sentence = t("{0} has no venv module. On Debian and Ubuntu install {1}.", executable, name);
  return hasVenv ? undefined : new Fault("cannotInstall", sentence);
}

/** Make the environment: all of it, or nothing. */
async function install(
  python: Python,
  { wheel, requirements, identity }: Supplies,
  { storage: cwd }: Place,
  log: vscode.LogOutputChannel,
  signal: AbortSignal,
): Promise<void> {
  const folder = await mkdtemp(join(cwd, `${ENVIRONMENT}${identity}-`));
  const own = pythonIn(folder);
  const steps = [
    [python.executable, "-I", "-m", "venv", folder],
    [own, ...PIP, "--retries", "2", "--timeout", "20", "--require-hashes", "--requirement", requirements],
    // Never by name from an index, where the name may belong to another package.
    [own, ...PIP, "--no-index", "--no-deps", wheel],
    [own, "-I", "-m", "compact_chat", "--version"],
  ];
  try {
    for (const command of steps) {
      const { code, output } = await run(command, { cwd, signal, heard: (line) => log.info(line) });
      if (signal.aborted) {
        throw new Fault("cancelled", t("The server was not set up."));
      }
      if (code !== 0) {
        throw installFault(output);
      }
    }
    await writeFile(join(folder, COMPLETE), "");
  } catch (problem) {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
    throw problem instanceof Fault ? problem : installFault(String((problem as NodeJS.ErrnoException).code ?? ""));
  }
}

export function installFault(output: string): Fault {
  const reasons = [
    [/DO NOT MATCH THE HASHES|HashMismatch/i, t("A downloaded package failed its hash check. Nothing was installed.")],
    [/No space left|not enough space|ENOSPC/i, t("The disk is full. Nothing was installed.")],
    [
      /CERTIFICATE_VERIFY_FAILED|certificate verify failed|\[SSL/i,
      t("The certificate of the Python Package Index was refused. Nothing was installed."),
    ],
    [OFFLINE, t("The Python Package Index could not be reached. Check the connection and try again.")],
  ] as const;
  const [, sentence] = reasons.find(([pattern]) => pattern.test(output)) ?? [];
  if (sentence !== undefined) {
    return new Fault("cannotInstall", sentence);
  }
  return /No matching distribution|requires a different Python|is not a supported wheel/i.test(output)
    ? new Fault("unfitPython", t("A package does not support this Python or machine. Choose another Python."))
    : new Fault("unexplained", t("The server could not be installed. See the log."));
}

interface Running {
  readonly cwd: string;
  readonly signal: AbortSignal;
  readonly heard?: (line: string) => void;
}

/** Run a program to its end, without a shell; no exit code if it cannot be started. */
export function run([program = "", ...args]: readonly string[], { cwd, signal, heard }: Running) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !MISLEADING.test(name)));
  const child = spawn(program, args, { cwd, env: { ...env, PYTHONIOENCODING: "utf-8" }, signal, windowsHide: true });
  child.stdin.end();
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      heard?.(line);
    });
  }
  return new Promise<{ readonly code: number | undefined; readonly output: string }>((resolve) => {
    child.on("error", ({ message }) => resolve({ code: undefined, output: message }));
    child.on("close", (code) => resolve({ code: code ?? undefined, output: lines.join("\n") }));
  });
}
