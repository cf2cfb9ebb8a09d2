/** Lets the user choose who improves summaries, from what the editor offers and what is known of Anthropic's models. */

import * as vscode from "vscode";
import { anthropicName } from "../modelNames";
import { count, label } from "../words";
import { ANTHROPIC_MODELS, type Offered, settingOf, vendorName, wishedOf } from "./choose";
import { hasKey } from "./keys";
import { setApiKey } from "./typedKey";
import { AUTOMATIC, type Wish, wishNow, writeWish } from "./wish";

interface Row extends vscode.QuickPickItem {
  readonly wish?: Wish;
  /** Whether the name of the model is still to be typed. */
  readonly isTyped?: boolean;
}

const LONGEST_NAME = 80;

/** Writes the choice into the settings; says whether one was made. */
export async function pickModel(
  context: vscode.ExtensionContext,
  offered: () => Promise<readonly Offered[]>,
): Promise<boolean> {
  const title = vscode.l10n.t("Choose Model for Summaries");
  const placeHolder = vscode.l10n.t("Who improves a summary when you ask for that");
  const options = { title, placeHolder, matchOnDescription: true };
  const row = await vscode.window.showQuickPick(rows(context, offered), options);
  const wish = row?.isTyped ? await typedWish() : row?.wish;
  if (wish === undefined || (wish.provider === "anthropic" && !(await withKey(context)))) {
    return false;
  }
  await writeWish(wish);
  return true;
}

async function rows(
  context: vscode.ExtensionContext,
  offered: () => Promise<readonly Offered[]>,
): Promise<readonly Row[]> {
  const { t } = vscode.l10n;
  const [models, isKeyThere] = [await offered(), await hasKey(context)];
  const known = models.filter(({ id }, place) => models.findIndex((other) => other.id === id) === place);
  const automatic = t("Anthropic where a key is set, else the model of this editor that takes the most");
  return [
    row(t("Automatic"), automatic, AUTOMATIC),
    ...(known.length === 0 ? [] : [separator(t("Models of This Editor"))]),
    ...known.map(editorRow),
    separator("Anthropic"),
    ...anthropicModels().map((model) => anthropicRow(model, isKeyThere)),
    { label: t("Another Model of Anthropic's…"), description: isKeyThere ? "" : t("needs an API key"), isTyped: true },
  ];
}

/** Those that are known, and the one that the settings name. */
function anthropicModels(): readonly string[] {
  const { summaryModel } = wishNow();
  const isOne = summaryModel !== "" && wishedOf(summaryModel) === undefined;
  return [...new Set([...ANTHROPIC_MODELS, ...(isOne ? [summaryModel] : [])])];
}

function editorRow(model: Offered): Row {
  const room = vscode.l10n.t("{0} tokens", count(model.maxInputTokens, vscode.env.language));
  const wish = { provider: "editor", summaryModel: settingOf(model) };
  return row(label(model.name, LONGEST_NAME), `${label(vendorName(model.vendor), LONGEST_NAME)} · ${room}`, wish);
}

function anthropicRow(model: string, isKeyThere: boolean): Row {
  const name = label(anthropicName(model), LONGEST_NAME);
  const wish = { provider: "anthropic", summaryModel: model };
  return row(name, isKeyThere ? label(model, LONGEST_NAME) : vscode.l10n.t("needs an API key"), wish);
}

/** Marks the row of the current settings; a named model implies its provider if the settings leave that open. */
function row(name: string, description: string, wish: Wish): Row {
  const { provider, summaryModel } = wishNow();
  const isChosen = summaryModel === wish.summaryModel && [wish.provider, "auto"].includes(provider);
  return { label: isChosen ? `$(check) ${name}` : name, description, wish };
}

function separator(name: string): Row {
  return { label: name, kind: vscode.QuickPickItemKind.Separator };
}

async function typedWish(): Promise<Wish | undefined> {
  const typed = await vscode.window.showInputBox({
    title: vscode.l10n.t("Another Model of Anthropic's"),
    prompt: vscode.l10n.t("Its name, as Anthropic's API takes it."),
    placeHolder: ANTHROPIC_MODELS[0],
  });
  return typed?.trim() ? { provider: "anthropic", summaryModel: typed.trim() } : undefined;
}

/** Asks for a key where there is none. */
async function withKey(context: vscode.ExtensionContext): Promise<boolean> {
  if (!(await hasKey(context))) {
    await setApiKey(context);
  }
  return hasKey(context);
}
