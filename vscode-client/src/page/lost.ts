/** Follows the links of lost facts: to the message that one is from, and to the list of all. */

import * as vscode from "vscode";
import type { House } from "../house";
import { className } from "./labels";
import { own } from "./pages";
import type { LostFacts, Papers } from "./papers";
import { Sheet } from "./sheet";
import { addClasses, lostOf } from "./survivalLines";
import { heading } from "./text";
import { type Originals, originOf } from "./transcript";

/** Shows the message that a lost fact is from. */
export async function showLost(
  house: House,
  papers: Papers,
  originals: Originals,
  uri: vscode.Uri,
  id: string,
): Promise<void> {
  const place = await placeOf(house, papers, uri);
  const message = lostOf(place?.survival ?? { kept: 1, classes: [] }).find(({ lost }) => lost.id === id)?.lost.message;
  if (place && message) {
    await originals.show(place.origin, message);
  }
}

/** Lists all lost facts of a class. */
export async function showAllLost(house: House, papers: Papers, uri: vscode.Uri, name: string): Promise<void> {
  const place = await placeOf(house, papers, uri);
  const found = place?.survival.classes.find((one) => one.name === name);
  if (!place || !found) {
    return;
  }
  const { l10n, env } = vscode;
  const survival = { ...place.survival, classes: [found] };
  const manner = {
    l10n,
    language: env.language,
    canPutBack: false,
    most: Number.POSITIVE_INFINITY,
  };
  const sheet = addClasses(new Sheet().add(heading({ title: place.origin.title, l10n }), ""), survival, manner);
  await papers.show({ title: className(name, l10n), sheet, actions: [], lost: { ...place, survival } });
}

async function placeOf(house: House, papers: Papers, uri: vscode.Uri): Promise<LostFacts | undefined> {
  const paper = papers.of(uri);
  if (paper) {
    return paper.lost;
  }
  const page = await house.pages.of(uri);
  return page && { survival: own(page).survival, origin: originOf(page) };
}
