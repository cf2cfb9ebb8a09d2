/** What is asked before the tool sends a chat to a model. */

import * as vscode from "vscode";
import type { House, Improver } from "../house";
import { plannedName, standInName } from "../modelNames";
import type { ChatRef, Preview } from "../wire";
import { count, label, markdownLine } from "../words";

const LONGEST_NAME = 80;

/** The question, with figures where the chat can be looked at beforehand. */
export async function sendingQuestion(
  house: House,
  improver: Improver,
  chat: () => Promise<ChatRef>,
  token: vscode.CancellationToken,
): Promise<vscode.LanguageModelToolConfirmationMessages> {
  const preview = await previewOf(house, improver, chat, token).catch(() => undefined);
  const name = plannedName(improver, preview);
  const lines = [message({ ...improver, label: name }, preview), standInLine(improver, preview)];
  return {
    title: vscode.l10n.t("Let {0} summarize this chat?", label(name, LONGEST_NAME)),
    message: new vscode.MarkdownString(lines.filter(Boolean).join("\n\n")),
  };
}

function message(improver: Improver, preview: Preview | undefined): string {
  const receiver = [markdownLine(improver.label, LONGEST_NAME), markdownLine(improver.vendor, LONGEST_NAME)] as const;
  const request = preview?.request;
  if (!preview || !request) {
    return vscode.l10n.t(
      "The text of this chat goes to {0} ({1}), with secrets masked. That may cost money.",
      ...receiver,
    );
  }
  const figures = [
    count(request.inputTokens, vscode.env.language),
    ...receiver,
    request.calls,
    preview.redactions.total,
  ];
  return vscode.l10n.t(
    "About {0} tokens of this chat go to {1} ({2}), calls: {3}, masked secrets: {4}. That may cost money.",
    ...figures,
  );
}

function standInLine(improver: Improver, preview: Preview | undefined): string {
  const name = standInName(improver, preview);
  return name ? vscode.l10n.t("If that model fails, {0} is used instead.", markdownLine(name, LONGEST_NAME)) : "";
}

async function previewOf(
  house: House,
  improver: Improver,
  chatOf: () => Promise<ChatRef>,
  token: vscode.CancellationToken,
): Promise<Preview> {
  const chat = await chatOf();
  const { provider, options } = improver;
  return house.server.ask("preview", { chat, options, provider }, { token, quietly: true });
}
