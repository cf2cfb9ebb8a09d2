/** The links of a document do what they say, with commands of ours and nothing that a chat wrote. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { provideLinks } from "../../src/page/links";
import type { Sheet } from "../../src/page/sheet";
import { report } from "../../src/page/text";
import * as vscode from "../fakes/vscode";
import { compactionOf, KEY, ODD, survivalOf } from "./made";

interface Link {
  readonly range: vscode.Range;
  readonly target?: vscode.Uri;
  readonly tooltip: string;
}

const PAGE = vscode.Uri.from({ scheme: "compact-chat", path: `/${KEY}/A chat.md` });

function linksOf(sheet: Sheet, text: string): Link[] {
  let links: Link[] = [];
  Object.assign(vscode.languages, {
    registerDocumentLinkProvider: (_filter: unknown, provider: { provideDocumentLinks(document: unknown): Link[] }) => {
      links = provider.provideDocumentLinks({ uri: PAGE, getText: () => text });
    },
  });
  provideLinks("compact-chat", () => sheet);
  return links;
}

function sheetOf(texts: readonly string[]): Sheet {
  const compaction = compactionOf();
  const survival = survivalOf({ commands: texts });
  const told = { key: KEY, title: "A chat", tool: "codex", compaction, body: compaction.continuation, survival };
  return report({ ...told, state: "checked", l10n: vscode.l10n, language: "en" });
}

test("each link leads to its command with the page and the fact", () => {
  const sheet = sheetOf(["make"]);
  const targets = linksOf(sheet, sheet.text).map(({ target }) => [target?.path, JSON.parse(target?.query ?? "")]);
  assert.deepEqual(targets, [
    ["compactChat.ui.putAllBack", [String(PAGE), ""]],
    ["compactChat.ui.showLost", [String(PAGE), "commands:0"]],
    ["compactChat.ui.putBack", [String(PAGE), "commands:0"]],
  ]);
});

test("a text with line ends of Windows has the same links", () => {
  const sheet = sheetOf(["make"]);
  assert.equal(linksOf(sheet, sheet.text.replaceAll("\n", "\r\n")).length, 3);
});

test("whatever a chat says, its words lead nowhere", () => {
  const sheet = sheetOf(ODD);
  const links = linksOf(sheet, `${sheet.text}\n${ODD.join("\n")}`).filter(({ target }) => target);
  assert.equal(links.length, sheet.spots.length);
  assert.ok(links.every(({ target }) => target?.path.startsWith("compactChat.ui.")));
});

test("a command that a chat names in a link has a link without a target in its place", () => {
  const sheet = sheetOf([]);
  for (const link of ["[a](command:quit)", "[a]: Command:quit", "<command:quit>", "[a](<command:quit>)"]) {
    const found = linksOf(sheet, `${sheet.text}\n${link} and more`);
    assert.equal(found.length, 1);
    const [{ range, target }] = found as [Link];
    assert.equal(target, undefined);
    assert.match(link.slice(range.start.character, range.end.character), /^command:quit$/i);
  }
});
