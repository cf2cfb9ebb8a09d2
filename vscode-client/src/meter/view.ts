/** The status bar item as plain values: its text, its tooltip, and what a click does. */

import type { Fault } from "../faults";
import type { ChatInUse } from "../house";
import { type L10n, markdownLine } from "../words";
import { type Level, reading } from "./reading";
import { spoken, tooltip } from "./tooltip";

export interface View {
  readonly text: string;
  readonly markdown: string;
  readonly spoken: string;
  readonly level: Level;
}

export interface Seen {
  readonly inUse: ChatInUse | undefined;
  readonly isPicked: boolean;
  readonly trouble: Fault | undefined;
  readonly isWriting: boolean;
  readonly after: number | undefined;
  readonly version: string;
  readonly language: string;
}

const ICON = "$(fold)";
const BUSY = "$(sync~spin)";
const LONGEST_SENTENCE = 300;

/** Gives the item; undefined where there is nothing to show. */
export function view(seen: Seen, l10n: L10n): View | undefined {
  if (seen.inUse) return measured(seen.inUse, seen, l10n);
  if (seen.trouble) return troubled(seen.trouble, l10n);
  return seen.isWriting ? calm(BUSY, l10n.t("A model writes a summary.")) : undefined;
}

function measured({ report }: ChatInUse, { isPicked, isWriting, after, version, language }: Seen, l10n: L10n): View {
  const shown = reading(report, version);
  const told = { report, reading: shown, isPicked, after, l10n, language };
  const icon = isWriting ? BUSY : ICON;
  return { text: `${icon} ${shown.text}`, markdown: tooltip(told), spoken: spoken(told), level: shown.level };
}

function troubled(trouble: Fault, l10n: L10n): View | undefined {
  if (trouble.kind === "notTrusted") return undefined;
  if (trouble.kind === "notSetUp") {
    return calm(
      `${ICON} ${l10n.t("Set Up")}`,
      l10n.t("Compact Chat tells how full this chat is once its server is set up."),
    );
  }
  return calm(`${ICON} $(warning)`, trouble.message);
}

function calm(text: string, sentence: string): View {
  return { text, markdown: markdownLine(sentence, LONGEST_SENTENCE), spoken: sentence, level: "calm" };
}
