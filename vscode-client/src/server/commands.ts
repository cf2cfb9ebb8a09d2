/** The commands around the server: model, key, set-up, restart, log. */

import * as vscode from "vscode";
import type { Commands, House } from "../house";
import { hasKey, KEY_NAME } from "./keys";
import { setApiKey } from "./typedKey";

export function serverCommands(house: House): Commands {
  return {
    chooseModel: () => chooseModel(house),
    setApiKey: () => setApiKey(house.context),
    removeApiKey: () => removeApiKey(house),
    setUp: (choosing?: boolean) => setUp(house, choosing === true),
    restart: () => restart(house),
    showLog: () => house.log.show(),
  };
}

async function chooseModel({ models }: House): Promise<void> {
  const improver = (await models.choose()) ? await models.improver() : undefined;
  if (improver !== undefined) {
    const said = vscode.l10n.t("From now on {0} improves summaries when you ask for that.", improver.label);
    void vscode.window.showInformationMessage(said);
  }
}

async function removeApiKey({ context }: House): Promise<void> {
  const wasThere = (await context.secrets.get(KEY_NAME)) !== undefined;
  await context.secrets.delete(KEY_NAME);
  const left = wasThere ? vscode.l10n.t("The key is removed.") : vscode.l10n.t("There was no key.");
  const said = (await hasKey(context))
    ? vscode.l10n.t("No key is stored here any more, but the environment that the editor was started in holds one.")
    : left;
  void vscode.window.showInformationMessage(said);
}

/** Starts it too, so that what is said of it is true. */
async function setUp(house: House, choosing: boolean): Promise<void> {
  const { server } = house;
  const wasThere = !choosing && (await server.isAtHand());
  await server.setUp(choosing);
  if (server.state !== "running") {
    await restart(house);
  }
  if (wasThere) {
    void offerAnother();
  } else {
    void vscode.window.showInformationMessage(vscode.l10n.t("The server of Compact Chat is set up."));
  }
}

async function offerAnother(): Promise<void> {
  const other = vscode.l10n.t("Choose Python…");
  const said = vscode.l10n.t("The server of Compact Chat is set up already, and runs.");
  if ((await vscode.window.showInformationMessage(said, other)) === other) {
    await vscode.commands.executeCommand("compactChat.ui.setUp", true);
  }
}

async function restart({ server }: House): Promise<void> {
  const title = vscode.l10n.t("Starting the server of Compact Chat");
  await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () => server.restart());
}
