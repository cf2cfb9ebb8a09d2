/** The lines of a page that say how much a compaction wins, who wrote it, and of what. */

import type { Compaction } from "../wire";
import { count, type L10n, share, toolName } from "../words";
import { writer } from "./labels";

const BYTES_OF_TOKEN = 4; // also of scripts with three bytes a sign, of which a token holds one or two

interface Measured {
  readonly compaction: Compaction;
  readonly body: string;
  readonly tool: string;
  readonly l10n: L10n;
  readonly language: string;
}

export function amounts(measured: Measured): [string, string] {
  const { compaction, l10n } = measured;
  const { provider, model } = compaction;
  return [sizes(measured), `${writer(provider, model, l10n)} · ${origin(measured)}`];
}

/** About how many tokens a text has. */
export function tokensAbout(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_OF_TOKEN);
}

/** A number that is only about right, with no more digits than that. */
function roughly(tokens: number): number {
  return Number(tokens.toPrecision(2));
}

/** How many tokens of the chat's model one of our tokens is: the text below is what remains besides the fixed part. */
function rateOf({ after, counts, continuation }: Compaction): number {
  const [told, guessed] = [after - counts.fixed, tokensAbout(continuation)];
  return counts.fixed > 0 && told > 0 && guessed > 0 ? told / guessed : 1;
}

/** About how many tokens of the chat's model a text of a page has. */
export function tokensOnPage(text: string, compaction: Compaction): number {
  return Math.round(tokensAbout(text) * rateOf(compaction));
}

function sizes({ compaction, body, tool, l10n, language }: Measured): string {
  const { before, continuation } = compaction;
  const added = tokensOnPage(body, compaction) - tokensOnPage(continuation, compaction);
  const after = compaction.after + added;
  const [from, to] = [count(before, language), count(after, language)];
  const change = added === 0 ? l10n.t("{0} → {1} tokens", from, to) : l10n.t("{0} → about {1} tokens", from, to);
  const part = share(Math.floor((Math.abs(before - after) / Math.max(1, before)) * 100)); // never more than is true
  const won = after > before ? l10n.t("{0} more", part) : l10n.t("{0} less", part);
  return [`**${change}** (${won})`, ...shares({ compaction, body, tool, l10n, language })].join(", ");
}

/** Which of the tokens are the editable text, and which no compaction changes. */
function shares({ compaction, body, tool, l10n, language }: Measured): string[] {
  const { fixed } = compaction.counts;
  if (body === "") {
    return [];
  }
  const below = count(roughly(tokensOnPage(body, compaction)), language);
  const name = toolName(tool) ?? l10n.t("the tool");
  return fixed > 0
    ? [
        l10n.t(
          "of which about {0} are the text below and {1} what {2} itself sends",
          below,
          count(fixed, language),
          name,
        ),
      ]
    : [l10n.t("of which about {0} are the text below", below)];
}

function origin({ compaction, tool, l10n, language }: Measured): string {
  const messages = count(compaction.counts.before, language);
  const name = toolName(tool);
  return name ? l10n.t("from {0}, {1} messages", name, messages) : l10n.t("from {0} messages", messages);
}
