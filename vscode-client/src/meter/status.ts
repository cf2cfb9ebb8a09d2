/** The meter in the status bar: which tool, how full its chat is, and the tooltip. */

import * as vscode from "vscode";
import type { Fault } from "../faults";
import type { ChatInUse, House } from "../house";
import { type L10n, markdownLine, shortToolName } from "../words";
import type { Fullness } from "./files";
import { type Level, reading, type Thresholds, USUAL } from "./reading";
import { LINKED, type Shown, spoken, tooltip } from "./tooltip";

export interface View {
  readonly text: string;
  readonly markdown: string;
  readonly spoken: string;
  readonly level: Level;
}

/** All that the item depends on. */
export interface Seen {
  readonly inUse: ChatInUse | undefined;
  readonly isPicked: boolean;
  readonly trouble: Fault | undefined;
  readonly recorded: Fullness | undefined;
  readonly isWriting: boolean;
  readonly thresholds: Thresholds;
  readonly versions: string;
  /** The editor's. */
  readonly version: string;
  readonly language: string;
}

const PRIORITY = 90;
const [MARK, PINNED, BUSY] = ["✳", "$(pin)", "$(sync~spin)"];
const LONGEST_SENTENCE = 300;
const BACKGROUNDS: Readonly<Record<Level, string | undefined>> = {
  calm: undefined,
  warning: "statusBarItem.warningBackground",
  error: "statusBarItem.errorBackground",
};

export function showMeter(house: House): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("compactChat.meter", vscode.StatusBarAlignment.Right, PRIORITY);
  item.name = "Compact Chat";
  item.command = "compactChat.ui.actions";
  let [before, isWriting] = ["", false];
  const update = () => {
    const shown = isShown() ? view(seen(house, isWriting), vscode.l10n) : undefined;
    const now = JSON.stringify(shown) ?? "";
    if (now !== before) {
      paint(item, shown); // else an open tooltip would close
    }
    before = now;
  };
  return vscode.Disposable.from(
    item,
    house.chats.onChanged(update),
    house.screens.onWriting((begun) => {
      isWriting = begun;
      update();
    }),
    vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration("compactChat.meter") && update()),
  );
}

/** What the item shows; undefined while there is nothing to show. */
export function view(now: Seen, l10n: L10n): View | undefined {
  const { inUse, isPicked, trouble, recorded, isWriting } = now;
  const icon = isWriting ? BUSY : isPicked ? PINNED : MARK;
  if (inUse) {
    const { report } = inUse;
    const shown: Shown = { ...now, report, reading: reading(report, now.version, now.thresholds), l10n };
    const text = [icon, shortToolName(report.tool), shown.reading.text].filter(Boolean).join(" ");
    return { text, markdown: tooltip(shown), spoken: spoken(shown), level: shown.reading.level };
  }
  if (trouble?.kind === "notSetUp") {
    const setUp = l10n.t("Set up Compact Chat to see what fills this chat's context window.");
    const text = recorded ? `${shortToolName(recorded.tool)} ~${recorded.percent}%` : l10n.t("Compact Chat: Set Up");
    return calm(`${icon} ${text}`, setUp);
  }
  if (trouble && trouble.kind !== "notTrusted") {
    return calm(`${MARK} $(warning)`, trouble.message);
  }
  return isWriting ? calm(`${BUSY} ${l10n.t("Rewriting")}`, l10n.t("A model is rewriting a summary.")) : undefined;
}

function calm(text: string, sentence: string): View {
  return { text, markdown: markdownLine(sentence, LONGEST_SENTENCE), spoken: sentence, level: "calm" };
}

/** The percentages of the settings. */
export function thresholds(): Thresholds {
  const settings = vscode.workspace.getConfiguration("compactChat.meter");
  return { warning: settings.get("warningAt", USUAL.warning), error: settings.get("errorAt", USUAL.error) };
}

function isShown(): boolean {
  return vscode.workspace.getConfiguration("compactChat").get<boolean>("meter.show", true);
}

function seen({ chats, server, context }: House, isWriting: boolean): Seen {
  const { inUse, isPicked, trouble, recorded } = chats;
  const { version, env } = vscode;
  const own = `Compact Chat ${context.extension.packageJSON.version}`;
  const versions = server.version === undefined ? own : `${own} · ${vscode.l10n.t("server {0}", server.version)}`;
  const language = env.language;
  return { inUse, isPicked, trouble, recorded, isWriting, thresholds: thresholds(), versions, version, language };
}

function paint(item: vscode.StatusBarItem, shown: View | undefined): void {
  if (shown === undefined) {
    item.hide();
    return;
  }
  const background = BACKGROUNDS[shown.level];
  const markdown = new vscode.MarkdownString(shown.markdown);
  markdown.isTrusted = { enabledCommands: LINKED };
  item.text = shown.text;
  item.tooltip = markdown;
  item.backgroundColor = background ? new vscode.ThemeColor(background) : undefined;
  item.accessibilityInformation = { label: shown.spoken, role: "button" };
  item.show();
}
