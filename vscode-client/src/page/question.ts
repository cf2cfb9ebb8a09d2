/** What a person reads before a chat goes to a model: how much, to whom, what is masked, what goes along. */

import type { Improver } from "../house";
import { standInName } from "../modelNames";
import type { Preview } from "../wire";
import { count, type L10n, oneLine } from "../words";

const LONGEST = 80;
const MOST_FILES = 5;

export interface Question {
  readonly message: string;
  readonly detail: string;
}

export interface Asked {
  readonly plan: Preview;
  readonly improver: Improver;
  /** Whether a person has edited the text that the model's will replace. */
  readonly isEdited: boolean;
}

export function questionFor({ plan, improver, isEdited }: Asked, l10n: L10n, language: string): Question {
  const model = oneLine(improver.label, LONGEST);
  const message = l10n.t("Send the chat to {0}?", model);
  const lines = [
    sizeLine(plan, improver, l10n, language),
    standInLine(plan, improver, l10n),
    (plan.request?.inputTokens ?? plan.before) < plan.before ? l10n.t("Long results of tools are shortened.") : "",
    secretsLine(plan, l10n, language),
    instructionsLine(plan, l10n),
    isEdited ? l10n.t("What you edited is not sent; it stays with the summary before this one.") : "",
  ];
  return { message, detail: lines.filter(Boolean).join("\n\n") };
}

function sizeLine({ request, before }: Preview, improver: Improver, l10n: L10n, language: string): string {
  const tokens = count(request?.inputTokens ?? before, language);
  const vendor = oneLine(improver.vendor, LONGEST);
  const calls = request?.calls ?? 1;
  return calls === 1
    ? l10n.t("About {0} tokens of this chat go to {1} in one call.", tokens, vendor)
    : l10n.t("About {0} tokens of this chat go to {1} in {2} calls.", tokens, vendor, count(calls, language));
}

function standInLine(plan: Preview, improver: Improver, l10n: L10n): string {
  const name = standInName(improver, plan);
  return name === undefined ? "" : l10n.t("Where that model fails, {0} is asked instead.", oneLine(name, LONGEST));
}

function secretsLine({ redactions: { total, kinds } }: Preview, l10n: L10n, language: string): string {
  if (total === 0) {
    return l10n.t("No keys, tokens or passwords were found in it.");
  }
  const told = Object.entries(kinds).map(([kind, number]) => `${oneLine(kind, LONGEST)} (${count(number, language)})`);
  return l10n.t("Masked before it is sent: {0}.", told.join(", "));
}

function instructionsLine({ instructions }: Preview, l10n: L10n): string {
  const names = instructions.map(({ uri }) => oneLine(decoded(uri.slice(uri.lastIndexOf("/") + 1)), LONGEST));
  const shown = names.slice(0, MOST_FILES).join(", ");
  return names.length === 0 ? "" : l10n.t("Instructions from the project go along: {0}.", shown);
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
