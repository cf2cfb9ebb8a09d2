/** Puts what a summary lost into the message of the next chat, under a heading of its own. */

import type { Lost } from "../wire";
import { lineFeeds, tailStart } from "./body";
import { typed } from "./typed";

export const HEADING = "## Also from the earlier chat";
const LONGEST_MESSAGE = 20_000;
const CUT = "…";

/** What is said of a fact to the next model; the message is written in the language that the server writes. */
const SAID: Readonly<Record<string, string>> = {
  userMessages: "The user wrote:",
  constraints: "Rule of the user:",
  preferences: "Preference of the user:",
  state: "State of the work:",
  results: "Result used later:",
  modifiedFiles: "Changed file:",
  readFiles: "File that was read:",
  commands: "Command that was run:",
  errors: "Error:",
  todos: "Open task:",
  decisions: "Decision:",
  values: "Value:",
  currentWork: "Work in progress:",
};

/** Returns the whole text of a shortened fact, from its message. */
export function wholeText(kind: string, lost: Lost, message: string | undefined): string {
  if (!lost.text.endsWith(CUT) || message === undefined) {
    return lost.text;
  }
  const text = (kind === "userMessages" ? typed(lineFeeds(message)) : lineFeeds(message)).trim();
  if (kind === "userMessages") {
    return text.length > LONGEST_MESSAGE ? `${text.slice(0, LONGEST_MESSAGE)}${CUT}` : text;
  }
  const begins = lost.text.slice(0, -CUT.length).trim();
  return (
    text
      .split("\n")
      .find((line) => squeezed(line).includes(squeezed(begins)))
      ?.trim() ?? lost.text
  );
}

/** Gives one fact as an item of a list. */
export function item(kind: string, text: string): string {
  const lines = `${SAID[kind] ?? "Fact:"} ${lineFeeds(text).trim()}`.split("\n");
  return `- ${lines.map((line, place) => (place > 0 && line !== "" ? `  ${line}` : line)).join("\n")}`;
}

/** Gives the message with items that it did not hold, in front of the messages that follow its summary. */
export function withItems(body: string, items: readonly string[], behind: string): string {
  const fresh = [...new Set(items)].filter((one) => !`\n${body}\n`.includes(`\n${one}\n`));
  if (fresh.length === 0) {
    return body;
  }
  const start = tailStart(body, behind);
  const [front, back] = [body.slice(0, start), body.slice(start)];
  const head = `\n${front}`.includes(`\n${HEADING}\n`) ? "\n" : `\n\n${HEADING}\n\n`;
  return [`${front.trimEnd()}${head}${fresh.join("\n")}`, back].filter(Boolean).join("\n\n");
}

function squeezed(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}
