/** What is said where a file cannot be written. */

import { l10n, type Uri } from "vscode";
import { Fault } from "./faults";

export function cannotWrite(file: Uri): Fault {
  const told = l10n.t(
    "{0} could not be written; check the folder's permissions and the room on the disk.",
    file.fsPath,
  );
  return new Fault("cannotWrite", told, { uri: file.toString() });
}
