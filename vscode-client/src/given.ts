/** The page that a command was given, or means. */

import * as vscode from "vscode";
import { expectNobodyWrites } from "./busy";
import { Fault } from "./faults";
import type { House, Page } from "./house";

export type Given = vscode.Uri | string | undefined;

/** Gives the page of the address that a command was given, else the one in front. */
export async function pageOf(house: House, given: Given): Promise<Page> {
  const page = await house.pages.of(given);
  if (!page) {
    throw new Fault("noPage", vscode.l10n.t("This works on a page of Compact Chat: compact a chat first."));
  }
  return page;
}

/** The same for what needs the whole page: none that a model is writing on. */
export async function wholePageOf(house: House, given: Given): Promise<Page> {
  const page = await pageOf(house, given);
  expectNobodyWrites(page);
  return page;
}
