/** The text of a page: what a compaction did, what survives it, and below a marked line the message of the next chat. */

import type { Compaction, Survival, Warning } from "../wire";
import { count, type L10n } from "../words";
import { amounts } from "./amounts";
import { markerLine } from "./body";
import { quiet } from "./labels";
import { Sheet } from "./sheet";
import { addClasses, addShare, MOST_SHOWN } from "./survivalLines";

const MOST_WARNINGS = 6;
const LONGEST_WARNING = 300;
const LONGEST_TITLE = 100;
const WORTH_IT = 0.9; // of the tokens before

export interface Told {
  readonly key: string;
  readonly title: string | null;
  readonly tool: string;
  readonly compaction: Compaction;
  readonly body: string;
  readonly survival: Survival;
  /** Whether the survival is that of the text now below; else whether it is being checked. */
  readonly state: "checked" | "checking" | "missed";
  readonly l10n: L10n;
  readonly language: string;
}

/** Gives the report; the message follows it behind `joined`. */
export function report(told: Told): Sheet {
  const sheet = new Sheet().add(heading(told), "", ...amounts(told), "");
  addWarnings(sheet, told);
  addWhetherWorthIt(sheet, told);
  if (told.compaction.summary === "") {
    sheet.add(told.l10n.t("No summary was written. Go on with *Open Compacted Copy*, or change what is kept."), "");
  }
  addSurvival(sheet, told);
  const { t } = told.l10n;
  const isText = told.compaction.summary !== "";
  const below = isText ? t("Everything below opens the next chat. Edit it as you like.") : t("There is no text below.");
  return sheet.add("", "---", markerLine(told.key, below));
}

/** Gives the report while a model writes: nothing is known of its text yet. */
export function reportWhileWriting(told: Told, model: string): Sheet {
  const said = told.l10n.t("{0} writes. The summary before this one comes back if you stop it.", quiet(model, 60));
  return new Sheet().add(
    heading(told),
    "",
    said,
    "",
    "---",
    markerLine(told.key, told.l10n.t("The model's text comes below.")),
  );
}

/** Gives the whole document. */
export function joined(sheet: Sheet, body: string): string {
  return `${sheet.text}\n\n${body.trimEnd()}\n`;
}

export function heading({ title, l10n }: Pick<Told, "title" | "l10n">): string {
  return `# ${quiet(title ?? "", LONGEST_TITLE) || l10n.t("Chat without a title")}`;
}

/** Adds warnings, a line for each sort. */
export function addWarnings(
  sheet: Sheet,
  told: Pick<Told, "l10n" | "language"> & { compaction: { warnings: Warning[] } },
) {
  const { warnings } = told.compaction;
  const first = warnings.filter((one, place) => warnings.findIndex(({ code }) => code === one.code) === place);
  for (const { code, message } of first.slice(0, MOST_WARNINGS)) {
    const more = warnings.filter((other) => other.code === code).length - 1;
    const times = more > 0 ? ` ${told.l10n.t("(and {0} more like this)", count(more, told.language))}` : "";
    sheet.add(`> ${quiet(message, LONGEST_WARNING)}${times}`, "");
  }
}

/** If next to nothing is gained, says so before the user goes on. */
function addWhetherWorthIt(sheet: Sheet, { compaction: { before, after }, l10n }: Told): void {
  if (before > 0 && after < before && after > WORTH_IT * before) {
    sheet.add(`> ${l10n.t("Little is won: almost all of this chat is what stays anyway.")}`, "");
  }
}

function addSurvival(sheet: Sheet, told: Told): void {
  const { survival, l10n, language } = told;
  if (survival.classes.length === 0) {
    sheet.add(l10n.t("Nothing in this chat can be checked for whether it survives."));
    return;
  }
  const canPutBack = told.compaction.summary !== "";
  const manner = { l10n, language, canPutBack, most: MOST_SHOWN };
  addShare(sheet, survival, manner);
  if (told.state === "checking") {
    sheet.add("", l10n.t("This was so before your last edit; it is being checked again."));
  } else if (told.state === "missed") {
    sheet.add("", l10n.t("This was so before your last edit, which could not be checked."));
  }
  addClasses(sheet.add(""), survival, manner);
}
