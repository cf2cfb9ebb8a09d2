/** Says who would improve a summary: by the settings, a stored key, and the editor's models; and lets the user choose another. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { Improver, Models } from "../house";
import { anthropicName } from "../modelNames";
import { ANTHROPIC_MODELS, bestFirst, settingOf, vendorName, wishedOf } from "./choose";
import { hasKey, KEY_NAME } from "./keys";
import { pickModel } from "./pickModel";
import { wishNow } from "./wish";

/** The fallback if the model that the server chose fails; named here, so that the user knows beforehand. A model named in the settings has none. */
const [, STAND_IN] = ANTHROPIC_MODELS;

export function createModels(context: vscode.ExtensionContext): Models {
  const changes = new vscode.EventEmitter<void>();
  context.subscriptions.push(
    changes,
    vscode.lm.onDidChangeChatModels(() => changes.fire()),
    context.secrets.onDidChange(({ key }) => key === KEY_NAME && changes.fire()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (["compactChat.provider", "compactChat.summaryModel"].some((name) => change.affectsConfiguration(name))) {
        changes.fire();
      }
    }),
  );
  return {
    improver: () => improver(context),
    choose: () => pickModel(context, editorModels),
    onChanged: changes.event,
  };
}

/** Gives the editor's models, the one that the settings name first; what takes no text is none. */
export async function editorModels(): Promise<vscode.LanguageModelChat[]> {
  const models = await vscode.lm.selectChatModels();
  const usable = models.filter(({ maxInputTokens }) => maxInputTokens > 0);
  return bestFirst(usable, wishedOf(wishNow().summaryModel));
}

async function improver(context: vscode.ExtensionContext): Promise<Improver | undefined> {
  const { provider, summaryModel } = wishNow();
  const wished = wishedOf(summaryModel);
  if (provider === "offline") {
    return undefined;
  }
  if (summaryModel !== "" && provider === (wished === undefined ? "editor" : "anthropic")) {
    throw otherProvider(summaryModel, provider);
  }
  if (provider !== "editor" && wished === undefined && (await hasKey(context))) {
    return anthropicImprover(summaryModel);
  }
  return provider === "anthropic" ? undefined : editorImprover(summaryModel);
}

function anthropicImprover(wished: string): Improver {
  const options = wished ? { summaryModel: wished, fallbackModels: [] } : { fallbackModels: [STAND_IN] };
  return { provider: "anthropic", options, label: anthropicName(wished), vendor: "Anthropic" };
}

/** The wished model or none: another one may cost more, and was not asked for. */
async function editorImprover(summaryModel: string): Promise<Improver | undefined> {
  const models = await editorModels();
  const model = summaryModel === "" ? models[0] : models.find((one) => settingOf(one) === summaryModel);
  if (model !== undefined) {
    const options = { summaryModel: settingOf(model) };
    return { provider: "editor", options, label: model.name, vendor: vendorName(model.vendor) };
  }
  if (summaryModel !== "") {
    throw notThere(summaryModel);
  }
  return undefined;
}

function otherProvider(model: string, provider: string): Fault {
  const { t } = vscode.l10n;
  const sentence = t("The settings name {0} for summaries, but “compactChat.provider” is “{1}”.", model, provider);
  return new Fault("modelMissing", sentence);
}

function notThere(model: string): Fault {
  const { t } = vscode.l10n;
  const sentence =
    wishedOf(model) === undefined
      ? t("The settings name {0} for summaries, a model of Anthropic's, but no API key is set.", model)
      : t("The settings name {0} for summaries, but this editor does not offer that model.", model);
  return new Fault("modelMissing", sentence);
}
