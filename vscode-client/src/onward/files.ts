/** Files that are written anew; over another only where its owner chose that in the editor's own dialog. */

import { constants } from "node:fs";
import { copyFile, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import * as vscode from "vscode";
import { Fault } from "../faults";

const MINE_ALONE = 0o600;

export async function isThere(file: vscode.Uri): Promise<boolean> {
  return stat(file.fsPath).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** Writes a new file that only its owner reads, as the tools write chats. */
export async function writeNew(file: vscode.Uri, text: string): Promise<void> {
  await made(file, () => writeFile(file.fsPath, text, { flag: "wx", mode: MINE_ALONE }));
}

/** Copies a file byte for byte to a place where none is. */
export async function copyNew(from: vscode.Uri, to: vscode.Uri): Promise<void> {
  await made(to, () => copyFile(from.fsPath, to.fsPath, constants.COPYFILE_EXCL));
}

/** Copies a file byte for byte to where the user chose to have it. */
export async function copyOver(from: vscode.Uri, to: vscode.Uri): Promise<void> {
  try {
    await vscode.workspace.fs.copy(from, to, { overwrite: true });
  } catch {
    throw cannotWrite(to);
  }
}

async function made(file: vscode.Uri, write: () => Promise<void>): Promise<void> {
  try {
    await mkdir(dirname(file.fsPath), { recursive: true });
    await write();
  } catch (problem) {
    throw await unmade(file, (problem as NodeJS.ErrnoException).code);
  }
}

/** Tells why there is no new file, and leaves no half of one. */
async function unmade(file: vscode.Uri, code: string | undefined): Promise<Fault> {
  if (code === "EEXIST") {
    const taken = vscode.l10n.t("{0} is there already, and no chat is ever written over.", file.fsPath);
    return new Fault("chatStands", taken, { uri: file.toString() });
  }
  await rm(file.fsPath, { force: true }).catch(() => undefined);
  return cannotWrite(file);
}

function cannotWrite(file: vscode.Uri): Fault {
  const told = vscode.l10n.t(
    "{0} could not be written; check the folder's permissions and the room on the disk.",
    file.fsPath,
  );
  return new Fault("cannotWrite", told, { uri: file.toString() });
}
