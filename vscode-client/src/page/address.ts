/** The addresses of pages: the id of a compaction, and a title for the tab. */

import { l10n, Uri } from "vscode";
import { SCHEME } from "./files";

const LONGEST_NAME = 60;

export function addressOf(compactionId: string, title: string | null): Uri {
  return Uri.from({ scheme: SCHEME, path: `/${compactionId}/${fileName(title)}.md` });
}

/** Returns the id in an address; undefined if it is not a page's. */
export function keyOf(uri: Uri): string | undefined {
  return uri.scheme === SCHEME ? /^\/([0-9a-f]{8,64})\/[^/]+\.md$/.exec(uri.path)?.[1] : undefined;
}

/** Gives a title as a name that every file system takes. */
export function fileName(title: string | null): string {
  const plain = (title ?? "").replace(/[\p{C}\p{Zl}\p{Zp}\\/:*?"<>|#%]+/gu, " ");
  const name = [...plain.replace(/\s+/g, " ")]
    .slice(0, LONGEST_NAME)
    .join("")
    .replace(/^[\s.]+|[\s.]+$/g, "");
  return name || l10n.t("Compacted chat");
}
