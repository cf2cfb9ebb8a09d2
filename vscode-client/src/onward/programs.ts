/** Whether a program can be run by its name. */

import { constants } from "node:fs";
import { access, stat } from "node:fs/promises";
import { delimiter, isAbsolute, join } from "node:path";

export async function isOnPath(program: string, env: NodeJS.ProcessEnv, platform: string): Promise<boolean> {
  const found = await Promise.all(candidates(program, env, platform).map(isRunnable));
  return found.includes(true);
}

/** Only whole paths: a program that an opened folder brings along is not the user's. */
function candidates(program: string, env: NodeJS.ProcessEnv, platform: string): string[] {
  const folders = (env.PATH ?? env.Path ?? "").split(delimiter).filter(isAbsolute);
  const endings = platform === "win32" ? (env.PATHEXT ?? ".EXE;.CMD").split(";") : [""];
  return folders.flatMap((folder) => endings.map((ending) => join(folder, `${program}${ending}`)));
}

async function isRunnable(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false;
  }
}
