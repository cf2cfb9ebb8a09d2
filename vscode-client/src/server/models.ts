/** The model that rewrites summaries: from settings, a stored key and the editor's models; and the user's choice of it. */

import * as vscode from "vscode";
import { modelName } from "../../page/words";
import { Fault } from "../faults";
import { inTime } from "../patience";
import type { Options } from "../wire";
import { count, label, separator, t } from "../words";

export const KEY_NAME = "anthropicApiKey";
/** The server's default of Anthropic's models, and its fallback; both can be chosen without typing. */
const ANTHROPIC_MODELS = ["claude-haiku-5-5", "claude-sonnet-5-5"] as const;
const FALLBACK = ANTHROPIC_MODELS[1];
const EDITOR = "editor:";
const LONGEST_NAME = 80;
/** A provider of models may never answer. */
const MODELS_MS = 10_000;
const VENDORS: Readonly<Record<string, string>> = {
  copilot: "GitHub Copilot",
  anthropic: "Anthropic",
  openai: "OpenAI",
};

interface Choice {
  readonly provider: string;
  readonly summaryModel: string;
}

export interface Improver {
  readonly provider: "anthropic" | "editor";
  /** The provider's model and its fallback; without a model the server chooses one. */
  readonly options: Pick<Options, "summaryModel" | "fallbackModels">;
  readonly label: string;
  readonly vendor: string;
}

export type Models = ReturnType<typeof createModels>;

export function createModels(context: vscode.ExtensionContext) {
  const changed = new vscode.EventEmitter<void>();
  context.subscriptions.push(
    changed,
    vscode.lm.onDidChangeChatModels(() => changed.fire()),
    context.secrets.onDidChange(({ key }) => key === KEY_NAME && changed.fire()),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (["compactChat.provider", "compactChat.summaryModel"].some((name) => change.affectsConfiguration(name))) {
        changed.fire();
      }
    }),
  );
  return {
    improver: () => improver(context),
    choose: () => chooseModel(context),
    /** The names of the editor's models, by their ids. */
    names: async () => Object.fromEntries((await editorModels().catch(() => [])).map(({ id, name }) => [id, name])),
    /** Fires when another model may be the first choice. */
    onChanged: changed.event,
  };
}

/** List the editor's models: the one that the settings name first, then those with the largest context window. */
export async function editorModels(): Promise<vscode.LanguageModelChat[]> {
  const { summaryModel } = chosen();
  const models = await inTime(vscode.lm.selectChatModels(), MODELS_MS).catch(() => {
    throw new Fault("modelsLate", t("The editor's models do not answer. Try again, or set an API key."));
  });
  const isNamed = (model: vscode.LanguageModelChat) => Number(settingOf(model) === summaryModel);
  return models
    .filter(({ maxInputTokens }) => maxInputTokens > 0)
    .sort((one, other) => isNamed(other) - isNamed(one) || other.maxInputTokens - one.maxInputTokens);
}

/** Return whether a key is stored, or in the environment that the server gets. */
export async function hasKey({ secrets }: vscode.ExtensionContext): Promise<boolean> {
  const inEnvironment = process.env.ANTHROPIC_API_KEY || process.env.ANTHROPIC_AUTH_TOKEN;
  return Boolean(inEnvironment) || Boolean(await secrets.get(KEY_NAME));
}

export async function setApiKey({ secrets }: vscode.ExtensionContext): Promise<void> {
  const key = await vscode.window.showInputBox({
    title: t("Anthropic API Key"),
    prompt: t("Kept in the editor's secret storage and used only when you rewrite a summary."),
    password: true,
    ignoreFocusOut: true,
    validateInput: objection,
  });
  if (key?.trim()) {
    await secrets.store(KEY_NAME, key.trim());
    void vscode.window.showInformationMessage(t("The API key is saved in the editor's secret storage."));
  }
}

function objection(text: string): vscode.InputBoxValidationMessage | undefined {
  const { Error: error, Warning: warning } = vscode.InputBoxValidationSeverity;
  const key = text.trim();
  if (!/^[\x21-\x7e]*$/.test(key)) {
    return { message: t("This contains characters that a key cannot have. Copy it again."), severity: error };
  }
  const unusual = t("Anthropic keys start with sk-ant-. Press Enter to use this one anyway.");
  return key === "" || /^sk-ant-.{16}/.test(key) ? undefined : { message: unusual, severity: warning };
}

