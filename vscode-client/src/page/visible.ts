/** What a person sees of a model's reply while it comes: the summary, without scratchpad and tags. */

export interface Visible {
  /** How many characters the model has thought; zero once it writes. */
  readonly thought: number;
  readonly text: string;
}

const CLOSING = "</summary>";
const TAGS = ["<analysis>", "<summary>"];

/** Reads a reply that is not yet whole; where another model began anew, or a next part, only its newest text counts. */
export function visible(partial: string): Visible {
  const newest = newestTry(partial);
  const start = summaryStart(newest);
  if (start !== undefined) {
    return written(newest.slice(start));
  }
  const begun = newest.trimStart();
  const isThinking = TAGS.some((tag) => begun.startsWith(tag) || tag.startsWith(begun));
  return isThinking ? { thought: newest.length, text: "" } : written(newest);
}

/** Leaves out replies that are whole and that something follows. */
function newestTry(partial: string): string {
  const end = partial.lastIndexOf(CLOSING);
  const rest = end < 0 ? "" : partial.slice(end + CLOSING.length);
  if (rest.trim() !== "") {
    return rest;
  }
  const before = end < 0 ? -1 : partial.lastIndexOf(CLOSING, end - 1);
  return before < 0 ? partial : partial.slice(before + CLOSING.length);
}

/** Where the summary begins; a scratchpad may mention the tag, but not at the start of a line. */
function summaryStart(text: string): number | undefined {
  const closed = text.lastIndexOf("</analysis>");
  const from = Math.max(closed, 0);
  const found = /(?:^|\n|<\/analysis>)[^\S\n]*<summary>/.exec(text.slice(from));
  return found ? from + found.index + found[0].length : undefined;
}

function written(text: string): Visible {
  const end = text.lastIndexOf(CLOSING);
  return { thought: 0, text: withoutHalfTag(end < 0 ? text : text.slice(0, end)).trim() };
}

function withoutHalfTag(text: string): string {
  const start = text.lastIndexOf("<");
  return start >= 0 && CLOSING.startsWith(text.slice(start)) ? text.slice(0, start) : text;
}
