/** The chat in use in this window: the one that was written last, or the one that the user picked. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { ChatInUse, Chats, NamedChat, Server } from "../house";
import { chatsOf, chooseChat, chooseChatOrNewest, type Listed } from "./choosing";
import { Followers } from "./followers";
import { isOnDisk, openFolders, ownFolderOf, pickedTarget, type Watchable, windowTargets } from "./targets";

const PICKED = "meter.picked";

export function createChats(context: vscode.ExtensionContext, server: Server): Chats {
  return new WindowChats(context, server);
}

/** What is kept of a picked chat. */
type Picked = { readonly uri: string; readonly tool: string; readonly title: string | null };

class WindowChats implements Chats {
  readonly ownFolder: vscode.Uri | undefined;
  private readonly moved = new vscode.EventEmitter<ChatInUse | undefined>();
  readonly onChanged = this.moved.event;
  private readonly followers: Followers;
  private readonly heard: vscode.Disposable;
  private readonly begun: Promise<void>;
  private isOpen = true;

  constructor(
    private readonly context: vscode.ExtensionContext,
    private readonly server: Server,
  ) {
    this.ownFolder = ownFolderOf(context);
    this.followers = new Followers(server, () => this.moved.fire(this.inUse));
    this.heard = vscode.Disposable.from(
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.renew()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.renew()),
      vscode.workspace.onDidChangeConfiguration((changed) => this.configured(changed)),
    );
    this.begun = afterwards(() => this.renew());
  }

  get inUse(): ChatInUse | undefined {
    return this.followers.inUse;
  }

  get trouble(): Fault | undefined {
    return this.followers.trouble;
  }

  get isPicked(): boolean {
    return this.isWanted() && this.picked() !== undefined;
  }

  lookAgain(): void {
    this.followers.lookAgain();
  }

  /** Without a picked chat there is nothing to go back from; with a hidden meter, a pick would be invisible. */
  async pick(): Promise<void> {
    if (!isShown()) {
      throw new Fault("meterHidden", vscode.l10n.t("The meter is hidden and measures no chat: show it first."));
    }
    const ask = this.picked() ? chooseChatOrNewest : chooseChat;
    const chosen = await ask(this.server, this.listed(), vscode.l10n.t("Choose the chat to measure"));
    if (chosen === "newest") await this.measureNewest();
    else if (chosen) await this.follow(measurable(chosen));
  }

  measureNewest(): Promise<void> {
    return this.follow(undefined);
  }

  choose(title: string): Promise<NamedChat | undefined> {
    return chooseChat(this.server, this.listed(), title);
  }

  async wanted(): Promise<NamedChat | undefined> {
    if (this.trouble?.kind === "notSetUp") await this.setUp();
    await this.begun;
    if (this.server.state !== "running") await this.server.isAtHand(); // it may be updated, which takes its time
    const isKnown = await this.followers.looked();
    return this.inUse ?? (await this.unmeasured(isKnown)) ?? this.choose(vscode.l10n.t("Choose a chat"));
  }

  dispose(): void {
    this.isOpen = false;
    this.heard.dispose();
    this.followers.dispose();
    this.moved.dispose();
  }

  /** Begins anew with what is to be measured now: nothing where the user does not want or trust it. */
  private renew(): void {
    if (this.isOpen) this.followers.begin(this.isWanted() ? this.targets() : []);
  }

  private isWanted(): boolean {
    return isShown() && vscode.workspace.isTrusted;
  }

  /** Where the user hides the meter nothing is followed, and nobody sees what was picked: a command is about the newest chat. So it is where a busy machine has not told yet which chat is in use. */
  private async unmeasured(isKnown: boolean): Promise<NamedChat | undefined> {
    const picked = this.isWanted() ? this.picked() : undefined;
    const isNone = this.isWanted() && isKnown;
    return picked ?? (isNone ? undefined : (await chatsOf(this.server, this.listed(), 1))[0]);
  }

  private targets(): readonly Watchable[] {
    const picked = this.picked();
    return picked ? [pickedTarget(picked, () => void this.measureNewest())] : windowTargets(this.context);
  }

  private async follow(chat: Picked | undefined): Promise<void> {
    await this.context.workspaceState.update(PICKED, chat);
    this.renew();
  }

  private picked(): NamedChat | undefined {
    const picked = this.context.workspaceState.get<Picked>(PICKED);
    return picked && { ...picked, ref: { uri: picked.uri }, uri: vscode.Uri.parse(picked.uri) };
  }

  private listed(): Listed {
    return { folders: openFolders(), own: this.ownFolder };
  }

  private async setUp(): Promise<void> {
    await this.server.setUp();
    this.lookAgain();
  }

  private configured(changed: vscode.ConfigurationChangeEvent): void {
    if (changed.affectsConfiguration("compactChat.meter.show")) this.renew();
    else if (changed.affectsConfiguration("compactChat") && this.trouble) this.lookAgain();
  }
}

/** Whether the user wants to see the meter. */
function isShown(): boolean {
  return vscode.workspace.getConfiguration("compactChat").get<boolean>("meter.show", true);
}

/** What is kept of a chat that the meter can follow: one in a file that the server can look at again. */
function measurable({ uri, tool, title }: NamedChat): Picked {
  if (uri === undefined || !isOnDisk(uri)) {
    throw new Fault("noFile", vscode.l10n.t("The meter can follow only chats on a disk of this machine."));
  }
  return { uri: uri.toString(), tool, title };
}

/** Does something when the editor has nothing else to do just now. */
function afterwards(act: () => void): Promise<void> {
  return new Promise<void>((resolve) => setTimeout(resolve, 0)).then(act);
}
