/** Has the server check and archive a summary that a person edited, in the place of the one it made. */

import { l10n } from "vscode";
import { Fault } from "../faults";
import type { Page, Server, Version } from "../house";
import type { Compaction } from "../wire";
import { summaryIn } from "./body";

/** Gives the compaction with the edited summary; rejects with `planOutdated` where the chat is another one by now. */
export async function settledEdit(server: Server, page: Page, { body, compaction }: Version): Promise<Compaction> {
  const reply = `<summary>\n${summaryIn(body, compaction)}\n</summary>`;
  if (compaction.style !== "detailed" && compaction.style !== "brief") {
    return inFreeForm(server, page, compaction, reply);
  }
  try {
    return await server.ask("summarize", { planId: compaction.planId, reply });
  } catch (problem) {
    if (!isForgotten(problem)) {
      throw problem;
    }
    await planAgain(server, page, compaction);
    return server.ask("summarize", { planId: compaction.planId, reply });
  }
}

/** Styles with a form of their own refuse what a person writes in another one; the brief style takes any text. */
async function inFreeForm(server: Server, page: Page, compaction: Compaction, reply: string): Promise<Compaction> {
  await planAgain(server, page, compaction);
  return server.ask("summarize", { chat: page.chat.ref, options: { ...page.options, style: "brief" }, reply });
}

/** Has the server remember the plan, unless the chat would be planned otherwise now. */
async function planAgain(server: Server, { chat, options }: Page, { planId }: Compaction): Promise<void> {
  const plan = await server.ask("preview", { chat: chat.ref, options });
  if (plan.planId !== planId) {
    throw new Fault("planOutdated", l10n.t("The chat has changed since it was compacted."), { reason: "chatChanged" });
  }
}

function isForgotten(problem: unknown): boolean {
  return problem instanceof Fault && problem.kind === "planOutdated" && problem.data.reason === "forgotten";
}
