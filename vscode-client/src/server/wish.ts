/** Who is to improve summaries, as the settings have it, and how another wish is written there. */

import * as vscode from "vscode";

/** The values of the settings of the same names. */
export interface Wish {
  readonly provider: string;
  readonly summaryModel: string;
}

export const AUTOMATIC: Wish = { provider: "auto", summaryModel: "" };

export function wishNow(): Wish {
  const settings = vscode.workspace.getConfiguration("compactChat");
  const summaryModel = settings.get<string>("summaryModel", "").trim();
  return { provider: settings.get<string>("provider", "auto"), summaryModel };
}

/** Writes both to the same scope: they only make sense together, so both go to the workspace if one is set there. */
export async function writeWish(wish: Wish): Promise<void> {
  const settings = vscode.workspace.getConfiguration("compactChat");
  const { Workspace, Global } = vscode.ConfigurationTarget;
  const isOfWorkspace = Object.keys(wish).some((name) => settings.inspect(name)?.workspaceValue !== undefined);
  for (const [name, value] of Object.entries(wish)) {
    await settings.update(name, value, isOfWorkspace ? Workspace : Global);
  }
}
