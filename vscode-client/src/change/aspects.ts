/** The first list of a change: each thing that can be changed, with its current state. */

import type { Options, Preview } from "../wire";
import type { L10n } from "../words";
import { countsNewest, newest, takesScope, USUAL, untouched } from "./choices";
import { tallyOf } from "./fates";
import { excerptOf, type Wording } from "./wording";

export type Aspect = "again" | "messages" | "style" | "strategy" | "focus" | "newest" | "reset";

export interface AspectRow {
  readonly aspect: Aspect;
  readonly label: string;
  readonly description: string;
}

export interface Named<Value extends string> {
  readonly value: Value;
  readonly label: string;
  readonly detail: string;
}

const FOCUS_SHOWN = 60;

/** Gives the rows of the first list, the one that ends it first. */
export function aspectsOf(options: Options, preview: Preview, wording: Wording): AspectRow[] {
  const { t } = wording;
  const rows: (AspectRow | false)[] = [
    { aspect: "again", label: `$(play) ${t("Compact Again")}`, description: isIdle(preview) ? preview.reason : "" },
    { aspect: "messages", label: `$(list-flat) ${t("Messages…")}`, description: tallyOf(preview.messages, wording) },
    takesScope(options) && styleRow(options, wording),
    strategyRow(options, wording),
    takesScope(options) && focusRow(options, wording),
    countsNewest(options) && newestRow(options, wording),
    isChanged(options) && {
      aspect: "reset",
      label: `$(discard) ${t("Reset")}`,
      description: t("forgets every choice made here"),
    },
  ];
  return rows.filter((row) => row !== false);
}

/** Says whether this plan would change nothing, so that it cannot be carried out. */
export function isIdle(preview: Preview): boolean {
  return preview.action === "none";
}

export function stylesOf({ t }: L10n): Named<NonNullable<Options["style"]>>[] {
  return [
    { value: "detailed", label: t("Detailed"), detail: t("Nine sections, from the request to the next step.") },
    { value: "checkpoint", label: t("Checkpoint"), detail: t("To work on from: goal, state, next steps, files.") },
    {
      value: "structured",
      label: t("Structured"),
      detail: t("Decisions, changes, errors and their solutions, one by one."),
    },
    { value: "brief", label: t("Brief"), detail: t("A few paragraphs; without a model, lists of what matters most.") },
    {
      value: "handoff",
      label: t("Hand-over"),
      detail: t("To continue from: a brief first, then a record of each turn."),
    },
  ];
}

export function strategiesOf({ t }: L10n): Named<NonNullable<Options["strategy"]>>[] {
  return [
    { value: "summary", label: t("Summary"), detail: t("A summary replaces the older messages.") },
    {
      value: "auto",
      label: t("Cut First"),
      detail: t("Old tool results are cut; where that is not enough, a summary replaces the older messages."),
    },
    {
      value: "prune",
      label: t("Cut Tool Results"),
      detail: t("Every message stays, long old tool results are cut. For Open Compacted Copy: there is no summary."),
    },
    {
      value: "keep",
      label: t("Keep by Rule"),
      detail: t("Only messages that matter by rule stay, word for word. For Open Compacted Copy: there is no summary."),
    },
  ];
}

function styleRow(options: Options, l10n: L10n): AspectRow {
  const style = stylesOf(l10n).find(({ value }) => value === (options.style ?? USUAL.style));
  return { aspect: "style", label: `$(list-tree) ${l10n.t("Style…")}`, description: style?.label ?? "" };
}

function strategyRow(options: Options, l10n: L10n): AspectRow {
  const strategy = strategiesOf(l10n).find(({ value }) => value === (options.strategy ?? USUAL.strategy));
  return { aspect: "strategy", label: `$(settings) ${l10n.t("Strategy…")}`, description: strategy?.label ?? "" };
}

function focusRow(options: Options, { t }: L10n): AspectRow {
  const [shown] = excerptOf(options.instructions ?? "", FOCUS_SHOWN);
  return { aspect: "focus", label: `$(target) ${t("Focus…")}`, description: shown || t("what matters this time") };
}

function newestRow(options: Options, { t }: L10n): AspectRow {
  return {
    aspect: "newest",
    label: `$(history) ${t("Newest Messages…")}`,
    description: t("{0} stay as they are", newest(options)),
  };
}

function isChanged(options: Options): boolean {
  const { style, ...chosen } = options;
  return Object.keys(chosen).length > Object.keys(untouched(chosen)).length;
}
