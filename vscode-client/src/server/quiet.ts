/** The language client as it is used here: with one feature, and without a word of its own to the user. */

import type { LogOutputChannel } from "vscode";
import {
  CloseAction,
  type DynamicFeature,
  ErrorAction,
  LanguageClient,
  type LanguageClientOptions,
  RevealOutputChannelOn,
  type StaticFeature,
} from "vscode-languageclient/node";
import { Configuration } from "./configuration";
import type { Program } from "./program";

/** Gives a client that starts a program in a folder. Its id is not that of our settings, under which it would look for more. */
export function quietClient(
  { command, args }: Program,
  cwd: string,
  log: LogOutputChannel,
  trace: LogOutputChannel,
): LanguageClient {
  const server = { command, args: [...args], options: { cwd } };
  const client = new QuietClient("compact-chat", "Compact Chat", server, optionsWith(log, trace));
  client.registerFeature(new Configuration(client));
  return client;
}

class QuietClient extends LanguageClient {
  /** Leaves out what is for documents, and what would register the server's commands as the editor's. */
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    if (feature instanceof Configuration) {
      super.registerFeature(feature);
    }
  }

  /** Logs it: the caller gets one sentence about what went wrong. */
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

function optionsWith(outputChannel: LogOutputChannel, traceOutputChannel: LogOutputChannel): LanguageClientOptions {
  return {
    documentSelector: [],
    outputChannel,
    traceOutputChannel,
    revealOutputChannelOn: RevealOutputChannelOn.Never,
    initializationOptions: { compactChat: { languageModels: true, secrets: true } },
    initializationFailedHandler: () => false,
    errorHandler: {
      error: () => ({ action: ErrorAction.Continue, handled: true }),
      closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
    },
  };
}
