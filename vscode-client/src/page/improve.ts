/** Has a model write the summary of a page: first the question of what leaves the machine, then the stream. */

import * as vscode from "vscode";
import { expectNobodyWrites } from "../busy";
import { Fault } from "../faults";
import type { House, Improver, Page } from "../house";
import { plannedName } from "../modelNames";
import type { Options, Preview } from "../wire";
import { isUnedited } from "./body";
import { improverNow } from "./improver";
import type { Papers } from "./papers";
import { patiently } from "./patience";
import { promptSheet } from "./promptSheet";
import { questionFor } from "./question";
import { ofSameChat } from "./sameChat";
import { send } from "./sending";

/** What would be sent, once a person says so. */
export interface Proposal {
  readonly page: Page;
  readonly improver: Improver;
  readonly options: Options;
  readonly plan: Preview;
  /** The text was shown, so that no other is sent, not even of the chat as it has grown since. */
  readonly isShown?: boolean;
}

export async function improve(house: House, page: Page, papers: Papers): Promise<void> {
  expectNobodyWrites(page);
  const proposal = await proposed(house, page);
  const { t } = vscode.l10n;
  const { body, compaction } = house.pages.current(page);
  const asked = { ...proposal, isEdited: !isUnedited(body, compaction) };
  const { message, detail } = questionFor(asked, vscode.l10n, vscode.env.language);
  const [yes, look, other] = [t("Send"), t("Show Text"), t("Another Model…")];
  const answer = await vscode.window.showInformationMessage(message, { modal: true, detail }, yes, look, other);
  if (answer === yes) {
    await send(house, proposal);
  } else if (answer === look) {
    await showPrompt(house, proposal, papers);
  } else if (answer === other) {
    await house.models.choose();
    await improve(house, page, papers);
  }
}

async function proposed(house: House, page: Page): Promise<Proposal> {
  const { pages, server } = house;
  const improver = await improverNow(house);
  const { summaryModel, fallbackModels, ...others } = page.options;
  const options = { ...others, ...improver.options };
  const { provider } = improver;
  const plan = await patiently(vscode.l10n.t("Reading the chat"), (token) =>
    ofSameChat(pages, page, (chat) => server.ask("preview", { chat, options, provider }, { token })),
  );
  if (plan.action !== "compact") {
    throw new Fault("nothingToCompact", plan.reason);
  }
  return { page, improver: { ...improver, label: plannedName(improver, plan) }, options, plan };
}

/** Shows the very text; from there it can be sent. */
async function showPrompt(house: House, proposal: Proposal, papers: Papers): Promise<void> {
  const { page, improver, options, plan } = proposal;
  const prompt = await patiently(vscode.l10n.t("Writing the request"), (token) =>
    ofSameChat(house.pages, page, (chat) => house.server.ask("prompt", { chat, options }, { token })),
  );
  const title = vscode.l10n.t("Request to {0}", improver.label);
  const sheet = promptSheet(prompt, plan.request?.calls ?? 1, vscode.l10n);
  const command = "compactChat.ui.sendShown";
  const shown: Proposal = { ...proposal, plan: { ...plan, planId: prompt.planId }, isShown: true };
  const action = { command, title: vscode.l10n.t("Send to {0}", improver.label), arguments: [shown] };
  await papers.show({ title, sheet, actions: [action] });
}
