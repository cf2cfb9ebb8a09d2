/** Who improves summaries, by what the settings say at this moment. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { House, Improver } from "../house";

/** Returns who would improve the summary; rejects if there is no one. */
export async function improverNow({ models }: House): Promise<Improver> {
  const improver = await models.improver();
  if (!improver) {
    throw new Fault("noModel", whyNobody());
  }
  return improver;
}

/** Rejects if the settings changed since the user read who gets the chat. */
export async function expectStill(house: House, told: Improver): Promise<void> {
  const { provider, options, label } = await improverNow(house);
  if (provider !== told.provider || options.summaryModel !== told.options.summaryModel) {
    const sentence = vscode.l10n.t("Now {0} is to improve summaries, so nothing was sent to {1}.", label, told.label);
    throw new Fault("otherModel", sentence);
  }
}

function whyNobody(): string {
  return vscode.workspace.getConfiguration("compactChat").get("provider") === "offline"
    ? vscode.l10n.t("Your settings say that nobody improves summaries: “compactChat.provider” is “offline”.")
    : vscode.l10n.t("No model is at hand: set an API key, or choose who improves summaries.");
}
