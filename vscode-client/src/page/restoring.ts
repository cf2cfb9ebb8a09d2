/** Makes a page again after a reload of the window, from what was kept and from the server's archive. */

import { l10n, Uri } from "vscode";
import { Fault } from "../faults";
import type { NamedChat, Server } from "../house";
import type { Options, Past, Restored } from "../wire";
import type { Keeper, Kept, KeptVersion } from "./keeping";
import { type Made, OpenPage } from "./openPage";

const FAR_BACK = 1000;

export async function restored(uri: Uri, key: string, keeper: Keeper, server: Server): Promise<OpenPage> {
  const kept = await keeper.find(key);
  const versions: Kept["versions"] = kept?.versions ?? [{ compactionId: key, options: null, body: null }];
  const shown = versions.at(-1) ?? versions[0];
  const earlier = await Promise.allSettled(versions.slice(0, -1).map((one) => found(one, server)));
  const { from, made } = await found(shown, server);
  const chat = chatOf(kept ?? (await pastOf(shown.compactionId, server)), from);
  const [first, ...others] = [...earlier.flatMap((one) => (one.status === "fulfilled" ? [one.value.made] : [])), made];
  return new OpenPage(uri, key, chat, [first ?? made, ...others]);
}

/** Gives a version with its compaction out of the archive. */
async function found(
  { compactionId, options, body }: KeptVersion,
  server: Server,
): Promise<{ readonly from: Restored; readonly made: Made }> {
  const from = await server.ask("restore", { compactionId, include: ["compaction"] }, { quietly: true });
  const { compaction } = from;
  if (!compaction) {
    throw new Fault("compactionNotFound", l10n.t("This compaction is not in the archive any more."));
  }
  const made = {
    compaction,
    body: body ?? compaction.continuation,
    options: options ?? { style: styleOf(compaction.style) },
  };
  return { from, made };
}

/** The style of a compaction as an option; one of a later server is left to the default. */
export function styleOf(style: string): NonNullable<Options["style"]> {
  const known = ["brief", "checkpoint", "handoff", "structured"] as const;
  return known.find((name) => name === style) ?? "detailed";
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
