/** Has the server check and archive a summary that a person edited, in the place of the one it made. */

import { l10n } from "vscode";
import { Fault } from "../faults";
import type { Page, Server, Version } from "../house";
import type { ChatRef, Compaction } from "../wire";
import { summaryIn } from "./body";

/** Gives the compaction with the edited summary; rejects with `planOutdated` where the chat cannot be had as it was. */
export async function settledEdit(server: Server, page: Page, { body, compaction }: Version): Promise<Compaction> {
  const reply = `<summary>\n${summaryIn(body, compaction)}\n</summary>`;
  if (!["detailed", "brief", "handoff"].includes(compaction.style)) {
    return inFreeForm(server, page, compaction, reply);
  }
  try {
    return await server.ask("summarize", { planId: compaction.planId, reply });
  } catch (problem) {
    if (!(problem instanceof Fault && problem.kind === "planOutdated")) {
      throw problem;
    }
    await planAgain(server, page, compaction);
    return server.ask("summarize", { planId: compaction.planId, reply });
  }
}

/** Styles with a form of their own refuse what a person writes in another one; the brief style takes any text. */
async function inFreeForm(server: Server, page: Page, compaction: Compaction, reply: string): Promise<Compaction> {
  const chat = await planAgain(server, page, compaction);
  return server.ask("summarize", { chat, options: { ...page.options, style: "brief" }, reply });
}

/** Has the server remember the plan: of the chat, or of its archived original where it has grown or is gone. */
async function planAgain(server: Server, page: Page, { planId, archive }: Compaction): Promise<ChatRef> {
  for (const chat of [page.chat.ref, ...(archive === null ? [] : [{ uri: archive }])]) {
    const plan = await server.ask("preview", { chat, options: page.options }).catch(() => undefined);
    if (plan?.planId === planId) {
      return chat;
    }
  }
  throw new Fault("planOutdated", l10n.t("The chat has changed since it was compacted."), { reason: "chatChanged" });
}
