/** How the list of compactions shows each of them. */

import type { Past } from "../wire";
import { count, type L10n, label, share } from "../words";

const LONGEST_TITLE = 80;

export interface Row {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

/** Parts the compactions of this workspace's chats from all others, each newest first as they came. */
export function parted(compactions: readonly Past[], isOfThisWorkspace: (uri: string) => boolean): [Past[], Past[]] {
  const isHere = (one: Past) => one.uri !== null && isOfThisWorkspace(one.uri);
  return [compactions.filter(isHere), compactions.filter((one) => !isHere(one))];
}

/** Describes a compaction: what it is about, when it was made, what it saved and kept, and who wrote it. */
export function rowOf(past: Past, l10n: L10n, language: string): Row {
  const when = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "medium" });
  const sizes = [count(past.before, language), count(past.after, language)] as const;
  return {
    label: label(past.title ?? "", LONGEST_TITLE) || l10n.t("Untitled chat"),
    description: when.format(new Date(past.at)),
    detail: l10n.t("{0} → {1} tokens, {2} kept, {3}", ...sizes, share(past.kept * 100), writer(past, l10n)),
  };
}

function writer(past: Past, l10n: L10n): string {
  switch (past.provider) {
    case "offline":
      return l10n.t("made without a model");
    case "none":
      return l10n.t("cut by rules");
    case "host":
      return l10n.t("edited by hand");
    default:
      return l10n.t("written by {0}", label(past.model ?? past.provider, LONGEST_TITLE));
  }
}
