/** Files that are written anew; over another only where its owner chose that in the editor's own dialog. */

import { randomUUID } from "node:crypto";
import { constants } from "node:fs";
import { copyFile, link, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as vscode from "vscode";
import { Fault } from "../faults";
import { cannotWrite } from "../unwritable";

const MINE_ALONE = 0o600;

export async function isThere(file: vscode.Uri): Promise<boolean> {
  return stat(file.fsPath).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** Says whether two addresses lead to one file that is there, whatever links and ways to write a name lie between. */
export async function isSameFile(one: vscode.Uri, other: vscode.Uri): Promise<boolean> {
  const look = ({ fsPath }: vscode.Uri) => stat(fsPath, { bigint: true }).catch(() => undefined);
  const [found, wanted] = await Promise.all([look(one), look(other)]);
  return found !== undefined && found.dev === wanted?.dev && found.ino === wanted.ino;
}

/** Writes a new file that only its owner reads, as the tools write chats. */
export async function writeNew(file: vscode.Uri, text: string): Promise<void> {
  await made(file, (fresh) => writeFile(fresh, text, { flag: "wx", mode: MINE_ALONE }));
}

/** Copies a file byte for byte to a place where none is. */
export async function copyNew(from: vscode.Uri, to: vscode.Uri): Promise<void> {
  await made(to, (fresh) => copyFile(from.fsPath, fresh, constants.COPYFILE_EXCL));
}

/** Copies a file byte for byte to where the user chose to have it. */
export async function copyOver(from: vscode.Uri, to: vscode.Uri): Promise<void> {
  try {
    await vscode.workspace.fs.copy(from, to, { overwrite: true });
  } catch {
    throw cannotWrite(to);
  }
}

/** Has a file written next to its target, and moves it there complete; an existing file stays as it is. */
async function made(file: vscode.Uri, write: (fresh: string) => Promise<void>): Promise<void> {
  const fresh = `${file.fsPath}.${randomUUID()}`;
  try {
    await mkdir(dirname(fresh), { recursive: true });
    await write(fresh);
    await place(fresh, file.fsPath);
  } catch (problem) {
    throw unmade(file, (problem as NodeJS.ErrnoException).code);
  } finally {
    await rm(fresh, { force: true }).catch(() => undefined);
  }
}

/** Where a disk knows no links, a copy takes their place. */
async function place(fresh: string, file: string): Promise<void> {
  try {
    await link(fresh, file);
  } catch (problem) {
    if ((problem as NodeJS.ErrnoException).code === "EEXIST") {
      throw problem;
    }
    await copyFile(fresh, file, constants.COPYFILE_EXCL);
  }
}

function unmade(file: vscode.Uri, code: string | undefined): Fault {
  if (code !== "EEXIST") {
    return cannotWrite(file);
  }
  const taken = vscode.l10n.t("{0} is there already, and no chat is ever written over.", file.fsPath);
  return new Fault("chatStands", taken, { uri: file.toString() });
}
