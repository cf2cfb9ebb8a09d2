/** The line above the lists of this room: what the plan would win, or why it wins nothing. */

import type { Preview } from "../wire";
import { grouped, type Wording } from "./wording";

export interface Outlook {
  readonly preview: Preview;
  /** Why the last choice was taken back. */
  readonly problem: string | undefined;
}

/** Words the line; a choice that was taken back comes first. */
export function headline({ preview, problem }: Outlook, wording: Wording): string {
  const { t } = wording;
  if (problem !== undefined) {
    return t("Taken back: {0}", problem);
  }
  if (preview.action === "none") {
    return t("{0} tokens: {1}", grouped(preview.before, wording), preview.reason);
  }
  return t("{0} → about {1} tokens", grouped(preview.before, wording), grouped(preview.after, wording));
}
