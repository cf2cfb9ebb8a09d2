/** The line above the lists of this room: what the plan would win, or why it wins nothing. */

import type { Preview } from "../wire";
import { count } from "../words";
import type { Wording } from "./wording";

export interface Outlook {
  readonly preview: Preview;
  /** What came of the last choice, where that is not what was chosen. */
  readonly problem: string | undefined;
}

/** What a person should know before the text is made anew. */
export function warned(line: string, isEdited: boolean, { t }: Wording): string {
  return isEdited ? t("{0} · your edits stay with the text of now", line) : line;
}

/** Words the line; what went wrong comes first. */
export function headline({ preview, problem }: Outlook, { t, language }: Wording): string {
  if (problem !== undefined) {
    return problem;
  }
  if (preview.action === "none") {
    return t("{0} tokens: {1}", count(preview.before, language), preview.reason);
  }
  return t("{0} → about {1} tokens", count(preview.before, language), count(preview.after, language));
}
