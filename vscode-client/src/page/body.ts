/** Where the message of the next chat is in a page, and where the summary is in that, whatever a person edited. */

import type { Compaction } from "../wire";

const KEY_LENGTH = 8;

/** The line above the message of the next chat; no chat's text can contain it, since its key is random. */
export function markerLine(key: string, said: string): string {
  return `${markerStart(key)} · ${said} -->`;
}

/** Gives the document without signs that depend on the system. */
export function lineFeeds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/** Returns exactly what is below the marked line; undefined if that line is gone. */
export function belowMarker(text: string, key: string): string | undefined {
  const whole = `\n${lineFeeds(text)}`;
  const marker = whole.indexOf(`\n${markerStart(key)}`);
  const end = whole.indexOf("\n", marker + 1);
  return marker < 0 ? undefined : end < 0 ? "" : whole.slice(end + 1);
}

/** Gives the message of the next chat; where the marked line is gone, all but what is left of the report. */
export function bodyOf(text: string, key: string, report: readonly string[]): string {
  return trimmed(belowMarker(text, key) ?? withoutReport(lineFeeds(text), report));
}

/** Says whether a message is still the one that was made. */
export function isUnedited(body: string, compaction: Compaction): boolean {
  return body === compaction.continuation || trimmed(body) === trimmed(lineFeeds(compaction.continuation));
}

/** Gives the summary as a person edited it: the message without what the server puts around each summary. */
export function summaryIn(body: string, compaction: Compaction): string {
  const { before, behind } = surroundings(compaction);
  const text = trimmed(lineFeeds(body));
  const inner = before !== "" && text.startsWith(before) ? text.slice(before.length) : text;
  const start = tailStart(inner, behind);
  return [inner.slice(0, start), addedTo(behind, inner.slice(start))]
    .map((part) => part.trim())
    .filter(Boolean)
    .join("\n\n");
}

/** Gives where the messages that follow a summary begin, which may be edited; the end where they are not there. */
export function tailStart(text: string, behind: string): number {
  const whole = behind === "" ? -1 : text.lastIndexOf(behind);
  if (whole >= 0) {
    return whole;
  }
  const heading = /^#+ .+/.exec(behind)?.[0];
  const start = heading === undefined ? -1 : `\n${text}\n`.indexOf(`\n${heading}\n`);
  return start < 0 ? text.length : start;
}

/** Says whether a person changed the messages that follow the summary: a session holds them as they were said. */
export function isTailEdited(body: string, compaction: Compaction): boolean {
  const { behind } = surroundings(compaction);
  return behind !== "" && !lineFeeds(body).includes(behind);
}

/** Gives what a person wrote among or behind the messages that follow the summary; those themselves are kept anyway. */
function addedTo(behind: string, tail: string): string {
  if (tail.startsWith(behind)) {
    return tail.slice(behind.length);
  }
  const known = new Set(behind.split("\n").map((line) => line.trim()));
  known.delete("");
  return tail
    .split("\n")
    .filter((line) => !known.has(line.trim()))
    .join("\n")
    .replace(/\n{3,}/g, "\n\n");
}

/** Returns what surrounds the summary in a message, trimmed. */
export function surroundings(compaction: Compaction): { readonly before: string; readonly behind: string } {
  const { continuation, summary } = compaction;
  const start = summary === "" ? -1 : continuation.indexOf(summary);
  if (start < 0) {
    return { before: "", behind: "" };
  }
  const behind = continuation.slice(start + summary.length);
  return { before: lineFeeds(continuation.slice(0, start)).trim(), behind: lineFeeds(behind).trim() };
}

function markerStart(key: string): string {
  return `<!-- compact-chat:${key.slice(0, KEY_LENGTH)}`;
}

function trimmed(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, "").trimEnd();
}

function withoutReport(text: string, report: readonly string[]): string {
  const own = new Set(["", "---", ...report.map((line) => line.trim())]);
  const lines = text.split("\n");
  const first = lines.findIndex((line) => !own.has(line.trim()));
  return first < 0 ? "" : lines.slice(first).join("\n");
}
