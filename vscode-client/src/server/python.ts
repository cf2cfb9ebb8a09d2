/** Finds a Python that can run the server, and examines one that the user named. */

import { run } from "./run";

export interface Python {
  /** The command that was tried: a program and its arguments. */
  readonly command: readonly [string, ...string[]];
  /** The program that this command leads to. */
  readonly executable: string;
  readonly version: string;
  readonly makesEnvironments: boolean;
  /** The version of the server's package where this Python has it. */
  readonly server: string | undefined;
}

export type Suits = "suits" | "tooOld" | "withoutVenv";

/** Prints line by line, so that an old Python reports its version before it fails. */
const LOOK = `import sys
print("%d.%d.%d" % sys.version_info[:3])
print(sys.executable)
from importlib.util import find_spec
print(all(find_spec(name) for name in ("venv", "ensurepip")))
if find_spec("compact_chat"):
    import compact_chat
    print(compact_chat.__version__)
`;
export const PATIENCE_MS = 15_000;

/** Looks at a Python; undefined where the command is none, or does not answer. */
export async function lookAt(command: readonly [string, ...string[]], cwd: string): Promise<Python | undefined> {
  const [program, ...args] = command;
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const env = { ...process.env, PYTHONIOENCODING: "utf-8" };
  const { output } = await run(program, [...args, "-c", LOOK], { cwd, env, signal });
  const [version, executable, makesEnvironments, server] = output.split("\n").map((line) => line.trim());
  if (!version || !executable || !/^\d+\.\d+\.\d+$/.test(version)) {
    return undefined;
  }
  return { command, executable, version, makesEnvironments: makesEnvironments === "True", server: server || undefined };
}

/** Says whether a server's environment can be made with a Python. */
export function suits(python: Python): Suits {
  if (isOlder(python.version, "3.11")) {
    return "tooOld";
  }
  return python.makesEnvironments ? "suits" : "withoutVenv";
}

/** Finds the first Python that suits, else those that almost do. */
export async function findPython(
  cwd: string,
  commands: readonly (readonly [string, ...string[]])[] = usualCommands(),
): Promise<{ readonly best: Python | undefined; readonly others: readonly Python[] }> {
  const others: Python[] = [];
  for (const command of commands) {
    const python = await lookAt(command, cwd);
    if (python !== undefined && suits(python) === "suits") {
      return { best: python, others };
    }
    others.push(...(python === undefined ? [] : [python]));
  }
  return { best: undefined, others };
}

/** The commands that usually are a Python, the newest first; on macOS a mere `python3` may only offer to install one, so it comes late. */
export function usualCommands(platform: NodeJS.Platform = process.platform): (readonly [string, ...string[]])[] {
  if (platform === "win32") {
    return [["py", "-3"], ["python"], ["python3"]];
  }
  const names = ["python3.14", "python3.13", "python3.12", "python3.11", "python3", "python"];
  const folders = platform === "darwin" ? ["", "/opt/homebrew/bin/", "/usr/local/bin/"] : [""];
  return names.flatMap((name) => folders.map((folder) => [`${folder}${name}`] as const));
}

/** Compares versions by their numbers; what is missing counts as 0. */
export function isOlder(version: string, than: string): boolean {
  const [ours, theirs] = [numbers(version), numbers(than)];
  const different = [0, 1, 2].find((place) => (ours[place] ?? 0) !== (theirs[place] ?? 0));
  return different !== undefined && (ours[different] ?? 0) < (theirs[different] ?? 0);
}

function numbers(version: string): number[] {
  return version.split(".").map((part) => Number.parseInt(part, 10) || 0);
}
