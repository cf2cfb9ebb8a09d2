/** Lost facts as items of a list, each with its whole text, which may have to be looked up in the chat. */

import type { House } from "../house";
import { item, wholeText } from "./putting";
import type { LostFact } from "./survivalLines";
import { messageText, type Origin } from "./transcript";

export const MOST_AT_ONCE = 200;

/** Gives those that came, or the reason of the first where none did. */
export async function wholeItems(house: House, origin: Origin, facts: readonly LostFact[]): Promise<string[]> {
  const done = await Promise.allSettled(facts.map((fact) => itemOf(house, origin, fact)));
  const items = done.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  const failed = done.find((one) => one.status === "rejected");
  if (failed && items.length === 0) {
    throw failed.reason;
  }
  return items;
}

async function itemOf(house: House, origin: Origin, { lost, kind }: LostFact): Promise<string> {
  const isCut = lost.text.endsWith("…") && lost.message !== null;
  const message = isCut ? await messageText(house, origin, lost.message ?? "") : undefined;
  return item(kind, wholeText(kind, lost, message));
}
