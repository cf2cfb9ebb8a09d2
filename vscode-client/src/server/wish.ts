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

/** Writes each setting where it counts: into the workspace's only what stands there already. */
export async function writeWish(wish: Wish): Promise<void> {
  const settings = vscode.workspace.getConfiguration("compactChat");
  const { Workspace, Global } = vscode.ConfigurationTarget;
  for (const [name, value] of Object.entries(wish)) {
    const isOfWorkspace = settings.inspect(name)?.workspaceValue !== undefined;
    await settings.update(name, value, isOfWorkspace ? Workspace : Global);
  }
}
