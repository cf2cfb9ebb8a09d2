/** The meter in the status bar: which tool, how full its chat is, a tooltip of at most six lines, and what a click offers. */

import * as vscode from "vscode";
import { PARTS, sizeOf, tokens } from "../../page/words";
import type { Commands, House } from "../house";
import { complain } from "../remedies";
import type { TokenReport } from "../wire";
import { chatTitle, count, markdownLine, named, oneLine, separator, shortToolName, t, toolName } from "../words";
import type { Chats } from "./chats";
import { bar, type Level, reading } from "./reading";

export interface View {
  readonly text: string;
  readonly markdown: string;
  readonly spoken: string;
  readonly level: Level;
}

/** The only commands that the tooltip may run. */
export const LINKED = [
  "compactChat.ui.continueNow",
  "compactChat.ui.compact",
  "compactChat.ui.pickChat",
  "compactChat.ui.measureNewest",
];
const SETTINGS = "@ext:compact-chat.compact-chat";
const PRIORITY = 90;
const [MARK, PINNED, BUSY] = ["✳", "$(pin)", "$(sync~spin)"];
const [LONGEST_TITLE, LONGEST_WARNING, LONGEST_SENTENCE] = [60, 160, 300];
const [MOST_PARTS, BAR] = [4, 10];
const BACKGROUNDS: Readonly<Record<Level, string | undefined>> = {
  calm: undefined,
  warning: "statusBarItem.warningBackground",
  error: "statusBarItem.errorBackground",
};

export function showMeter({ chats, screens, server, context }: House): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("compactChat.meter", vscode.StatusBarAlignment.Right, PRIORITY);
  item.name = "Compact Chat";
  item.command = "compactChat.ui.actions";
  let [before, isWriting] = ["", false];
  const update = () => {
    const own = `Compact Chat ${context.extension.packageJSON.version}`;
    const versions = server.version === undefined ? own : `${own} · ${t("server {0}", server.version)}`;
    const isShown = vscode.workspace.getConfiguration("compactChat").get("meter.show", true);
    const shown = isShown ? view(chats, isWriting, versions) : undefined;
    const now = JSON.stringify(shown) ?? "";
    if (now !== before) {
      paint(item, shown); // else an open tooltip would close
    }
    before = now;
  };
  return vscode.Disposable.from(
    item,
    chats.onChanged(update),
    screens.onWriting((begun) => {
      isWriting = begun;
      update();
    }),
    vscode.workspace.onDidChangeConfiguration((change) => change.affectsConfiguration("compactChat.meter") && update()),
  );
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

export function view(
  { inUse, isPicked, trouble, recorded }: Pick<Chats, "inUse" | "isPicked" | "trouble" | "recorded">,
  isWriting: boolean,
  versions: string,
): View | undefined {
  const icon = isWriting ? BUSY : isPicked ? PINNED : MARK;
  if (inUse) {
    const { report } = inUse;
    const { text, level } = reading(report);
    return {
      text: [icon, shortToolName(report.tool), text].filter(Boolean).join(" "),
      markdown: tooltip(report, isPicked, versions),
      spoken: spoken(report, isPicked),
      level,
    };
  }
  if (trouble?.kind === "notSetUp") {
    const text = recorded ? `${shortToolName(recorded.tool)} ~${recorded.percent}%` : t("Compact Chat: Set Up");
    return calm(`${icon} ${text}`, t("Set up Compact Chat to see what fills this chat's context window."));
  }
  if (trouble && trouble.kind !== "notTrusted") {
    return calm(`${MARK} $(warning)`, trouble.message);
  }
  return isWriting ? calm(`${BUSY} ${t("Rewriting")}`, t("A model is rewriting a summary.")) : undefined;
}

function calm(text: string, sentence: string): View {
  return { text, markdown: markdownLine(sentence, LONGEST_SENTENCE), spoken: sentence, level: "calm" };
}

/** The meter for screen readers. */
function spoken(report: TokenReport, isPicked: boolean): string {
  const { text, used, of } = reading(report);
  const name = oneLine(report.title ?? "", LONGEST_TITLE) || t("Untitled chat");
  const picked = isPicked ? ` ${t("This chat was picked.")}` : "";
  return `${t("{0}: {1} full, {2} of {3} tokens.", name, text, count(used), count(of))}${picked}`;
}

