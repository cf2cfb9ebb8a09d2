/** The actions of a page in rows: a row of lenses does not wrap, so each has to be short. */

import { type Command, env, l10n } from "vscode";
import { count, oneLine } from "../words";
import type { OpenPage } from "./openPage";

const LONGEST_MODEL = 22;
const BELOW_TITLE = 2;

export interface Row {
  /** The line below it. */
  readonly line: number;
  readonly commands: readonly Command[];
}

/** Gives the rows; `improver` is the name of who would improve the summary, where that is known. */
export function rowsFor(page: OpenPage, improver: string | undefined): Row[] {
  return page.isWriting
    ? [{ line: 0, commands: [command("compactChat.ui.cancel", writes(page), page)] }]
    : [
        { line: 0, commands: forward(page, improver) },
        { line: BELOW_TITLE, commands: aside(page) },
      ];
}

function forward(page: OpenPage, improver: string | undefined): Command[] {
  const { t } = l10n;
  const improve = improver ? t("Improve with {0}", oneLine(improver, LONGEST_MODEL)) : t("Improve with a Model…");
  const withSummary = [
    command("compactChat.ui.continue", t("Continue in New Chat"), page),
    command("compactChat.ui.improve", improve, page),
  ];
  const withoutSummary = [command("compactChat.ui.openCopy", t("Open Compacted Copy (Experimental)"), page)];
  const change = command("compactChat.ui.change", t("Change…"), page);
  return [...(page.shown.compaction.summary === "" ? withoutSummary : withSummary), change];
}

function aside(page: OpenPage): Command[] {
  const { t } = l10n;
  const back = command("compactChat.ui.useEarlier", t("Use the Summary Before"), page);
  const copy = command("compactChat.ui.copy", t("Copy"), page);
  return [
    ...(page.shown.compaction.summary === "" ? [] : [copy]),
    command("compactChat.ui.saveAsMarkdown", t("Save as Markdown"), page),
    ...(page.versions.length > 1 ? [back] : []),
    command("compactChat.ui.more", t("More…"), page),
  ];
}

function writes({ heard: { thought, text }, writing }: OpenPage): string {
  const model = oneLine(writing?.model ?? "", LONGEST_MODEL);
  return l10n.t("{0} writes… {1} characters: Stop", model, count(thought || text.length, env.language));
}

function command(name: string, title: string, page: OpenPage): Command {
  return { command: name, title, arguments: [page.uri] };
}
