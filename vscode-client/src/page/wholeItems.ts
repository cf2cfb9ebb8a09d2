/** Lost facts as items of a list, each with its whole text, which may have to be looked up in the chat. */

import { type CancellationToken, l10n } from "vscode";
import { Fault, isCancelled } from "../faults";
import type { House } from "../house";
import { item, wholeText } from "./putting";
import type { LostFact } from "./survivalLines";
import { messageTexts, type Origin } from "./transcript";

export const MOST_AT_ONCE = 200;

/** Gives those that can be had whole, or the reason where none can. */
export async function wholeItems(
  house: House,
  origin: Origin,
  facts: readonly LostFact[],
  token: CancellationToken,
): Promise<string[]> {
  const ids = new Set(facts.flatMap(wanted));
  let reason: unknown;
  let texts: ReadonlyMap<string, string> = new Map();
  try {
    texts = await messageTexts(house, origin, [...ids], token);
  } catch (problem) {
    if (isCancelled(problem)) {
      throw problem;
    }
    reason = problem;
  }
  const items = facts.flatMap((fact) => itemOf(fact, texts));
  if (items.length === 0 && facts.length > 0) {
    throw reason ?? new Fault("messageNotFound", l10n.t("Those messages are not in the chat any more."));
  }
  return items;
}

/** The message in which to look up a fact; undefined if the fact is complete or its message unknown. */
function wanted({ lost: { text, message } }: LostFact): string[] {
  return text.endsWith("…") && message !== null ? [message] : [];
}

function itemOf(fact: LostFact, texts: ReadonlyMap<string, string>): string[] {
  const { lost, kind } = fact;
  const [id] = wanted(fact);
  const text = id === undefined ? undefined : texts.get(id);
  return id !== undefined && text === undefined ? [] : [item(kind, wholeText(kind, lost, text))];
}
