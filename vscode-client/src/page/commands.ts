/** The commands of the page: each takes its address, and else means the page of the active editor. */

import * as vscode from "vscode";
import { expectNobodyWrites } from "../busy";
import { type Given, pageOf } from "../given";
import type { Commands, House, Page } from "../house";
import { checkLast } from "./checkLast";
import { compact, compactAnother, compactClipboard, compactFile, compactPanel } from "./compact";
import { copyLost } from "./copyLost";
import { saveDocument } from "./documents";
import { improve, type Proposal } from "./improve";
import { showAllLost, showLost } from "./lost";
import { more } from "./more";
import { own } from "./pages";
import { type LostFacts, Papers } from "./papers";
import { unlessStopped } from "./patience";
import { putAllBack, putBack } from "./putBack";
import { copy, saveAsMarkdown } from "./saving";
import { send } from "./sending";
import { Originals, originOf } from "./transcript";

export function pageCommands(house: House): Commands {
  const papers = new Papers();
  const originals = new Originals(house.server);
  house.context.subscriptions.push(papers, originals);
  return { ...ofChats(house, papers), ...ofPages(house, papers), ...ofMessages(house, papers, originals) };
}

function ofChats(house: House, papers: Papers): Commands {
  return {
    compact: (given?: unknown) => unlessStopped(compact(house, given)),
    compactAnother: () => unlessStopped(compactAnother(house)),
    compactPanel: () => unlessStopped(compactPanel(house)),
    compactFile: (given?: unknown) => unlessStopped(compactFile(house, given)),
    compactClipboard: () => unlessStopped(compactClipboard(house)),
    checkLast: () => unlessStopped(checkLast(house, papers)),
    copyLost: (lost: LostFacts) => unlessStopped(copyLost(house, lost)),
    paperActions: (given?: unknown) => papers.offerActions(documentIn(given)),
  };
}

function ofPages(house: House, papers: Papers): Commands {
  const onPage = (work: (page: Page) => unknown) => async (given?: Given) => {
    const page = await pageOf(house, given);
    return unlessStopped(Promise.resolve(work(page)));
  };
  return {
    improve: onPage((page) => improve(house, page, papers)),
    sendShown: (proposal: Proposal) => sendShown(house, proposal),
    cancel: onPage((page) => own(page).writing?.stop()),
    useEarlier: onPage(useEarlier),
    copy: onPage((page) => copy(house, page)),
    saveAsMarkdown: onPage((page) => saveAsMarkdown(house, page)),
    putAllBack: onPage((page) => putAllBack(house, page)),
    more: onPage((page) => more(own(page))),
  };
}

function ofMessages(house: House, papers: Papers, originals: Originals): Commands {
  return {
    showMessage: async (given: Given, message?: string) => {
      await originals.show(originOf(await pageOf(house, given)), message);
    },
    showLost: (given: string, id: string) => showLost(house, papers, originals, vscode.Uri.parse(given), id),
    showAllLost: (given: string, name: string) => showAllLost(house, papers, vscode.Uri.parse(given), name),
    putBack: async (given: Given, id: string) => {
      await putBack(house, await pageOf(house, given), id);
    },
  };
}

/** The document that a menu hands over, else the one in front. */
function documentIn(given: unknown): vscode.Uri | undefined {
  return given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri;
}

/** Sends a text that was shown; the page comes to the front for the stream. */
async function sendShown(house: House, proposal: Proposal): Promise<void> {
  await vscode.window.showTextDocument(proposal.page.uri, { preview: false });
  await send(house, proposal);
}

async function useEarlier(page: Page): Promise<void> {
  expectNobodyWrites(page);
  await saveDocument(page.uri);
  if (!own(page).turnBack()) {
    await vscode.window.showInformationMessage(vscode.l10n.t("There is no summary before this one."));
  }
}
