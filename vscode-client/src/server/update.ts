/** Follows an update of the extension whose server needs the same libraries as before: without a question or a download. */

import * as vscode from "vscode";
import { findAlike, type Supplies } from "./environment";
import { renew } from "./install";
import type { Place } from "./locate";

/** Makes an environment for the extension's server from an earlier one, the last used or else another; returns whether it could. The reason for a failure is logged, since the environment is then set up from scratch. */
export async function update(place: Place, log: vscode.LogOutputChannel, closing: AbortSignal): Promise<boolean> {
  const supplies = await place.supplies();
  for (const before of supplies ? await findAlike(place.storage, supplies.libraries) : []) {
    if (supplies && (await isRenewed(before, supplies, place, log, closing))) {
      return true;
    }
  }
  return false;
}

async function isRenewed(
  before: string,
  supplies: Supplies,
  place: Place,
  log: vscode.LogOutputChannel,
  closing: AbortSignal,
): Promise<boolean> {
  const title = vscode.l10n.t("Updating the server of Compact Chat");
  const where = { location: vscode.ProgressLocation.Window, title };
  try {
    await vscode.window.withProgress(where, () => renewed(before, supplies, place, log, closing));
    return true;
  } catch (problem) {
    log.error(`not updated: ${problem instanceof Error ? problem.message : problem}`);
    return false;
  }
}

function renewed(
  before: string,
  supplies: Supplies,
  { storage }: Place,
  log: vscode.LogOutputChannel,
  signal: AbortSignal,
): Promise<string> {
  const told = { t: vscode.l10n.t, tell: () => undefined, log: (line: string) => log.info(line) };
  return renew(before, { supplies, storage, signal, ...told });
}
