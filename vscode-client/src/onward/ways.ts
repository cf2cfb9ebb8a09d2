/** The ways from a compaction back to its original. */

import type { L10n } from "../words";

/** Back to the chat if it exists; restore it if it is gone; read it; save a copy of it. */
export type Way = "back" | "putBack" | "read" | "save";

/** The ways that are open, the best first; `isThere` is undefined for a chat that no tool here could open again. */
export function waysBack(isThere: boolean | undefined): [Way, ...Way[]] {
  if (isThere === undefined) {
    return ["read", "save"];
  }
  return [isThere ? "back" : "putBack", "read", "save"];
}

export function wayLabel(way: Way, l10n: L10n): string {
  const labels: Record<Way, string> = {
    back: `$(discard) ${l10n.t("Back to the Original Chat")}`,
    putBack: `$(discard) ${l10n.t("Bring the Original Chat Back")}`,
    read: `$(book) ${l10n.t("Read the Original")}`,
    save: `$(save) ${l10n.t("Save Original As…")}`,
  };
  return labels[way];
}
