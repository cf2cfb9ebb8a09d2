/** How this room words the excerpts of chats for rows of lists. */

import { type L10n, label, oneLine } from "../words";

/** The sentences of the user's language, and which one it is. */
export interface Wording extends L10n {
  readonly language: string;
}

const MOST = 400; // more characters than any excerpt has

/** Cuts an excerpt in two, the first no longer than `shown`; nothing in either becomes an icon or turns the line. */
export function excerptOf(text: string, shown: number): [string, string] {
  const letters = [...oneLine(text, MOST)];
  if (letters.length <= shown) {
    return [label(letters.join(""), MOST), ""];
  }
  const [first, rest] = [letters.slice(0, shown).join(""), letters.slice(shown).join("")];
  return [`${label(first, MOST)}…`, label(rest, MOST)];
}
