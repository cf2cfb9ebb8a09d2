/** Sends a chat to a model and streams the summary onto its page; stopped or failed, the page is what it was before. */

import { CancellationTokenSource, l10n } from "vscode";
import { expectNobodyWrites } from "../busy";
import { Fault } from "../faults";
import type { Asking, House } from "../house";
import type { ChatRef, Compaction, Preview } from "../wire";
import { saveDocument, showAsStored } from "./documents";
import { Hearing } from "./hearing";
import type { Proposal } from "./improve";
import { expectStill } from "./improver";
import type { OpenPage } from "./openPage";
import { own } from "./pages";
import { unlessStopped } from "./patience";
import { ofSameChat } from "./sameChat";

const MUCH_MORE = 1.1;

export async function send(house: House, proposal: Proposal): Promise<void> {
  const { page, improver, options } = proposal;
  const open = own(page);
  expectNobodyWrites(open);
  await expectStill(house, improver);
  await saveDocument(open.uri);
  expectNobodyWrites(open);
  const source = new CancellationTokenSource();
  const hearing = new Hearing((heard) => open.hear(heard));
  open.beginWriting({ model: improver.label, stop: () => source.cancel() });
  try {
    const asking = { token: source.token, heard: hearing.hear };
    const compaction = await unlessStopped(improved(house, proposal, asking));
    if (compaction) {
      await house.pages.show(open, { compaction, body: compaction.continuation }, options);
    }
  } finally {
    hearing.dispose();
    source.dispose();
    await end(open);
  }
}

/** Carries the plan out; of a chat that has grown meanwhile the newest, if that is hardly more than was agreed to. */
async function improved(
  { pages, server }: House,
  { page, improver, options, plan, isShown }: Proposal,
  asking: Asking,
): Promise<Compaction> {
  const { provider } = improver;
  const params = { provider, userInitiated: true };
  try {
    return await server.ask("summarize", { ...params, planId: plan.planId }, asking);
  } catch (problem) {
    if (isShown && isOutdated(problem)) {
      throw textOutdated();
    }
    const anew = (chat: ChatRef) => server.ask("preview", { chat, options, provider });
    const newest = isOutdated(problem) && (await ofSameChat(pages, page, anew));
    if (!newest || tokensOf(newest) > MUCH_MORE * tokensOf(plan) || newest.redactions.total > plan.redactions.total) {
      throw problem;
    }
    return server.ask("summarize", { ...params, planId: newest.planId }, asking);
  }
}

function isOutdated(problem: unknown): boolean {
  return problem instanceof Fault && problem.kind === "planOutdated";
}

function textOutdated(): Fault {
  return new Fault("textOutdated", l10n.t("The chat has grown since this text was shown, so it was not sent."));
}

function tokensOf({ request, before }: Preview): number {
  return request?.inputTokens ?? before;
}

/** Stopped or failed, the page is what it was; what was typed into a half text is undone. */
async function end(page: OpenPage): Promise<void> {
  if (page.isWriting) {
    page.endWriting();
    await showAsStored(page.uri, page.text);
  }
}
