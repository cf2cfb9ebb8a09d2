/** The command that changes what is kept on a page. */

import * as vscode from "vscode";
import { expectNobodyWrites } from "../busy";
import { Fault } from "../faults";
import type { Commands, House } from "../house";
import { change } from "./change";

export function changeCommands(house: House): Commands {
  return { change: (uri?: vscode.Uri | string) => changePage(house, uri) };
}

async function changePage(house: House, uri: vscode.Uri | string | undefined): Promise<void> {
  const page = await house.pages.of(uri);
  if (page === undefined) {
    throw new Fault("noPage", vscode.l10n.t("Run “Compact Chat” first: this changes what its page keeps."));
  }
  expectNobodyWrites(page);
  await change(house, page);
}
