/** Which model rewrites a summary, and whether the user still wants to be asked before it gets a chat. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { House, Improver } from "../house";
import type { DraftParams } from "../wire";

const CONFIRMED = "confirmedModels";

export function isConfirmed({ context }: House, improver: Improver): boolean {
  return context.globalState.get<string[]>(CONFIRMED, []).includes(keyOf(improver));
}

/** Stores "Don't ask again for this model". */
export async function confirmModel(house: House): Promise<void> {
  const key = keyOf(await improverNow(house));
  const before = house.context.globalState.get<string[]>(CONFIRMED, []);
  await house.context.globalState.update(CONFIRMED, [...new Set([...before, key])]);
}

/** Adds to a rewrite which of the provider's models writes: the one that the user was shown, or none. */
export async function withModel(
  house: House,
  params: DraftParams,
  confirmed: string | undefined,
): Promise<DraftParams> {
  const improver = await improverNow(house);
  if (confirmed !== undefined && confirmed !== improver.label) {
    const { t } = vscode.l10n;
    throw new Fault(
      "otherModel",
      t("The selected model changed to {0}. Nothing was sent to {1}.", improver.label, confirmed),
    );
  }
  return { ...params, options: { ...params.options, ...improver.options }, write: { provider: improver.provider } };
}

/** Returns who rewrites; rejects if there is no one. */
async function improverNow({ models }: House): Promise<Improver> {
  const improver = await models.improver();
  if (!improver) {
    const isOff = vscode.workspace.getConfiguration("compactChat").get("provider") === "offline";
    throw new Fault(
      "noModel",
      isOff
        ? vscode.l10n.t('Rewriting with a model is turned off (compactChat.provider is "offline").')
        : vscode.l10n.t("No model available. Set an API key or choose a model."),
    );
  }
  return improver;
}

function keyOf({ provider, options, label }: Improver): string {
  return [provider, options.summaryModel ?? "", label].join(" ");
}
