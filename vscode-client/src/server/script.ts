/** The script that makes the server's program a command of the shell. */

import { chmod, mkdir, readFile, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import * as vscode from "vscode";
import { Fault } from "../faults";
import type { Program } from "./program";

const INSTALLED = "shellCommand";
const MARK = "written by the VS Code extension Compact Chat";

/** Write it into a folder that is usually on the PATH, and return that folder. */
export async function installScript(context: vscode.ExtensionContext, program: Program): Promise<string> {
  const file = scriptFile();
  const before = await readFile(file, "utf8").catch(() => "");
  if (before !== "" && !before.includes(MARK)) {
    throw new Fault("cannotWrite", vscode.l10n.t("{0} is another program. Remove it first.", file));
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
