/** Where the message of the next chat stands in a page, and where the summary stands in that, whatever a person edited. */

import type { Compaction } from "../wire";
import type { L10n } from "../words";

const KEY_LENGTH = 8;

/** The line below which the message of the next chat stands; no chat's text can hold it, since its key is random. */
export function markerLine(key: string, l10n: L10n): string {
  return `${markerStart(key)} · ${l10n.t("Everything below opens the next chat. Edit it as you like.")} -->`;
}

/** Gives the document without signs that depend on the system. */
export function lineFeeds(text: string): string {
  return text.replace(/\r\n?/g, "\n");
}

/** Gives just what stands below the marked line; undefined where that line is gone. */
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
  const end = behind === "" ? inner.length : inner.lastIndexOf(behind);
  if (end < 0) {
    return inner.trim();
  }
  return [inner.slice(0, end), inner.slice(end + behind.length)]
    .map((part) => part.trim())
    .filter(Boolean)
    .join("\n\n");
}

/** Gives what stands around the summary in a message, trimmed. */
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
