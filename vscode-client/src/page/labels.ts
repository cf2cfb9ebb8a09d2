/** How a page names classes of facts and those who write summaries, and how it quotes chats in Markdown. */

import { type L10n, oneLine } from "../words";

const MARKUP = /[\\`*[\]<~]|(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])|^[>#]|&(?=#?\w+;)/gu;

/** The name of a class of facts, as a person calls it. */
export function className(name: string, l10n: L10n): string {
  const names: Readonly<Record<string, string>> = {
    userMessages: l10n.t("Your messages"),
    constraints: l10n.t("Your rules"),
    preferences: l10n.t("Your preferences"),
    state: l10n.t("State"),
    results: l10n.t("Results used later"),
    modifiedFiles: l10n.t("Changed files"),
    readFiles: l10n.t("Files that were read"),
    commands: l10n.t("Commands"),
    errors: l10n.t("Errors"),
    todos: l10n.t("Open tasks"),
    decisions: l10n.t("Decisions"),
    values: l10n.t("Values"),
    currentWork: l10n.t("Work in progress"),
    omissions: l10n.t("Messages that stay, whole"),
  };
  return names[name] ?? name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

/** Who wrote a summary. */
export function writer(provider: string, model: string | null, l10n: L10n): string {
  switch (provider) {
    case "offline":
      return l10n.t("The summary was made on this machine without a model");
    case "none":
      return l10n.t("The chat was cut by rules on this machine, without a summary");
    case "host":
      return l10n.t("The summary was edited by you");
    case "anthropic":
      return l10n.t("The summary was written by {0} of Anthropic", quiet(model ?? "Claude", 60));
    default:
      return l10n.t("The summary was written by {0}, a model of this editor", quiet(model ?? provider, 60));
  }
}

/** One line of a chat as running text: nothing in it is markup. */
export function quiet(text: string, most: number): string {
  return oneLine(text, most).replace(MARKUP, "\\$&");
}

/** One line of a chat as a code span, which shows it just as it is. */
export function span(text: string, most: number): string {
  const line = oneLine(text, most);
  const longest = Math.max(0, ...(line.match(/`+/g) ?? []).map((run) => run.length));
  const fence = "`".repeat(longest + 1);
  const gap = line.startsWith("`") || line.endsWith("`") ? " " : "";
  return `${fence}${gap}${line}${gap}${fence}`;
}
