/** Changes what is kept on a page: the lists, a live preview of each choice, and at the end the new result. */

import * as vscode from "vscode";
import { expectNobodyWrites } from "../busy";
import { Fault } from "../faults";
import type { House, Page } from "../house";
import { isUnedited } from "../page/body";
import { patiently } from "../page/patience";
import { ofSameChat } from "../page/sameChat";
import type { Compaction } from "../wire";
import { type Aspect, aspectsOf, isIdle } from "./aspects";
import { headline, warned } from "./headline";
import { type Face, type ListItem, pickFrom } from "./list";
import { changeMessages } from "./messages";
import { askFor } from "./questions";
import { Rehearsal } from "./rehearsal";

const { t } = vscode.l10n;
const here = { t, language: vscode.env.language };

/** What is said against a plan, and not against the chat or the server: another choice may help. */
const ABOUT_THE_PLAN: ReadonlySet<string> = new Set(["cancelled", "messageNotFound", "noGain", "nothingToCompact"]);

/** Lets a person change the plan of a page; Escape on the first list leaves all as it was. */
export async function change(house: House, page: Page): Promise<void> {
  const begun = (token: vscode.CancellationToken) =>
    ofSameChat(house.pages, page, (chat) => Rehearsal.of(house.server, chat, page.options, token));
  const rehearsal = await patiently(t("Reading the chat"), begun);
  try {
    let isOver = false;
    while (!isOver && (await isDecided(house, page, rehearsal))) {
      isOver = await isCarriedOut(house, page, rehearsal);
    }
  } finally {
    rehearsal.dispose();
  }
}

/** Goes through the lists until a person wants the result (true) or leaves them. */
async function isDecided(house: House, page: Page, rehearsal: Rehearsal): Promise<boolean> {
  const face = aspectsFace(rehearsal, isEdited(house, page));
  for (;;) {
    const chosen = await pickFrom(face, rehearsal.onChanged);
    if (chosen === undefined) {
      return false;
    }
    if (chosen.item.id !== "again") {
      await follow(chosen.item.id, page, rehearsal);
    } else if (await isReady(rehearsal)) {
      return true;
    }
  }
}

async function follow(aspect: Aspect, page: Page, rehearsal: Rehearsal): Promise<void> {
  if (aspect === "messages") {
    await changeMessages(rehearsal, (id) => showMessage(page, id));
    return;
  }
  const options = await askFor(aspect, rehearsal.options);
  if (options !== undefined) {
    void rehearsal.propose(options);
  }
}

/** Waits for the preview of the last choice; not where that was taken back, or where there is nothing to do. */
async function isReady(rehearsal: Rehearsal): Promise<boolean> {
  const { problem } = rehearsal;
  await rehearsal.settled();
  return rehearsal.problem === problem && !isIdle(rehearsal.preview);
}

/** Shows the result on the page, unless something is said against the plan itself. */
async function isCarriedOut(house: House, page: Page, rehearsal: Rehearsal): Promise<boolean> {
  try {
    const compaction = await carriedOut(house, rehearsal);
    expectNobodyWrites(page); // one may have begun while the lists were open
    await bringToFront(page);
    await house.pages.show(page, { compaction, body: compaction.continuation }, rehearsal.options);
    return true;
  } catch (problem) {
    if (!(problem instanceof Fault) || !ABOUT_THE_PLAN.has(problem.kind)) {
      throw problem;
    }
    rehearsal.refused(problem.message);
    return false;
  }
}

/** Makes the result on this machine; a chat that has grown meanwhile is compacted as it is now, by the same options. */
function carriedOut({ server }: House, { options, preview, chat }: Rehearsal): Promise<Compaction> {
  return patiently(t("Compacting the chat"), async (token) => {
    try {
      return await server.ask("summarize", { planId: preview.planId, provider: "offline" }, { token });
    } catch (problem) {
      if (!(problem instanceof Fault) || problem.kind !== "planOutdated") {
        throw problem;
      }
      return server.ask("summarize", { chat, options, provider: "offline" }, { token });
    }
  });
}

async function showMessage(page: Page, id: string): Promise<void> {
  await bringToFront(page);
  await vscode.commands.executeCommand("compactChat.ui.showMessage", page.uri, id);
}

/** Returns to the page's editor, so that what is shown next to it does not push it into another column. */
async function bringToFront({ uri }: Page): Promise<void> {
  const editor = vscode.window.visibleTextEditors.find(({ document }) => document.uri.toString() === uri.toString());
  if (editor?.viewColumn !== undefined) {
    await vscode.window.showTextDocument(editor.document, { viewColumn: editor.viewColumn, preview: false });
  }
}

interface AspectItem extends ListItem {
  readonly id: Aspect;
}

function isEdited({ pages }: House, page: Page): boolean {
  const { body, compaction } = pages.current(page);
  return !isUnedited(body, compaction);
}

function aspectsFace(rehearsal: Rehearsal, isEdited: boolean): Face<AspectItem> {
  let made: { of: unknown; items: readonly AspectItem[] } = { of: undefined, items: [] };
  return {
    title: () => warned(headline(rehearsal, here), isEdited, here),
    isBusy: () => rehearsal.isBusy,
    items: () => {
      if (made.of !== rehearsal.preview) {
        const rows = aspectsOf(rehearsal.options, rehearsal.preview, here);
        made = { of: rehearsal.preview, items: rows.map(({ aspect, ...row }) => ({ id: aspect, ...row })) };
      }
      return made.items;
    },
    placeholder: t("Choose what to change, or compact again"),
  };
}
