// Registers one chat model with the editor, which follows the user's text and the files of its folder.
"use strict";

const vscode = require("vscode");
const { openFolder } = require("./folder");
const { plan } = require("./script");
const { counterFrom } = require("./tokens");
const { written } = require("./written");

const INFORMATION = {
  id: "scripted-1",
  name: "Scripted One",
  family: "scripted",
  version: "1",
  maxInputTokens: Number(process.env.SCRIPTED_WINDOW ?? 100_000),
  maxOutputTokens: 8_000,
  isUserSelectable: true,
  isDefault: true,
  capabilities: { toolCalling: true },
  // Other extensions must then be allowed by the user, as for Copilot's own models.
  ...(process.env.SCRIPTED_CONSENT ? { requiresAuthorization: { label: "Scripted" } } : {}),
};
const PER_MESSAGE = 4; // tokens around each message
const FREE = 15; // words that an answer gives before it can be held: less is not shown

const count = counterFrom(process.env.SCRIPTED_VOCABULARY);

exports.activate = (context) => {
  const folder = openFolder(process.env.SCRIPTED_FOLDER);
  const answer = (model, messages, options, progress, token) =>
    respond(folder, { model: model.id, messages, options }, progress, token);
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider("scripted", {
      provideLanguageModelChatInformation: () => [INFORMATION],
      provideLanguageModelChatResponse: answer,
      provideTokenCount: (_model, text) => count(typeof text === "string" ? text : JSON.stringify(text.content)),
    }),
  );
};

async function respond(folder, asked, progress, token) {
  const request = written(asked);
  const name = folder.asked(request);
  const told = { text: "", calls: [] };
  try {
    const outcome = await tell(folder, plan(asked), told, progress, token);
    progress.report(usage(request, told));
    folder.answered(name, outcome, told);
  } catch (error) {
    folder.answered(name, "refused", told);
    throw error;
  }
}

/** Gives the planned answer piece by piece; tells how it ended. */
async function tell(folder, { pieces, calls, failure, isUtility }, told, progress, token) {
  const refusal = isUtility ? undefined : folder.refusal();
  if (refusal !== undefined) throw refused(refusal);
  for (const [index, piece] of pieces.entries()) {
    if (!isUtility && index >= Math.min(FREE, pieces.length - 1)) await folder.released(index, token);
    if (token.isCancellationRequested) return "cancelled";
    told.text += piece;
    progress.report(new vscode.LanguageModelTextPart(piece));
  }
  if (failure !== undefined) throw new Error(failure);
  for (const call of calls) {
    told.calls.push(call);
    progress.report(new vscode.LanguageModelToolCallPart(call.id, call.name, call.input));
  }
  return token.isCancellationRequested ? "cancelled" : "ended";
}

/** The error that the editor knows by its code, such as NoPermissions, Blocked or NotFound. */
function refused(reason) {
  const known = vscode.LanguageModelError[reason];
  return known ? known.call(vscode.LanguageModelError, `The model refuses: ${reason}.`) : new Error(reason);
}

/** What VS Code's own ring shows comes from this part alone. */
function usage({ messages, tools }, told) {
  const parts = messages.flatMap((message) => message.content);
  const prompt = sum(parts.map(size)) + PER_MESSAGE * messages.length + sum(tools.map((tool) => count(JSON.stringify(tool))));
  const completion = count(told.text) + sum(told.calls.map((call) => size({ kind: "call", ...call })));
  const sizes = { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion };
  return vscode.LanguageModelDataPart.json(sizes, "usage");
}

function size(part) {
  if (part.kind === "result") return sum(part.content.map(size));
  if (part.kind === "call") return count(part.name + JSON.stringify(part.input));
  return part.kind === "text" ? count(part.text) : 0;
}

function sum(numbers) {
  return numbers.reduce((total, one) => total + one, 0);
}
