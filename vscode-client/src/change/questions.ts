/** The questions behind the first list: style, strategy, focus, and how many of the newest messages stay. */

import * as vscode from "vscode";
import { usualOptions } from "../page/compact";
import type { Options } from "../wire";
import { type Aspect, type Named, strategiesOf, stylesOf } from "./aspects";
import { newest, USUAL, untouched, withNewest } from "./choices";

const { t } = vscode.l10n;

/** Asks for one aspect; gives the options with the answer, or undefined where Escape left it as it was. */
export async function askFor(aspect: Aspect, options: Options): Promise<Options | undefined> {
  switch (aspect) {
    case "style": {
      const style = await pickOne(t("Style of the summary"), stylesOf(vscode.l10n), options.style ?? USUAL.style);
      return style && { ...options, style };
    }
    case "strategy": {
      const strategy = await pickOne(
        t("What happens to the chat"),
        strategiesOf(vscode.l10n),
        options.strategy ?? USUAL.strategy,
      );
      return strategy && { ...options, strategy };
    }
    case "focus":
      return askFocus(options);
    case "newest":
      return askNewest(options);
    case "reset":
      return { ...untouched(options), ...usualOptions() };
    default:
      return undefined;
  }
}

async function pickOne<Value extends string>(
  title: string,
  all: readonly Named<Value>[],
  current: Value,
): Promise<Value | undefined> {
  const items = all.map((one) => ({ ...one, description: one.value === current ? t("as it is") : "" }));
  const chosen = await vscode.window.showQuickPick(items, { title, ignoreFocusOut: true, matchOnDetail: true });
  return chosen?.value;
}

async function askFocus(options: Options): Promise<Options | undefined> {
  const { instructions: before, ...rest } = options;
  const said = await vscode.window.showInputBox({
    title: t("What matters this time?"),
    prompt: t("A model that improves the summary reads this; the summary made without a model does not."),
    value: before ?? "",
    ignoreFocusOut: true,
  });
  const instructions = said?.trim();
  return instructions === undefined ? undefined : instructions ? { ...rest, instructions } : rest;
}

async function askNewest(options: Options): Promise<Options | undefined> {
  const said = await vscode.window.showInputBox({
    title: t("How many of the newest messages stay as they are?"),
    value: String(newest(options)),
    validateInput: (text) => (isCount(text) ? undefined : t("Enter a whole number, such as 4.")),
    ignoreFocusOut: true,
  });
  return said === undefined ? undefined : withNewest(options, Number(said));
}

function isCount(text: string): boolean {
  return /^\s*\d{1,6}\s*$/u.test(text);
}