/** Return the first choice, if any. Rejects if the settings name a model that is missing: another one may cost more. */
async function improver(context: vscode.ExtensionContext): Promise<Improver | undefined> {
  const { provider, summaryModel } = chosen();
  const isEditors = summaryModel.startsWith(EDITOR);
  if (provider === "offline") {
    return undefined;
  }
  if (provider !== "editor" && !isEditors && (await hasKey(context))) {
    const options = summaryModel ? { summaryModel, fallbackModels: [] } : { fallbackModels: [FALLBACK] };
    return { provider: "anthropic", options, label: modelName(summaryModel), vendor: "Anthropic" };
  }
  if (summaryModel !== "" && provider !== "editor" && !isEditors) {
    throw new Fault("noModel", t("The settings name Anthropic's model {0}, but no API key is set.", summaryModel));
  }
  const [model] = provider === "anthropic" ? [] : await editorModels();
  if (summaryModel !== "" && (!model || settingOf(model) !== summaryModel)) {
    const sentence = t(
      'The model {0} of the settings is not available (compactChat.provider is "{1}").',
      summaryModel,
      provider,
    );
    throw new Fault("modelMissing", sentence);
  }
  return (
    model && {
      provider: "editor",
      options: { summaryModel: settingOf(model) },
      label: model.name,
      vendor: vendorName(model.vendor),
    }
  );
}

interface Row extends vscode.QuickPickItem {
  readonly choose?: () => Promise<Choice | undefined>;
}

/** Let the user choose the model, and write that to the settings; returns whether a choice was made. */
async function chooseModel(context: vscode.ExtensionContext): Promise<boolean> {
  const options = {
    title: t("Choose Model for Summaries"),
    placeHolder: t("The model that rewrites a summary when you ask for it"),
    matchOnDescription: true,
  };
  const picked = await vscode.window.showQuickPick(rows(context), options);
  const choice = await picked?.choose?.();
  const isReady = async () => choice?.provider !== "anthropic" || (await hasKey(context));
  if (!(await isReady())) {
    await setApiKey(context);
  }
  if (choice === undefined || !(await isReady())) {
    return false;
  }
  await writeChoice(choice);
  return true;
}

async function rows(context: vscode.ExtensionContext): Promise<readonly Row[]> {
  const [models, isKeyThere] = [await editorModels(), await hasKey(context)];
  const own = models.filter(({ id }, index) => models.findIndex((other) => other.id === id) === index);
  const { summaryModel } = chosen();
  const named = summaryModel && !summaryModel.startsWith(EDITOR) ? [summaryModel] : [];
  const anthropics = [...new Set([...ANTHROPIC_MODELS, ...named])];
  const price = (text: string) => (isKeyThere ? text : t("needs an API key"));
  const automatic = t("Anthropic if an API key is set; otherwise the editor's model with the largest context window");
  return [
    row(t("Automatic"), automatic, { provider: "auto", summaryModel: "" }),
    ...(own.length === 0 ? [] : [separator(t("Models of This Editor"))]),
    ...own.map((model) => {
      const room = t("{0} tokens", count(model.maxInputTokens));
      const about = `${label(vendorName(model.vendor), LONGEST_NAME)} · ${room}`;
      return row(label(model.name, LONGEST_NAME), about, { provider: "editor", summaryModel: settingOf(model) });
    }),
    separator("Anthropic"),
    ...anthropics.map((model) => {
      const choice = { provider: "anthropic", summaryModel: model };
      return row(label(modelName(model), LONGEST_NAME), price(label(model, LONGEST_NAME)), choice);
    }),
    { label: t("Another Anthropic Model…"), description: price(""), choose: typedModel },
  ];
}

/** Check the row of the current settings; a named model implies its provider if the settings leave that open. */
function row(name: string, description: string, choice: Choice): Row {
  const { provider, summaryModel } = chosen();
  const isCurrent = summaryModel === choice.summaryModel && [choice.provider, "auto"].includes(provider);
  return { label: isCurrent ? `$(check) ${name}` : name, description, choose: async () => choice };
}

async function typedModel(): Promise<Choice | undefined> {
  const prompt = t("The model's name in Anthropic's API.");
  const title = t("Another Anthropic Model");
  const typed = await vscode.window.showInputBox({ title, prompt, placeHolder: ANTHROPIC_MODELS[0] });
  return typed?.trim() ? { provider: "anthropic", summaryModel: typed.trim() } : undefined;
}

function chosen(): Choice {
  const settings = vscode.workspace.getConfiguration("compactChat");
  const summaryModel = settings.get<string>("summaryModel", "").trim();
  return { provider: settings.get<string>("provider", "auto"), summaryModel };
}

/** Write both to one scope, since they only make sense together: the workspace's if one is set there. */
async function writeChoice(choice: Choice): Promise<void> {
  const settings = vscode.workspace.getConfiguration("compactChat");
  const { Workspace, Global } = vscode.ConfigurationTarget;
  const isOfWorkspace = Object.keys(choice).some((name) => settings.inspect(name)?.workspaceValue !== undefined);
  for (const [name, value] of Object.entries(choice)) {
    await settings.update(name, value, isOfWorkspace ? Workspace : Global);
  }
}

function settingOf({ id }: { readonly id: string }): string {
  return `${EDITOR}${id}`;
}

function vendorName(vendor: string): string {
  return VENDORS[vendor.toLowerCase()] ?? `${vendor.charAt(0).toUpperCase()}${vendor.slice(1)}`;
}
