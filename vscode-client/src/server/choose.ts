/** Chooses among the models that the editor offers, and gives models names for people. */

/** As much of a language model of the editor's as a choice needs. */
export interface Offered {
  readonly id: string;
  readonly name: string;
  readonly vendor: string;
  readonly maxInputTokens: number;
}

/** Anthropic's models that the user can choose without typing: the server's default, and its fallback. */
export const ANTHROPIC_MODELS = ["claude-haiku-5-5", "claude-sonnet-5-5"] as const;

const PREFIX = "editor:";
const VENDORS: Readonly<Record<string, string>> = {
  copilot: "GitHub Copilot",
  anthropic: "Anthropic",
  openai: "OpenAI",
};

/** Gives the id of the editor's model that a setting names; undefined where it names none. */
export function wishedOf(summaryModel: string): string | undefined {
  return summaryModel.startsWith(PREFIX) ? summaryModel.slice(PREFIX.length) : undefined;
}

/** Gives the setting that names a model of the editor's. */
export function settingOf(model: Offered): string {
  return `${PREFIX}${model.id}`;
}

/** Puts the wished model first, then those that take the most. */
export function bestFirst<Model extends Offered>(models: readonly Model[], wished: string | undefined): Model[] {
  return [...models].sort(
    (one, other) =>
      Number(other.id === wished) - Number(one.id === wished) || other.maxInputTokens - one.maxInputTokens,
  );
}

/** Names a vendor as people know it. */
export function vendorName(vendor: string): string {
  return VENDORS[vendor.toLowerCase()] ?? `${vendor.charAt(0).toUpperCase()}${vendor.slice(1)}`;
}
