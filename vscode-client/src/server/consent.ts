/** Which of the editor's models may be asked without asking the user: those that answered us before, and still may be. */

import type { ExtensionContext, LanguageModelChat } from "vscode";

const ANSWERED = "modelsThatAnswered";

/** The editor's own word is not enough: some versions say yes to every model that was never asked. */
export function mayAsk(context: ExtensionContext, model: LanguageModelChat): boolean {
  const isAllowed = context.languageModelAccessInformation.canSendRequest(model) === true;
  return isAllowed && answered(context).includes(nameOf(model));
}

/** Notes that a model answered, which it does only where the user allowed it. */
export async function noteAnswer(context: ExtensionContext, model: LanguageModelChat): Promise<void> {
  const before = answered(context);
  if (!before.includes(nameOf(model))) {
    await context.globalState.update(ANSWERED, [...before, nameOf(model)]);
  }
}

function answered(context: ExtensionContext): readonly string[] {
  return context.globalState.get<string[]>(ANSWERED, []);
}

function nameOf({ vendor, id }: LanguageModelChat): string {
  return `${vendor}/${id}`;
}
