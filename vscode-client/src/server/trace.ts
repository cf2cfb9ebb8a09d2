/** The log of which messages pass between editor and server, where the setting asks for it; never what they say. */

import * as vscode from "vscode";

/** Gives a channel that writes the trace at the level of all else, since a level for traces would be asked for twice. */
export function traceInto(log: vscode.LogOutputChannel): vscode.LogOutputChannel & vscode.Disposable {
  const levels = new vscode.EventEmitter<vscode.LogLevel>();
  const level = () => (isTraced() ? vscode.LogLevel.Trace : log.logLevel);
  const listening = [
    log.onDidChangeLogLevel(() => levels.fire(level())),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("compactChat.trace.server")) {
        levels.fire(level());
      }
    }),
  ];
  return Object.create(log, {
    logLevel: { get: level },
    onDidChangeLogLevel: { value: levels.event },
    trace: { value: (message: string) => (isTraced() ? log.info(headOf(message)) : log.trace(headOf(message))) },
    dispose: { value: () => vscode.Disposable.from(levels, ...listening).dispose() },
  });
}

/** A message's content is below its first line, or is all of it in JSON: whoever requests it, keys and chats stay out. */
function headOf(message: string): string {
  return message.startsWith("{") ? "" : message.replace(/\n.*/s, "");
}

function isTraced(): boolean {
  return vscode.workspace.getConfiguration("compactChat").get("trace.server") === "messages";
}
