/** Finds out why a program did not start as the server, so that the sentence names what helps. */

import { Fault, type Translate } from "../faults";
import { discard } from "./environment";
import { type Program, pythonOf } from "./program";
import { lookAt, PATIENCE_MS, type Python, suits } from "./python";
import { run } from "./run";

/** Returns the fault behind a failed start. */
export async function whyNotStarted(program: Program, problem: unknown, cwd: string, t: Translate): Promise<Fault> {
  if (problem instanceof Fault) {
    return problem;
  }
  const found = await faultOf(program, problem, cwd, t);
  return found ?? new Fault("unexplained", t("The server did not start; the log tells why."));
}

async function faultOf(program: Program, problem: unknown, cwd: string, t: Translate): Promise<Fault | undefined> {
  const python = pythonOf(program);
  if (python === undefined) {
    return pathFault(program, problem, t);
  }
  return program.origin === "own"
    ? ownFault(program, cwd, t)
    : userFault(await lookAt(python, cwd), python.join(" "), t);
}

/** What is said of a program that could not even be started. */
const NO_PROGRAM = /^Launching server using command|\bspawn [A-Z]+\b/;

function pathFault({ command }: Program, problem: unknown, t: Translate): Fault | undefined {
  const isNone = NO_PROGRAM.test(problem instanceof Error ? problem.message : String(problem));
  const sentence = t("{0} is no program that can be started, though the settings name it as the server.", command);
  return isNone ? new Fault("wrongServer", sentence) : undefined;
}

/** Loads all that a server starts with. */
const LOADS = "from compact_chat.serve import serve_stdio; print(True)";

/** An environment of our own that lost its Python, or what was in it, is made anew; one that is only slow is not. */
async function ownFault({ command }: Program, cwd: string, t: Translate): Promise<Fault | undefined> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const { code, output } = await run(command, ["-I", "-c", LOADS], { cwd, signal });
  if (signal.aborted || (code === 0 && output !== "")) {
    return undefined;
  }
  await discard(command);
  return new Fault("notSetUp", t("The server's environment does not work any more; set it up again."));
}

function userFault(python: Python | undefined, command: string, t: Translate): Fault | undefined {
  const sentence = wrongWith(python, command, t);
  return sentence === undefined ? undefined : new Fault("wrongServer", sentence);
}

/** All of it is mended in the settings: they come first, whatever else is set up. */
function wrongWith(python: Python | undefined, command: string, t: Translate): string | undefined {
  if (python === undefined) {
    return t("{0} is no Python that answers, though the settings name it as one.", command);
  }
  if (suits(python) === "tooOld") {
    return t("{0} is Python {1}; Compact Chat needs 3.11 or newer.", command, python.version);
  }
  return python.server === undefined ? t("{0} does not have the package compact-chat.", command) : undefined;
}
