/** The part of a text to replace by another: whole lines, between the common beginning and end. */

export interface Difference {
  /** Where the old text differs, from and to. */
  readonly start: number;
  readonly end: number;
  readonly inserted: string;
}

export function difference(old: string, text: string): Difference {
  const start = sameLines(old, text);
  const behind = sameEnd(old.slice(start), text.slice(start));
  return { start, end: old.length - behind, inserted: text.slice(start, text.length - behind) };
}

/** How many characters of whole lines both begin with. */
function sameLines(old: string, text: string): number {
  let same = 0;
  while (same < Math.min(old.length, text.length) && old[same] === text[same]) {
    same += 1;
  }
  return old.slice(0, same).lastIndexOf("\n") + 1;
}

/** How many characters both end with, whole lines of each or from the end of a line on. */
function sameEnd(old: string, text: string): number {
  let same = 0;
  while (same < Math.min(old.length, text.length) && old.at(-1 - same) === text.at(-1 - same)) {
    same += 1;
  }
  if (startsLine(old, old.length - same) && startsLine(text, text.length - same)) {
    return same;
  }
  const end = old.indexOf("\n", old.length - same);
  return end < 0 ? 0 : old.length - end;
}

function startsLine(text: string, place: number): boolean {
  return place === 0 || text[place - 1] === "\n";
}
