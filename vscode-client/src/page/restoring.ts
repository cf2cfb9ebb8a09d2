/** Makes a page again after a reload of the window, from what was kept and from the server's archive. */

import { l10n, Uri } from "vscode";
import { Fault } from "../faults";
import type { NamedChat, Server } from "../house";
import type { Past, Restored } from "../wire";
import type { Keeper, Kept } from "./keeping";
import { OpenPage } from "./openPage";

const FAR_BACK = 1000;

export async function restored(uri: Uri, key: string, keeper: Keeper, server: Server): Promise<OpenPage> {
  const kept = await keeper.find(key);
  const compactionId = kept?.compactionId ?? key;
  const found = await server.ask("restore", { compactionId, include: ["compaction"] }, { quietly: true });
  if (!found.compaction) {
    throw new Fault("compactionNotFound", l10n.t("This compaction is not in the archive any more."));
  }
  const chat = chatOf(kept ?? (await pastOf(compactionId, server)), found);
  const version = { compaction: found.compaction, body: kept?.body ?? found.compaction.continuation };
  return new OpenPage(uri, key, chat, version, kept?.options ?? { style: styleOf(found.compaction.style) });
}

/** The style of a compaction as an option; one of a later server is left to the default. */
export function styleOf(style: string): "brief" | "checkpoint" | "detailed" | "structured" {
  return style === "brief" || style === "checkpoint" || style === "structured" ? style : "detailed";
}

function chatOf(known: Pick<Kept, "tool" | "title" | "uri"> | undefined, found: Restored): NamedChat {
  const uri = known?.uri ?? found.uri;
  const ref = { uri: uri ?? found.archive };
  return {
    ref,
    tool: known?.tool ?? "unknown",
    title: known?.title ?? null,
    uri: uri === null ? undefined : Uri.parse(uri),
  };
}

async function pastOf(compactionId: string, server: Server): Promise<Pick<Kept, "tool" | "title" | "uri"> | undefined> {
  const { compactions } = await server.ask("history", { limit: FAR_BACK }, { quietly: true });
  const past: Past | undefined = compactions.find((one) => one.compactionId === compactionId);
  return past && { tool: "unknown", title: past.title, uri: past.uri };
}
