/** Finds out why a program did not start as the server, so that the sentence names what helps. */

import { access } from "node:fs/promises";
import { isAbsolute } from "node:path";
import { Fault, type Translate } from "../faults";
import { discard } from "./environment";
import { type Program, pythonOf } from "./program";
import { lookAt, type Python, suits } from "./python";

/** Gives the fault that a failed start stands for. */
export async function whyNotStarted(program: Program, problem: unknown, cwd: string, t: Translate): Promise<Fault> {
  if (problem instanceof Fault) {
    return problem;
  }
  const command = pythonOf(program);
  const found = command === undefined ? await faultOfPath(program, t) : await faultOfPython(program, command, cwd, t);
  return found ?? new Fault("serverFailed", t("The server did not start; the log tells why."));
}

async function faultOfPath({ command }: Program, t: Translate): Promise<Fault | undefined> {
  const isMissing =
    isAbsolute(command) &&
    (await access(command).then(
      () => false,
      () => true,
    ));
  return isMissing
    ? new Fault("wrongServer", t("There is no program {0}, which the settings name as the server.", command))
    : undefined;
}

async function faultOfPython(
  program: Program,
  command: readonly [string, ...string[]],
  cwd: string,
  t: Translate,
): Promise<Fault | undefined> {
  const python = await lookAt(command, cwd);
  const fault = program.origin === "own" ? ownFault(python, t) : userFault(python, command.join(" "), t);
  if (fault?.kind === "notSetUp") {
    await discard(program.command);
  }
  return fault;
}

/** An environment of our own that lost its Python, or what was in it, is made anew. */
function ownFault(python: Python | undefined, t: Translate): Fault | undefined {
  const isBroken = python?.server === undefined;
  return isBroken
    ? new Fault("notSetUp", t("The server's environment does not work any more; set it up again."))
    : undefined;
}

function userFault(python: Python | undefined, command: string, t: Translate): Fault | undefined {
  if (python === undefined) {
    return new Fault("wrongServer", t("{0} is no Python that answers, though the settings name it as one.", command));
  }
  if (suits(python) === "tooOld") {
    return new Fault("oldPython", t("{0} is Python {1}; Compact Chat needs 3.11 or newer.", command, python.version));
  }
  const lacksServer = python.server === undefined;
  return lacksServer ? new Fault("wrongServer", t("{0} does not have the package compact-chat.", command)) : undefined;
}
