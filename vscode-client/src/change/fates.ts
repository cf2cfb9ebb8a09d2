/** What becomes of each message, as rows of a list: one icon, what it says, its tokens, and why. */

import type { MessageFate } from "../wire";
import type { L10n } from "../words";
import { excerptOf, grouped, type Wording } from "./wording";

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
    const why = `${message.index + 1} · ${roleName(message.role, wording)} · ${names[message.fate]}: ${message.reason}`;
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
  const told: readonly [number, (count: string) => string][] = [
    [counted("keep", "pin"), (count) => t("{0} kept", count)],
    [counted("prune"), (count) => t("{0} cut", count)],
    [counted("summarize"), (count) => t("{0} summarised", count)],
    [counted("drop"), (count) => t("{0} dropped", count)],
  ];
  return told.flatMap(([count, words]) => (count > 0 ? [words(grouped(count, wording))] : [])).join(", ");
}

/** Gives the name of a role for a person; one that we do not know stays as it is. */
export function roleName(role: string, { t }: L10n): string {
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

function tokensOf(message: MessageFate, wording: Wording): string {
  const before = grouped(message.tokens, wording);
  return message.tokensAfter === message.tokens ? before : `${before} → ${grouped(message.tokensAfter, wording)}`;
}
