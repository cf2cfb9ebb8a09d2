/** The entry point: builds the parts and registers the commands. */

import * as vscode from "vscode";
import { provideTool } from "./agent/tool";
import type { Commands, House } from "./house";
import { Chats } from "./meter/chats";
import { notify } from "./meter/notify";
import { meterCommands, showMeter } from "./meter/status";
import { ChatTree } from "./meter/tree";
import { historyCommands } from "./onward/history";
import { provideTexts, reviewCommands } from "./onward/texts";
import { complain } from "./remedies";
import { actionCommands, compactCommands } from "./screen/actions";
import { Drafts } from "./screen/drafts";
import { Screens } from "./screen/screens";
import { serverCommands } from "./server/commands";
import { createModels } from "./server/models";
import { Server } from "./server/server";

const COMMANDS = [serverCommands, meterCommands, compactCommands, actionCommands, historyCommands, reviewCommands];

export function activate(context: vscode.ExtensionContext): void {
  const house = build(context);
  context.subscriptions.push(
    showMeter(house),
    new ChatTree(house),
    notify(house),
    provideTool(house),
    provideTexts(house),
  );
  for (const commands of COMMANDS) {
    context.subscriptions.push(...offered(commands(house), house));
  }
}

function build(context: vscode.ExtensionContext): House {
  const log = vscode.window.createOutputChannel("Compact Chat", { log: true });
  const models = createModels(context);
  const server = new Server(context, log);
  const chats = new Chats(context, server);
  const drafts = new Drafts(server);
  const others = { context, log, server, models, chats, drafts };
  const screens = new Screens(others);
  context.subscriptions.push(chats, screens, drafts, server, log); // disposed in this order: the server after its users
  return { ...others, screens };
}

function offered(commands: Commands, house: House): vscode.Disposable[] {
  return Object.entries(commands).map(([name, run]) =>
    vscode.commands.registerCommand(`compactChat.ui.${name}`, (...given: never[]) =>
      settled(() => run(...given), house, given[0]),
    ),
  );
}

/** Runs a command; a fault becomes one sentence with a button, since a command that rejects pops a modal error. */
async function settled(run: () => unknown, house: House, given: unknown): Promise<unknown> {
  try {
    return await run();
  } catch (problem) {
    const about = given instanceof vscode.Uri || typeof given === "string" ? given : house.screens.inFront;
    complain(house, problem, about);
    return undefined;
  }
}