/** Write the tooltip as Markdown; nothing that a chat says is markup in it. */
function tooltip(report: TokenReport, isPicked: boolean, versions: string): string {
  const { text, percent, used, of } = reading(report);
  const title = report.title ? markdownLine(report.title, LONGEST_TITLE) : t("Untitled chat");
  const tool = toolName(report.tool);
  const [warning] = report.warnings;
  const lines = [
    `**${title}**${tool === undefined ? "" : ` · **${tool}**`}${isPicked ? ` · ${t("picked")}` : ""}`,
    `${bar(percent, BAR)} ${text} · ${t("{0} of {1} tokens", short(used), short(of))} · ${sureness(report)}`,
    parts(report, MOST_PARTS, named),
    limits(report).join(" · ") || (warning ? markdownLine(warning.message, LONGEST_WARNING) : ""),
    links(isPicked),
    versions,
  ];
  return lines.filter((line) => line !== "").join("  \n");
}

function short(number: number): string {
  return tokens(number, vscode.env.language);
}

function sureness({ windowsPossible, basis }: TokenReport): string {
  if (windowsPossible.length > 1) {
    const [small = "", large = ""] = windowsPossible.map(short);
    return t("context window {0} or {1}", small, large);
  }
  return basis === "estimated" ? t("estimated") : t("measured");
}

/** The parts of a chat, the largest first; an agent reads their English names. */
export function parts(report: TokenReport, most?: number, nameOf = (name: string) => name): string {
  return PARTS.map(([part, name]) => ({ name, size: sizeOf(report.parts, part) }))
    .filter(({ size }) => size > 0)
    .sort((one, other) => other.size - one.size)
    .slice(0, most)
    .map(({ name, size }) => `${nameOf(name)} ${short(size)}`)
    .join(" · ");
}

/** Where the tool compacts by itself, and how many turns are left until then. */
function limits({ limit, turnsLeft }: TokenReport): string[] {
  const found = limit ? [t("auto-compacts at ≈{0}", short(limit.tokens))] : [];
  if (turnsLeft !== null) {
    const { low, high } = turnsLeft;
    const several = low === high ? t("≈ {0} turns left", low) : t("≈ {0} to {1} turns left", low, high);
    found.push(high <= 1 ? t("≈ 1 turn left") : several);
  }
  return found;
}

function links(isPicked: boolean): string {
  const offered = [
    ["continueNow", t("Compact and Continue")],
    ["compact", t("Compact Chat")],
    isPicked ? ["measureNewest", t("Follow Newest Chat")] : ["pickChat", t("Choose Chat…")],
  ];
  return offered.map(([name, title]) => `[${title}](command:compactChat.ui.${name})`).join(" · ");
}

interface Action extends vscode.QuickPickItem {
  readonly run?: () => Thenable<unknown>;
}

export function meterCommands(house: House): Commands {
  return {
    actions: () => act(house),
    pickChat: () => house.chats.pick(),
    measureNewest: () => house.chats.measureNewest(),
    openExample: () => openExample(house),
  };
}

/** Offer actions on the chat; if it cannot be measured, the remedy. */
async function act(house: House): Promise<void> {
  const { trouble, inUse } = house.chats;
  if (trouble === undefined) {
    const title = inUse ? `${chatTitle(inUse.title)}: ${reading(inUse.report).text}` : "Compact Chat";
    const options = { title, placeHolder: t("What to do with this chat") };
    const chosen = await vscode.window.showQuickPick<Action>(actions(house), options);
    await chosen?.run?.();
    return;
  }
  if (trouble.kind === "notSetUp") {
    await house.server.setUp();
  } else {
    complain(house, trouble, undefined, true);
  }
  house.chats.lookAgain();
}

function actions({ chats }: House): Action[] {
  return [
    action(`$(fold) ${t("Compact Chat")}`, "compact", t("Preview first. Nothing leaves this machine.")),
    action(`$(arrow-right) ${t("Compact and Continue in New Chat")}`, "continueNow"),
    action(`$(search) ${t("Review Last Compaction")}`, "checkLast"),
    separator(),
    action(`$(list-selection) ${t("Choose Chat to Measure…")}`, "pickChat"),
    ...(chats.isPicked ? [action(`$(pinned) ${t("Follow Newest Chat")}`, "measureNewest")] : []),
    action(`$(history) ${t("Show History")}`, "history"),
    {
      label: `$(settings-gear) ${t("Open Settings")}`,
      run: () => vscode.commands.executeCommand("workbench.action.openSettings", SETTINGS),
    },
  ];
}

function action(label: string, name: string, description = ""): Action {
  return { label, description, run: () => vscode.commands.executeCommand(`compactChat.ui.${name}`) };
}

async function openExample({ context }: House): Promise<void> {
  const example = vscode.Uri.joinPath(context.extensionUri, "example", "bakery.jsonl");
  await vscode.commands.executeCommand("compactChat.ui.compact", example);
}
