/** Puts lost facts back into the message of a page, each with its whole text. */

import * as vscode from "vscode";
import { expectNobodyWrites } from "../busy";
import type { House, Page } from "../house";
import { count } from "../words";
import { tokensOnPage } from "./amounts";
import { bodyOf, lineFeeds, surroundings } from "./body";
import { documentOf, replaceText } from "./documents";
import type { OpenPage } from "./openPage";
import { own } from "./pages";
import { patiently } from "./patience";
import { HEADING, withItems } from "./putting";
import { type LostFact, lostOf } from "./survivalLines";
import { originOf } from "./transcript";
import { MOST_AT_ONCE, wholeItems } from "./wholeItems";

const SHOWN = 5000; // milliseconds

const underWay = new WeakMap<OpenPage, Promise<unknown>>();

/** How many facts were put back, and by about how many tokens the message has grown. */
interface Grown {
  readonly items: number;
  readonly tokens: number;
}

/** Puts one lost fact back. */
export async function putBack(house: House, page: Page, id: string): Promise<void> {
  const found = lostOf(own(page).survival).find(({ lost }) => lost.id === id);
  if (found) {
    await put(house, own(page), [found]);
    const said = vscode.l10n.t("Put back: it stands under “{0}”.", HEADING.replace(/^#+ /, ""));
    vscode.window.setStatusBarMessage(said, SHOWN);
  }
}

/** Puts all back that is lost, as far as it is not too much for one text, and says how much that is. */
export async function putAllBack(house: House, page: Page): Promise<void> {
  const { t } = vscode.l10n;
  const all = lostOf(own(page).survival);
  const chosen = all.slice(0, MOST_AT_ONCE);
  if (chosen.length === 0) {
    await vscode.window.showInformationMessage(t("Nothing that can be checked is lost."));
    return;
  }
  const { items, tokens } = await put(house, own(page), chosen);
  const left = all.length - items;
  const said = t("{0} put back, about {1} tokens more.", items, count(tokens, vscode.env.language));
  await vscode.window.showInformationMessage(
    left > 0 ? `${said} ${t("{0} are left: do it again for them.", left)}` : said,
  );
}

/** Puts facts of one page back one after the other, since each adds to what the one before has made of the text. */
async function put(house: House, page: OpenPage, facts: readonly LostFact[]): Promise<Grown> {
  const before = underWay.get(page) ?? Promise.resolve();
  const done = before.then(() => putNow(house, page, facts));
  underWay.set(
    page,
    done.catch(() => undefined),
  );
  return done;
}

/** Puts back what can be had whole; nothing where that is nothing. */
async function putNow(house: House, page: OpenPage, facts: readonly LostFact[]): Promise<Grown> {
  expectNobodyWrites(page);
  const items = await patiently(vscode.l10n.t("Reading the chat"), (token) =>
    wholeItems(house, originOf(page), facts, token),
  );
  expectNobodyWrites(page); // one may have begun meanwhile
  const { body, compaction } = house.pages.current(page);
  const grown = withItems(body, items, surroundings(compaction).behind);
  const document = documentOf(page.uri);
  const { length } = items;
  if (grown === body) {
    return { items: length, tokens: 0 };
  }
  if (document) {
    await replaceText(document, withBody(document.getText(), page, grown));
  } else {
    page.rewrite(grown);
  }
  return { items: length, tokens: tokensOnPage(grown, compaction) - tokensOnPage(body, compaction) };
}

/** The document with another message below its marked line. */
function withBody(given: string, page: OpenPage, body: string): string {
  const text = lineFeeds(given);
  const own = bodyOf(text, page.key, page.sheet.lines);
  const start = own === "" ? -1 : text.lastIndexOf(own);
  return start < 0
    ? `${text.trimEnd()}\n\n${body}\n`
    : `${text.slice(0, start)}${body}${text.slice(start + own.length)}`;
}
