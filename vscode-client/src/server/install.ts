/** Makes the private environment that the server runs in: whole, or not at all. */

import { mkdir, readFile, rm } from "node:fs/promises";
import { Fault, type Translate } from "../faults";
import { markComplete, newFolder, pythonIn, type Supplies, supersede } from "./environment";
import { countPackages, fetchArguments, packageBegun, pipEnvironment, pipFault, serverArguments } from "./pip";
import type { Python } from "./python";
import { type Outcome, run } from "./run";

export interface Installing {
  readonly python: Python;
  readonly supplies: Supplies;
  /** The folder that the environment is made in. */
  readonly storage: string;
  readonly signal: AbortSignal;
  readonly t: Translate;
  /** Gets what is done now, and how much of all it is, in percent. */
  readonly tell: (what: string, percent: number) => void;
  readonly log: (line: string) => void;
}

/** Makes an environment and gives its Python; rejects with a `Fault`, and leaves nothing behind then. */
export async function install(installing: Installing): Promise<string> {
  try {
    return await made(installing);
  } catch (problem) {
    throw faultOf(problem, installing);
  }
}

async function made(installing: Installing): Promise<string> {
  await mkdir(installing.storage, { recursive: true });
  const folder = await newFolder(installing.storage);
  try {
    await make(folder, installing);
    await markComplete(folder, installing.supplies.identity);
    await supersede(installing.storage, folder, installing.supplies.identity);
    return pythonIn(folder);
  } catch (problem) {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 }).catch(() => undefined);
    throw problem;
  }
}

function faultOf(problem: unknown, { signal, t }: Installing): Fault {
  if (signal.aborted) {
    return new Fault("cancelled", t("The set-up was stopped."));
  }
  const why = String((problem as NodeJS.ErrnoException).code ?? "?");
  const unwritten = t("The files of the server's environment could not be read or written ({0}).", why);
  return problem instanceof Fault ? problem : new Fault("cannotInstall", unwritten);
}

async function make(folder: string, installing: Installing): Promise<void> {
  const { supplies, t, tell } = installing;
  const [base, ...before] = installing.python.command;
  const python = pythonIn(folder);
  tell(t("making an environment"), 5);
  expect(await step(base, [...before, "-I", "-m", "venv", folder], installing), (said) => venvFault(said, installing));
  const heard = countingPackages(countPackages(await readFile(supplies.requirements, "utf8")), installing);
  expect(await step(python, fetchArguments(supplies), installing, heard), (said) => pipFault(said, t));
  tell(t("installing the server"), 5);
  expect(await step(python, serverArguments(supplies), installing), (said) => pipFault(said, t));
  expect(await step(python, ["-I", "-m", "compact_chat", "--version"], installing), (said) => pipFault(said, t));
}

async function step(
  program: string,
  args: readonly string[],
  installing: Installing,
  heard: (line: string) => void = () => undefined,
): Promise<Outcome> {
  const { storage, signal, log } = installing;
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

/** Tells each package that pip begins to fetch. */
function countingPackages(count: number, { tell, t }: Installing): (line: string) => void {
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
