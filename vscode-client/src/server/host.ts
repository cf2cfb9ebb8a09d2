/** Answers the server's questions to its host: which models there are, what one of them writes, and the stored key. */

import * as vscode from "vscode";
import { type LanguageClient, ResponseError } from "vscode-languageclient/node";
import { mayAsk, noteAnswer } from "./consent";
import { KEY_NAME } from "./keys";
import { type Reason, reasonOf } from "./lm-faults";
import { editorModels } from "./models";
import { type Assignment, write } from "./writing";

interface Question extends Assignment {
  readonly model?: string | null;
  readonly userInitiated?: boolean;
  readonly partialResultToken?: string | number;
}

const REFUSED = -32803;
const CANCELLED = -32800;
const SIGN_OF_LIFE_MS = 10_000;

/** Answers until it is disposed of, which also stops the models that write, since their text would be lost. */
export function answerQuestions(client: LanguageClient, context: vscode.ExtensionContext): vscode.Disposable {
  const ending = new vscode.CancellationTokenSource();
  return vscode.Disposable.from(
    new vscode.Disposable(() => ending.cancel()),
    client.onRequest("compactChat/languageModels", () => listModels(context)),
    client.onRequest("compactChat/languageModel", async (question: Question, token: vscode.CancellationToken) => {
      const either = firstOf(token, ending.token);
      return answered(client, context, question, either.token).finally(() => either.dispose());
    }),
    client.onRequest("compactChat/secret", async ({ name }: { name: string }) => ({
      value: name === KEY_NAME ? ((await context.secrets.get(KEY_NAME)) ?? null) : null,
    })),
  );
}

/** Gives a token that is cancelled as soon as one of these is. */
function firstOf(...tokens: vscode.CancellationToken[]): { readonly token: vscode.CancellationToken; dispose(): void } {
  const first = new vscode.CancellationTokenSource();
  const listening = tokens.map((token) => token.onCancellationRequested(() => first.cancel()));
  if (tokens.some((token) => token.isCancellationRequested)) {
    first.cancel();
  }
  return { token: first.token, dispose: () => vscode.Disposable.from(first, ...listening).dispose() };
}

async function listModels(context: vscode.ExtensionContext): Promise<unknown> {
  const told = (await editorModels()).map((model) => {
    const { id, name, maxInputTokens } = model;
    return { id, name, maxInputTokens, consent: mayAsk(context, model) };
  });
  return { models: told };
}

async function answered(
  client: LanguageClient,
  context: vscode.ExtensionContext,
  question: Question,
  token: vscode.CancellationToken,
): Promise<unknown> {
  const model = await chosen(question);
  if (!question.userInitiated && !mayAsk(context, model)) {
    throw refusal("noConsent");
  }
  const tell = teller(client, question.partialResultToken);
  const alive = setInterval(() => tell(""), SIGN_OF_LIFE_MS);
  try {
    const { text, usage } = await write(model, question, tell, token);
    await noteAnswer(context, model);
    const content = { type: "text", text };
    return { role: "assistant", content, model: model.id, stopReason: "unknown", ...(usage && { usage }) };
  } catch (problem) {
    throw refusalOf(problem, token);
  } finally {
    clearInterval(alive);
  }
}

async function chosen(question: Question): Promise<vscode.LanguageModelChat> {
  const models = await editorModels();
  const wanted = question.model ? models.find(({ id }) => id === question.model) : models[0];
  if (wanted === undefined) {
    throw refusal(models.length === 0 ? "noModel" : "notFound");
  }
  return wanted;
}

/** Passes on pieces of text; an empty one says that the model, or a person asked for consent, is still there. */
function teller(client: LanguageClient, token: string | number | undefined): (text: string) => void {
  return (text) => {
    if (token !== undefined) {
      client.sendNotification("$/progress", { token, value: { kind: "text", text } }).catch(() => undefined);
    }
  };
}

function refusalOf(problem: unknown, token: vscode.CancellationToken): ResponseError<unknown> {
  if (token.isCancellationRequested || problem instanceof vscode.CancellationError) {
    return new ResponseError(CANCELLED, "The request was cancelled.");
  }
  return refusal(reasonOf(problem));
}

function refusal(reason: Reason): ResponseError<unknown> {
  return new ResponseError(REFUSED, `The editor's model was not asked, or did not answer: ${reason}.`, { reason });
}
