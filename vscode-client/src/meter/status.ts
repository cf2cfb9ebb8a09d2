/** The meter in the status bar. */

import * as vscode from "vscode";
import type { House } from "../house";
import { Forecasts } from "./forecast";
import type { Level } from "./reading";
import { LINKED } from "./tooltip";
import { type View, view } from "./view";

const PRIORITY = 90;
const BACKGROUNDS: Readonly<Record<Level, string | undefined>> = {
  calm: undefined,
  warning: "statusBarItem.warningBackground",
  error: "statusBarItem.errorBackground",
};

export function showMeter(house: House): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("compactChat.meter", vscode.StatusBarAlignment.Right, PRIORITY);
  item.name = "Compact Chat";
  item.command = "compactChat.ui.actions";
  let isWriting = false;
  const show = shower(item);
  const forecasts = new Forecasts(house.server, () => update());
  const update = () => show(seen(house, forecasts, isWriting));
  const writing = house.pages.onWriting((begun) => {
    isWriting = begun;
    update();
  });
  return vscode.Disposable.from(item, writing, house.chats.onChanged(update));
}

function seen({ chats }: House, forecasts: Forecasts, isWriting: boolean): View | undefined {
  const isWanted = vscode.workspace.getConfiguration("compactChat").get<boolean>("meter.show", true);
  if (!isWanted) return undefined;
  const { inUse, isPicked, trouble } = chats;
  const after = inUse && forecasts.after(inUse);
  const { version, env, l10n } = vscode;
  return view({ inUse, isPicked, trouble, isWriting, after, version, language: env.language }, l10n);
}

/** Changes only what is another, so that an open tooltip stays as it is. */
function shower(item: vscode.StatusBarItem): (shown: View | undefined) => void {
  let before = "";
  return (shown) => {
    const now = JSON.stringify(shown) ?? "";
    if (now !== before) paint(item, shown);
    before = now;
  };
}

function paint(item: vscode.StatusBarItem, shown: View | undefined): void {
  if (shown === undefined) {
    item.hide();
    return;
  }
  const background = BACKGROUNDS[shown.level];
  item.text = shown.text;
  item.tooltip = trusted(shown.markdown);
  item.backgroundColor = background ? new vscode.ThemeColor(background) : undefined;
  item.accessibilityInformation = { label: shown.spoken, role: "button" };
  item.show();
}

function trusted(markdown: string): vscode.MarkdownString {
  const text = new vscode.MarkdownString(markdown);
  text.isTrusted = { enabledCommands: LINKED };
  return text;
}
