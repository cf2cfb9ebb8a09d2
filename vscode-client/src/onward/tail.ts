/** Finds the parts of an edited text that a session cannot hold. */

import * as vscode from "vscode";
import type { Version } from "../house";
import { isTailEdited } from "../page/body";

/** The messages that follow a summary stand in a session as messages, just as they were said. */
export function tellOfTail({ body, compaction }: Version): void {
  if (compaction.summary !== "" && isTailEdited(body, compaction)) {
    const said = vscode.l10n.t("The recent messages stand in this session as they were said, not as you edited them.");
    void vscode.window.showInformationMessage(said);
  }
}
