/** Runs a program to its end and gives what it printed. */

import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

export interface Circumstances {
  readonly cwd: string;
  readonly env?: NodeJS.ProcessEnv;
  /** Ends the program, and all that it started, when it fires. */
  readonly signal?: AbortSignal;
  /** Gets each line of the output and of the errors while they come. */
  readonly heard?: (line: string) => void;
}

export interface Outcome {
  /** The exit code; undefined where the program was stopped, or could not be started. */
  readonly code: number | undefined;
  readonly output: string;
  readonly errors: string;
}

const isWindows = process.platform === "win32";

/** Runs a program without a shell; what cannot be started has no code and says why in its errors. */
export function run(program: string, args: readonly string[], circumstances: Circumstances): Promise<Outcome> {
  const { cwd, env, signal, heard } = circumstances;
  signal?.throwIfAborted();
  const child = spawn(program, args, {
    cwd,
    env: env ?? process.env,
    stdio: ["ignore", "pipe", "pipe"],
    detached: !isWindows,
    windowsHide: true,
  });
  const stop = () => endAll(child);
  signal?.addEventListener("abort", stop, { once: true });
  return ended(child, heard).finally(() => signal?.removeEventListener("abort", stop));
}

function ended(child: ChildProcess, heard?: (line: string) => void): Promise<Outcome> {
  const output = gathered(child.stdout, heard);
  const errors = gathered(child.stderr, heard);
  return new Promise((resolve) => {
    child.on("error", (error) => resolve({ code: undefined, output: "", errors: error.message }));
    child.on("close", (code) => resolve({ code: code ?? undefined, output: output(), errors: errors() }));
  });
}

function gathered(stream: ChildProcess["stdout"], heard?: (line: string) => void): () => string {
  const lines: string[] = [];
  if (stream !== null) {
    createInterface({ input: stream }).on("line", (line) => {
      lines.push(line);
      heard?.(line);
    });
  }
  return () => lines.join("\n");
}

/** Ends a program together with the programs it started: a group of their own on POSIX, a tree on Windows. */
function endAll(child: ChildProcess): void {
  if (child.pid === undefined) {
    return;
  }
  if (isWindows) {
    const taskkill = join(process.env.SystemRoot ?? "C:\\Windows", "System32", "taskkill.exe");
    spawn(taskkill, ["/pid", String(child.pid), "/t", "/f"], { stdio: "ignore", windowsHide: true });
    return;
  }
  try {
    process.kill(-child.pid, "SIGTERM");
  } catch {
    child.kill();
  }
}
