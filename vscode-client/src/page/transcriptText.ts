/** The messages of a chat as one text to read, and the line of each. */

import type { MessageText, Transcript } from "../wire";
import { count, type L10n } from "../words";
import { quiet } from "./labels";
import { typed } from "./typed";

const LONGEST_MESSAGE = 100_000; // characters
const LONGEST_TITLE = 100;

export interface Reading {
  readonly text: string;
  readonly lines: ReadonlyMap<string, number>;
}

export function readingOf({ title, messages }: Transcript, l10n: L10n, language: string): Reading {
  const written = [`# ${quiet(title ?? "", LONGEST_TITLE) || l10n.t("Chat without a title")}`];
  const lines = new Map<string, number>();
  for (const message of messages) {
    written.push("");
    lines.set(message.id, written.length);
    written.push(headingOf(message, l10n), "", ...linesOf(wordsOf(message), l10n, language));
  }
  return { text: `${written.join("\n")}\n`, lines };
}

/** Finds the line of a message, whose id may be shortened to its beginning. */
export function lineOf({ lines }: Reading, id: string): number | undefined {
  return lines.get(id) ?? [...lines].find(([known]) => known.startsWith(id))?.[1];
}

function headingOf({ index, role, kind }: MessageText, l10n: L10n): string {
  const roles: Readonly<Record<string, string>> = {
    user: kind === "toolResult" ? l10n.t("Result of a tool") : l10n.t("User"),
    assistant: kind === "toolCall" ? l10n.t("Assistant, calling a tool") : l10n.t("Assistant"),
    system: l10n.t("System"),
    tool: l10n.t("Result of a tool"),
  };
  const who = kind === "summary" ? l10n.t("Summary of earlier messages") : (roles[role] ?? quiet(role, 40));
  return `## ${index + 1} · ${who}`;
}

/** What an editor put around a person's words would only hide them. */
function wordsOf({ role, text }: MessageText): string {
  return role === "user" ? typed(text) : text;
}

function linesOf(text: string, l10n: L10n, language: string): string[] {
  const left = text.length - LONGEST_MESSAGE;
  const shown =
    left > 0 ? [text.slice(0, LONGEST_MESSAGE), l10n.t("(and {0} characters more)", count(left, language))] : [text];
  return shown.join("\n").split(/\r\n|\r|\n/);
}
