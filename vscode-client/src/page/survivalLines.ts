/** What survives a compaction, and what is lost, as lines that lead to the messages. */

import type { Lost, Survival, SurvivalClass } from "../wire";
import { count, type L10n, share } from "../words";
import { className, span } from "./labels";
import type { Sheet, Step } from "./sheet";

export const MOST_SHOWN = 8;
const LONGEST_BESIDE_LINKS = 120;
const LONGEST = 300;
const NOTHING_SAID = { messages: 0, userMessages: 0, beforeLastCompaction: 0 };

export interface SurvivalManner {
  readonly l10n: L10n;
  readonly language: string;
  /** Whether there is a text below that what is lost can be put into. */
  readonly canPutBack: boolean;
  /** How many lost facts of a class are listed; what is more is counted. */
  readonly most: number;
}

/** Adds a line for each class, and the lost facts of each. */
export function addClasses(sheet: Sheet, survival: Survival, manner: SurvivalManner): Sheet {
  for (const found of survival.classes) {
    sheet.add(`- ${classLine(found, manner)}`);
    addLost(sheet, found, manner);
  }
  return sheet;
}

/** Adds the heading that says how much survives, and a line on what was compared. */
export function addShare(sheet: Sheet, survival: Survival, { l10n, language, canPutBack }: SurvivalManner): void {
  if (isWhole(survival)) {
    sheet.add(`## ${l10n.t("What survives: all that can be checked")}`);
  } else {
    const said = l10n.t("What survives: {0} of what can be checked", share(survivingShare(survival)));
    const step: Step = { act: "allBack", id: "", text: l10n.t("put all back") };
    sheet.addWithSteps(`## ${said}`, canPutBack ? [step] : []);
  }
  // A compaction of an older version says nothing of it.
  const { messages, userMessages, beforeLastCompaction } = { ...NOTHING_SAID, ...survival.scope };
  const counts = [messages, userMessages, beforeLastCompaction].map((number) => count(number, language));
  if (beforeLastCompaction > 0) {
    sheet.add(
      "",
      l10n.t("Compared with {0} messages, {1} of them yours; the tool had replaced {2} before.", ...counts),
    );
  } else if (messages > 0) {
    sheet.add("", l10n.t("Compared with {0} messages, {1} of them yours.", ...counts));
  }
}

/** The share that survives, never shown as 100 % while something is missing. */
function survivingShare(survival: Survival): number {
  const percent = Math.round(survival.kept * 100);
  return isWhole(survival) ? 100 : Math.min(99, percent);
}

export function isWhole(survival: Survival): boolean {
  return survival.classes.every((found) => found.kept === found.total);
}

/** A lost fact, with the class it is of. */
export interface LostFact {
  readonly lost: Lost;
  readonly kind: string;
}

export function lostOf(survival: Survival): LostFact[] {
  return survival.classes.flatMap((found) => found.lost.map((lost) => ({ lost, kind: found.name })));
}

function classLine(found: SurvivalClass, { l10n, language }: SurvivalManner): string {
  const told = [className(found.name, l10n), count(found.kept, language), count(found.total, language)] as const;
  return found.lost.length === 0
    ? l10n.t("{0}: {1} of {2}", ...told)
    : l10n.t("{0}: {1} of {2}; lost or cut short:", ...told);
}

function addLost(sheet: Sheet, found: SurvivalClass, manner: SurvivalManner): void {
  for (const lost of found.lost.slice(0, manner.most)) {
    const steps = stepsOf(lost, manner);
    sheet.addWithSteps(`  - ${span(lost.text, steps.length > 0 ? LONGEST_BESIDE_LINKS : LONGEST)}`, steps);
  }
  const more = found.lost.length - manner.most;
  if (more > 0) {
    const text = manner.l10n.t("show all");
    const said = manner.l10n.t("and {0} more", count(more, manner.language));
    sheet.addWithSteps(`  - ${said}`, [{ act: "all", id: found.name, text }]);
  }
}

function stepsOf(lost: Lost, { l10n, canPutBack }: SurvivalManner): Step[] {
  const show: Step[] = lost.message !== null ? [{ act: "show", id: lost.id, text: l10n.t("show") }] : [];
  return canPutBack ? [...show, { act: "putBack", id: lost.id, text: l10n.t("put back") }] : show;
}
