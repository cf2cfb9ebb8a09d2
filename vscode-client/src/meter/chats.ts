/** The chat in use in this window: the one that was written last, or the one that the user picked. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { ChatInUse, Chats, NamedChat, Server } from "../house";
import { chatsOf, chooseChat, chooseChatOrNewest, type Listed } from "./choosing";
import { type Fullness, recordedIn } from "./files";
import { Follower } from "./follower";
import { filesOf, isOnDisk, openFolders, ownFolderOf, pickedTarget, windowTarget } from "./targets";

const PICKED = "meter.picked";
const PATIENCE_MS = 3000;

export function createChats(context: vscode.ExtensionContext, server: Server): Chats {
  return new WindowChats(context, server);
}

/** What is kept of a picked chat. */
type Picked = { readonly uri: string; readonly tool: string; readonly title: string | null };

class WindowChats implements Chats {
  readonly ownFolder: vscode.Uri | undefined;
  readonly #moved = new vscode.EventEmitter<ChatInUse | undefined>();
  readonly onChanged = this.#moved.event;
  readonly #context: vscode.ExtensionContext;
  readonly #server: Server;
  readonly #follower: Follower;
  readonly #listeners: vscode.Disposable;
  readonly #begun: Promise<void>;
  #isOpen = true;
  /** By the chat's own record, while no server can measure it. */
  recorded: Fullness | undefined;

  constructor(context: vscode.ExtensionContext, server: Server) {
    this.#context = context;
    this.#server = server;
    this.ownFolder = ownFolderOf(context);
    this.#follower = new Follower(server, () => void this.#followed());
    this.#listeners = vscode.Disposable.from(
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#renew()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#renew()),
      vscode.workspace.onDidChangeConfiguration((changed) => {
        if (changed.affectsConfiguration("compactChat.meter.show")) {
          this.#renew();
        } else if (changed.affectsConfiguration("compactChat") && this.trouble) {
          this.lookAgain();
        }
      }),
    );
    // When the editor has nothing else to do just now.
    this.#begun = new Promise<void>((resolve) => setTimeout(resolve, 0)).then(() => this.#renew());
  }

  get inUse(): ChatInUse | undefined {
    return this.#follower.inUse;
  }

  get trouble(): Fault | undefined {
    return this.#follower.trouble;
  }

  get isPicked(): boolean {
    return isWanted() && this.#picked() !== undefined;
  }

  lookAgain(): void {
    void this.#follower.lookAgain();
  }

  /** Without a picked chat there is nothing to go back from; with a hidden meter, a pick would be invisible. */
  async pick(): Promise<void> {
    if (!isShown()) {
      throw new Fault("meterHidden", vscode.l10n.t("The meter is hidden. Show it first."));
    }
    const ask = this.#picked() ? chooseChatOrNewest : chooseChat;
    const chosen = await ask(this.#server, this.#listed(), vscode.l10n.t("Choose the chat to measure"));
    if (chosen === "newest") {
      await this.measureNewest();
    } else if (chosen) {
      await this.#follow(measurable(chosen));
    }
  }

  measureNewest(): Promise<void> {
    return this.#follow(undefined);
  }

  choose(title: string): Promise<NamedChat | undefined> {
    return chooseChat(this.#server, this.#listed(), title);
  }

  async wanted(): Promise<NamedChat | undefined> {
    if (this.trouble?.kind === "notSetUp") {
      await this.#server.setUp();
      this.lookAgain();
    }
    await this.#begun;
    const isKnown = await this.#looked();
    return this.inUse ?? (await this.#unmeasured(isKnown)) ?? this.choose(vscode.l10n.t("Choose a chat"));
  }

  dispose(): void {
    this.#isOpen = false;
    this.#listeners.dispose();
    this.#follower.dispose();
    this.#moved.dispose();
  }

  async #followed(): Promise<void> {
    const [newest] = this.trouble?.kind === "notSetUp" ? await filesOf(this.#context).newest() : [];
    this.recorded = newest && (await recordedIn(newest));
    this.#moved.fire(this.inUse);
  }

  /** Begin anew with what is to be measured now: nothing where the user does not want or trust it. */
  #renew(): void {
    if (this.#isOpen) {
      const picked = this.#picked();
      const target = picked
        ? pickedTarget(picked, () => void this.measureNewest())
        : windowTarget(this.#context, filesOf(this.#context));
      this.#follower.begin(isWanted() ? target : undefined);
    }
  }

  /** Look, and wait a moment for what comes of it; returns whether that came. */
  async #looked(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<false>((resolve) => {
      timer = setTimeout(resolve, PATIENCE_MS, false);
    });
    return Promise.race([this.#follower.look().then(() => true), late]).finally(() => clearTimeout(timer));
  }

  /** With a hidden meter nothing is followed, and nobody sees what was picked: a command is about the newest chat. */
  async #unmeasured(isKnown: boolean): Promise<NamedChat | undefined> {
    const picked = isWanted() ? this.#picked() : undefined;
    const isNone = isWanted() && isKnown;
    return picked ?? (isNone ? undefined : (await chatsOf(this.#server, this.#listed(), 1))[0]);
  }

  async #follow(chat: Picked | undefined): Promise<void> {
    await this.#context.workspaceState.update(PICKED, chat);
    this.#renew();
  }

  #picked(): NamedChat | undefined {
    const picked = this.#context.workspaceState.get<Picked>(PICKED);
    return picked && { ...picked, ref: { uri: picked.uri }, uri: vscode.Uri.parse(picked.uri) };
  }

  #listed(): Listed {
    return { folders: openFolders(), own: this.ownFolder };
  }
}

function isShown(): boolean {
  return vscode.workspace.getConfiguration("compactChat").get<boolean>("meter.show", true);
}

function isWanted(): boolean {
  return isShown() && vscode.workspace.isTrusted;
}

/** What is kept of a chat that the meter can follow: one in a file that the server can look at again. */
function measurable({ uri, tool, title }: NamedChat): Picked {
  if (uri === undefined || !isOnDisk(uri)) {
    throw new Fault("noFile", vscode.l10n.t("Only local chat files can be measured."));
  }
  return { uri: uri.toString(), tool, title };
}
