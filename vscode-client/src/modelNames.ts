/** How models are named to people. */

import type { Improver } from "./house";
import type { Preview } from "./wire";

/** Names a model of Anthropic's: `claude-haiku-5-5` is Claude Haiku 5.5; the empty name is the one that the server chooses. */
export function anthropicName(model: string): string {
  if (model === "") {
    return "Claude";
  }
  const [, family, version] = /^claude-([a-z]+)((?:-\d{1,2})*)(?:-\d{8})?$/.exec(model) ?? [];
  if (family === undefined) {
    return model;
  }
  const number = (version ?? "").slice(1).replace(/-/g, ".");
  return `Claude ${family.charAt(0).toUpperCase()}${family.slice(1)}${number && ` ${number}`}`;
}

/** Names the model that a plan is for, also where the server chose it. */
export function plannedName({ provider, label }: Improver, plan: Preview | undefined): string {
  const model = plan?.request?.model;
  return provider === "anthropic" && model ? anthropicName(model) : label;
}

/** Names the model that is asked where the planned one fails; undefined where none is. */
export function standInName({ options }: Improver, plan: Preview | undefined): string | undefined {
  const first = plan?.request?.model ?? options.summaryModel;
  const other = options.fallbackModels?.find((model) => model !== first);
  return other === undefined ? undefined : anthropicName(other);
}
