/** Asks for the key for Anthropic, and keeps it. */

import * as vscode from "vscode";
import { KEY_NAME, lookAtKey } from "./keys";

export async function setApiKey({ secrets }: vscode.ExtensionContext): Promise<void> {
  const key = await vscode.window.showInputBox({
    title: vscode.l10n.t("API Key for Anthropic"),
    prompt: vscode.l10n.t(
      "It is kept in the editor's secret storage, and given to the server when a summary is written.",
    ),
    password: true,
    ignoreFocusOut: true,
    validateInput: objection,
  });
  if (key?.trim()) {
    await secrets.store(KEY_NAME, key.trim());
    void vscode.window.showInformationMessage(vscode.l10n.t("The key is kept in the editor's secret storage."));
  }
}

function objection(text: string): vscode.InputBoxValidationMessage | undefined {
  switch (lookAtKey(text)) {
    case "impossible": {
      const message = vscode.l10n.t("This holds blanks or characters that no key has: copy it again.");
      return { message, severity: vscode.InputBoxValidationSeverity.Error };
    }
    case "unusual": {
      const message = vscode.l10n.t("Keys of Anthropic begin with sk-ant-; press Enter if yours is another one.");
      return { message, severity: vscode.InputBoxValidationSeverity.Warning };
    }
    case "empty":
    case "fine":
      return undefined;
  }
}
