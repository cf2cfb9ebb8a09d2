/** Where the extension starts: it makes the house, shows what is always there, and offers the commands. */

import * as vscode from "vscode";
import { provideTool } from "./agent/tool";
import { changeCommands } from "./change/commands";
import type { Commands, House } from "./house";
import { createChats } from "./meter/chats";
import { meterCommands } from "./meter/commands";
import { notify } from "./meter/notify";
import { showMeter } from "./meter/status";
import { showChats } from "./meter/tree";
import { onwardCommands } from "./onward/commands";
import { pageCommands } from "./page/commands";
import { createPages } from "./page/pages";
import { complain } from "./say";
import { serverCommands } from "./server/commands";
import { createModels } from "./server/models";
import { createServer } from "./server/server";

export function activate(context: vscode.ExtensionContext): void {
  const house = build(context);
  context.subscriptions.push(showMeter(house), showChats(house), notify(house), provideTool(house));
  for (const commands of [serverCommands, meterCommands, pageCommands, changeCommands, onwardCommands]) {
    context.subscriptions.push(...offered(commands(house), house));
  }
}

function build(context: vscode.ExtensionContext): House {
  const log = vscode.window.createOutputChannel("Compact Chat", { log: true });
  const models = createModels(context);
  const server = createServer(context, log);
  const chats = createChats(context, server);
  const pages = createPages(context, server, models);
  context.subscriptions.push(chats, pages, server, log); // what asks the server goes before it
  return { context, log, server, models, chats, pages };
}

function offered(commands: Commands, house: House): vscode.Disposable[] {
  return Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(`compactChat.ui.${name}`, (...given: never[]) =>
      settled(() => run(...given), house, pageOf(given[0])),
    ),
  );
}

/** Gives the address of the page that a command is about: the one it was given, else the one in front. */
function pageOf(given: unknown): vscode.Uri | string | undefined {
  const isGiven = given instanceof vscode.Uri || typeof given === "string";
  const address = isGiven ? given : vscode.window.activeTextEditor?.document.uri;
  return String(address).startsWith("compact-chat:") ? address : undefined;
}

/** Runs a command; a fault becomes one sentence with a button, since a command that rejects pops a modal error. */
async function settled(run: () => unknown, house: House, about: vscode.Uri | string | undefined): Promise<unknown> {
  try {
    return await run();
  } catch (problem) {
    await complain(house, problem, about);
    return undefined;
  }
}
