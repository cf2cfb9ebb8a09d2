/** Answers the server's request for its settings, and notifies it of changes. */

import * as vscode from "vscode";
import type { BaseLanguageClient, ClientCapabilities, FeatureState, StaticFeature } from "vscode-languageclient/node";
import { serverSettings } from "./settings";

const SECTION = "compactChat";

/** The only feature of the language client that is used: there are no documents to follow, and no commands to take over. */
export class Configuration implements StaticFeature {
  private changes: vscode.Disposable | undefined;

  constructor(private readonly client: BaseLanguageClient) {}

  fillClientCapabilities(capabilities: ClientCapabilities): void {
    capabilities.workspace = { ...capabilities.workspace, configuration: true };
  }

  initialize(): void {
    this.client.onRequest("workspace/configuration", ({ items }: { items: { section?: string }[] }) =>
      items.map(({ section }) => (section === SECTION ? settings() : null)),
    );
    this.changes = vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration(SECTION)) {
        void this.client.sendNotification("workspace/didChangeConfiguration", { settings: { [SECTION]: settings() } });
      }
    });
  }

  getState(): FeatureState {
    return { kind: "static" };
  }

  clear(): void {
    this.changes?.dispose();
  }
}

function settings(): Record<string, unknown> {
  const section = vscode.workspace.getConfiguration(SECTION);
  return serverSettings((name) => section.get(name));
}
