/** What becomes of each message, as rows of a list: one icon, what it says, its tokens, and why. */

import type { MessageFate } from "../wire";
import { count, type L10n } from "../words";
import { excerptOf, type Wording } from "./wording";

export interface Row {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

const SHOWN = 56; // characters of an excerpt that leave room for the tokens in a row of usual width

const ICONS: Readonly<Record<MessageFate["fate"], string>> = {
  pin: "pin",
  keep: "check",
  summarize: "fold",
  drop: "trash",
  prune: "scissors",
};

/** Gives a row for each message of a preview; an excerpt too long for its line goes on in the second. */
export function rowsOf(messages: readonly MessageFate[], wording: Wording): Row[] {
  const { t } = wording;
  const names = fateNames(wording);
  return messages.map((message) => {
    const [shown, rest] = excerptOf(message.excerpt, SHOWN);
    const fate = names[message.fate];
    const told = message.fate === "summarize" ? fate : `${fate}: ${message.reason}`; // of most messages the same is true
    const why = `${message.index + 1} · ${whoOf(message, wording)} · ${told}`;
    return {
      id: message.id,
      label: `$(${ICONS[message.fate]}) ${shown || t("(no text)")}`,
      description: tokensOf(message, wording),
      detail: rest ? `${why} · …${rest}` : why,
    };
  });
}

/** Gives the counts of all fates in one line: `4 kept, 108 summarised, 2 dropped`. */
export function tallyOf(messages: readonly MessageFate[], wording: Wording): string {
  const { t } = wording;
  const counted = (...fates: MessageFate["fate"][]) => messages.filter(({ fate }) => fates.includes(fate)).length;
  const told: readonly [number, (many: string) => string][] = [
    [counted("keep", "pin"), (many) => t("{0} kept", many)],
    [counted("prune"), (many) => t("{0} cut", many)],
    [counted("summarize"), (many) => t("{0} summarised", many)],
    [counted("drop"), (many) => t("{0} dropped", many)],
  ];
  return told.flatMap(([many, words]) => (many > 0 ? [words(count(many, wording.language))] : [])).join(", ");
}

/** Gives who speaks in a message, for a person; a role that we do not know stays as it is. */
export function whoOf({ role, kind }: Pick<MessageFate, "role" | "kind">, { t }: L10n): string {
  if (kind === "toolResult" || kind === "summary") {
    return kind === "summary" ? t("Summary") : t("Result of a tool");
  }
  const names: Readonly<Record<string, string>> = {
    user: t("User"),
    assistant: t("Assistant"),
    system: t("System"),
    tool: t("Tool"),
  };
  return names[role] ?? role;
}

function fateNames({ t }: L10n): Readonly<Record<MessageFate["fate"], string>> {
  return {
    pin: t("Pinned"),
    keep: t("Kept"),
    summarize: t("Summarised"),
    drop: t("Dropped"),
    prune: t("Cut"),
  };
}

function tokensOf({ tokens, tokensAfter }: MessageFate, { language }: Wording): string {
  const before = count(tokens, language);
  return tokensAfter === tokens ? before : `${before} → ${count(tokensAfter, language)}`;
}
