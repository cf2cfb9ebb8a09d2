/** The program that is started as the server: where it comes from, and how it is called. */

import { homedir } from "node:os";
import { join } from "node:path";

export type Origin = "path" | "interpreter" | "active" | "own";

export interface Program {
  readonly origin: Origin;
  readonly command: string;
  readonly args: readonly string[];
}

const SERVE = ["-m", "compact_chat", "serve"];

/** The program of the setting `server.path`. */
export function programAt(path: string): Program {
  return { origin: "path", command: fromHome(path), args: ["serve"] };
}

/** A user's Python: without the current folder on its path, and with all else that the user gave it. */
export function programOf(
  origin: "interpreter" | "active",
  [command, ...args]: readonly [string, ...string[]],
): Program {
  return { origin, command: fromHome(command), args: [...args, "-P", ...SERVE] };
}

/** Our own environment, cut off from everything around it. */
export function programIn(python: string): Program {
  return { origin: "own", command: python, args: ["-I", ...SERVE] };
}

/** Gives the Python that a program is a module of; undefined where it is a program of its own. */
export function pythonOf(program: Program): readonly [string, ...string[]] | undefined {
  const before = program.args.slice(0, program.args.length - SERVE.length - 1);
  return program.origin === "path" ? undefined : [program.command, ...before];
}

/** Says whether two programs are called alike. */
export function isSame(one: Program, other: Program): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function fromHome(path: string): string {
  return /^~[\\/]/.test(path) ? join(homedir(), path.slice(2)) : path;
}

/** Returns how a program is called. */
export function commandLine({ command, args }: Program): string {
  return [command, ...args].join(" ");
}
