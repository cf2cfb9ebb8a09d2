/** Makes the private environment that the server runs in: whole, or not at all. */

import { mkdir, readFile, rm } from "node:fs/promises";
import { Fault, type Translate } from "../faults";
import { copyEnvironment, markComplete, newFolder, pythonIn, type Supplies, supersede } from "./environment";
import { countPackages, fetchArguments, packageBegun, pipEnvironment, pipFault, serverArguments } from "./pip";
import type { Python } from "./python";
import { type Outcome, run } from "./run";

interface Making {
  readonly supplies: Supplies;
  /** The folder that the environment is made in. */
  readonly storage: string;
  readonly signal: AbortSignal;
  readonly t: Translate;
  /** Gets what is done now, and how much of all it is, in percent. */
  readonly tell: (what: string, percent: number) => void;
  readonly log: (line: string) => void;
}

export interface Installing extends Making {
  readonly python: Python;
}

/** Makes an environment and gives its Python; rejects with a `Fault`, and leaves nothing behind then. */
export function install(installing: Installing): Promise<string> {
  return made(installing, async (folder) => {
    await fetchLibraries(folder, installing);
    await installServer(folder, installing);
  });
}

/** The same without a network, out of an environment that has the libraries; that one stays as it is, since a window may still run its server. */
export function renew(before: string, making: Making): Promise<string> {
  return made(making, async (folder) => {
    await copyEnvironment(before, folder);
    await installServer(folder, making);
  });
}

async function made(making: Making, fill: (folder: string) => Promise<void>): Promise<string> {
  const { storage, supplies } = making;
  let folder: string | undefined;
  try {
    await mkdir(storage, { recursive: true });
    folder = await newFolder(storage);
    await fill(folder);
    await markComplete(folder, supplies.identity);
    await supersede(storage, folder, supplies.identity);
    return pythonIn(folder);
  } catch (problem) {
    await (folder && rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined));
    throw faultOf(problem, making);
  }
}

function faultOf(problem: unknown, { signal, t }: Making): Fault {
  if (signal.aborted) {
    return new Fault("cancelled", t("The set-up was stopped."));
  }
  const why = String((problem as NodeJS.ErrnoException).code ?? "?");
  const unwritten = t("The files of the server's environment could not be read or written ({0}).", why);
  return problem instanceof Fault ? problem : new Fault("cannotInstall", unwritten);
}

async function fetchLibraries(folder: string, installing: Installing): Promise<void> {
  const { supplies, t, tell } = installing;
  const [base, ...before] = installing.python.command;
  tell(t("making an environment"), 5);
  expect(await step(base, [...before, "-I", "-m", "venv", folder], installing), (said) => venvFault(said, installing));
  const heard = countingPackages(countPackages(await readFile(supplies.requirements, "utf8")), installing);
  expect(await step(pythonIn(folder), fetchArguments(supplies), installing, heard), (said) => pipFault(said, t));
}

async function installServer(folder: string, making: Making): Promise<void> {
  const { supplies, t, tell } = making;
  tell(t("installing the server"), 5);
  for (const args of [serverArguments(supplies), ["-I", "-m", "compact_chat", "--version"]]) {
    expect(await step(pythonIn(folder), args, making), (said) => pipFault(said, t));
  }
}

async function step(
  program: string,
  args: readonly string[],
  { storage, signal, log }: Making,
  heard: (line: string) => void = () => undefined,
): Promise<Outcome> {
  const listen = (line: string) => {
    log(line);
    heard(line);
  };
  log(`${program} ${args.join(" ")}`);
  const outcome = await run(program, args, { cwd: storage, env: pipEnvironment(process.env), signal, heard: listen });
  signal.throwIfAborted();
  return outcome;
}

function expect(outcome: Outcome, fault: (said: string) => Fault): void {
  if (outcome.code !== 0) {
    throw fault(`${outcome.output}\n${outcome.errors}`);
  }
}

/** Reports each package that pip begins to fetch. */
function countingPackages(count: number, { tell, t }: Making): (line: string) => void {
  return (line) => {
    const name = packageBegun(line);
    if (name !== undefined) {
      tell(t("fetching {0}", name), 80 / Math.max(count, 1));
    }
  };
}

function venvFault(said: string, { python, t }: Installing): Fault {
  const isSpace = /No space left/i.test(said);
  return isSpace
    ? pipFault(said, t)
    : new Fault("unfitPython", t("Python {0} could not make an environment: choose another Python.", python.version));
}
