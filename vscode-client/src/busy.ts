/** What must not be done with a page while a model writes on it. */

import * as vscode from "vscode";
import { Fault } from "./faults";
import type { Page } from "./house";

export function expectNobodyWrites({ isWriting }: Page): void {
  if (isWriting) {
    throw new Fault("busy", vscode.l10n.t("A model is writing here; stop it first."));
  }
}
