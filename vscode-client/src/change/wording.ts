/** How this room words numbers, and the excerpts of chats for rows of lists. */

import { type L10n, label, oneLine } from "../words";

/** The sentences of the user's language, and which one it is. */
export interface Wording extends L10n {
  readonly language: string;
}

const MOST = 400; // more characters than any excerpt has

const formats = new Map<string, Intl.NumberFormat>();

/** Gives a number as its language writes it; a format is made once, since that takes longer than all rows of a list. */
export function grouped(number: number, { language }: Wording): string {
  const format = formats.get(language) ?? new Intl.NumberFormat(language);
  formats.set(language, format);
  return format.format(number);
}

/** Cuts an excerpt in two, the first no longer than `shown`; nothing in either becomes an icon or turns the line. */
export function excerptOf(text: string, shown: number): [string, string] {
  const letters = [...oneLine(text, MOST)];
  if (letters.length <= shown) {
    return [label(letters.join(""), MOST), ""];
  }
  const [first, rest] = [letters.slice(0, shown).join(""), letters.slice(shown).join("")];
  return [`${label(first, MOST)}…`, label(rest, MOST)];
}
