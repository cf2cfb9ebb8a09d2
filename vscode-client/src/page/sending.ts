/** Sends a chat to a model and streams the summary onto its page; stopped or failed, the page is what it was before. */

import { CancellationTokenSource } from "vscode";
import type { House } from "../house";
import { saveDocument, showAsStored } from "./documents";
import { Hearing } from "./hearing";
import type { Proposal } from "./improve";
import type { OpenPage } from "./openPage";
import { own } from "./pages";
import { unlessStopped } from "./patience";

export async function send(house: House, { page, improver, options, plan }: Proposal): Promise<void> {
  const open = own(page);
  if (open.isWriting) {
    return;
  }
  const source = new CancellationTokenSource();
  const hearing = new Hearing((heard) => open.hear(heard));
  const params = { planId: plan.planId, provider: improver.provider, userInitiated: true } as const;
  await saveDocument(open.uri);
  open.beginWriting({ model: improver.label, stop: () => source.cancel() });
  try {
    const asking = { token: source.token, heard: hearing.hear };
    const compaction = await unlessStopped(house.server.ask("summarize", params, asking));
    if (compaction) {
      await house.pages.show(open, { compaction, body: compaction.continuation }, options);
    }
  } finally {
    hearing.dispose();
    source.dispose();
    await end(open);
  }
}

/** Stopped or failed, the page is what it was; what was typed into a half text is undone. */
async function end(page: OpenPage): Promise<void> {
  if (page.isWriting) {
    page.endWriting();
    await showAsStored(page.uri, page.text);
  }
}
