/** Tells who would improve a summary: by the settings, a stored key, and the editor's models. */

import * as vscode from "vscode";
import type { Improver, Models } from "../house";
import { anthropicName } from "../modelNames";
import { bestFirst, settingOf, vendorName, wishedOf } from "./choose";
import { hasKey, KEY_NAME } from "./keys";

/** Is asked where another model of Anthropic's fails; named here, so that a person can be told before. */
const STAND_IN = "claude-sonnet-5-5";

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
  return { improver: () => improver(context), onChanged: changes.event };
}

/** Gives the editor's models, the one that the settings name first; what takes no text is none. */
export async function editorModels(): Promise<vscode.LanguageModelChat[]> {
  const models = await vscode.lm.selectChatModels();
  const usable = models.filter(({ maxInputTokens }) => maxInputTokens > 0);
  return bestFirst(usable, wishedOf(summaryModel()));
}

async function improver(context: vscode.ExtensionContext): Promise<Improver | undefined> {
  const provider = vscode.workspace.getConfiguration("compactChat").get<string>("provider", "auto");
  const wantsEditor = provider === "editor" || (provider === "auto" && wishedOf(summaryModel()) !== undefined);
  if (provider === "offline") {
    return undefined;
  }
  const anthropic = wantsEditor || !(await hasKey(context)) ? undefined : anthropicImprover();
  return anthropic ?? (provider === "anthropic" ? undefined : await editorImprover());
}

function anthropicImprover(): Improver {
  const wished = wishedOf(summaryModel()) === undefined ? summaryModel() : "";
  const options = { ...(wished && { summaryModel: wished }), fallbackModels: [STAND_IN] };
  return { provider: "anthropic", options, label: anthropicName(wished), vendor: "Anthropic" };
}

async function editorImprover(): Promise<Improver | undefined> {
  const [model] = await editorModels();
  return (
    model && {
      provider: "editor",
      options: { summaryModel: settingOf(model) },
      label: model.name,
      vendor: vendorName(model.vendor),
    }
  );
}

function summaryModel(): string {
  return vscode.workspace.getConfiguration("compactChat").get<string>("summaryModel", "").trim();
}
