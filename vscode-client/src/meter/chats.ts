/** The chat in use in this window: the one that was written last, or the one that the user picked. */

import { stat } from "node:fs/promises";
import * as vscode from "vscode";
import { Fault } from "../faults";
import type { ChatInUse, NamedChat } from "../house";
import { inTime } from "../patience";
import type { Server } from "../server/server";
import type { Session, WatchParams } from "../wire";
import { t } from "../words";
import { chooseChat } from "./choosing";
import { ChatFiles, type Fullness, openFolders, ownFolderOf, recordedIn } from "./files";
import { Follower, type Target } from "./follower";

const PICKED = "meter.picked";
const PATIENCE_MS = 3000;
const MOST_LISTED = 100;

/** What is kept of a picked chat, one in a file that the server can look at again. */
type Picked = Pick<Session, "uri" | "tool" | "title">;

export class Chats implements vscode.Disposable {
  /** The folder where this window's own chats of VS Code lie; undefined where the editor has none. */
  readonly ownFolder: vscode.Uri | undefined;
  readonly #moved = new vscode.EventEmitter<ChatInUse | undefined>();
  /** Fires whenever the chat in use, its report, or the trouble is another. */
  readonly onChanged = this.#moved.event;
  readonly #context: vscode.ExtensionContext;
  readonly #server: Server;
  readonly #follower: Follower;
  readonly #listeners: vscode.Disposable;
  readonly #begun: Promise<void>;
  #isOpen = true;
  /** How full a chat is by its own record, while no server is there to measure it. */
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
    // Not while the editor starts.
    this.#begun = new Promise<void>((resolve) => setTimeout(resolve, 0)).then(() => this.#renew());
  }

  get inUse(): ChatInUse | undefined {
    return this.#follower.inUse;
  }

  /** Why the chat cannot be measured; undefined if nothing is wrong. */
  get trouble(): Fault | undefined {
    return this.#follower.trouble;
  }

  get isPicked(): boolean {
    return isWanted() && this.#picked() !== undefined;
  }

  lookAgain(): void {
    void this.#follower.lookAgain();
  }

  /** Let the user pick the chat to measure; refused while the meter is hidden. */
  async pick(): Promise<void> {
    if (!isShown()) {
      throw new Fault("meterHidden", t("The meter is hidden. Show it first."));
    }
    const question = t("Choose the chat to measure");
    const chosen = await chooseChat(this.sessions(), question, this.#picked() !== undefined);
    if (chosen === "newest") {
      await this.measureNewest();
    } else if (chosen) {
      const { uri, tool, title } = chosen;
      if (uri === undefined) {
        throw new Fault("noFile", t("Only local chat files can be measured."));
      }
      await this.#follow({ uri, tool, title });
    }
  }

  measureNewest(): Promise<void> {
    return this.#follow(undefined);
  }

  async choose(title: string): Promise<NamedChat | undefined> {
    const chosen = await chooseChat(this.sessions(), title);
    return chosen === "newest" ? undefined : chosen;
  }

  /** Return the chat for a command: the one in use, else one that the user chooses, if any. */
  async wanted(): Promise<NamedChat | undefined> {
    if (this.trouble?.kind === "notSetUp") {
      await this.#server.setUp();
      this.lookAgain();
    }
    await this.#begun;
    const isLookedFor = await inTime(this.#follower.look(), PATIENCE_MS).then(isWanted, () => false);
    // While the meter is hidden, a pick is invisible: use the newest chat.
    const known = this.inUse ?? (isWanted() ? this.#picked() : undefined);
    const [newest] = known || isLookedFor ? [] : await this.sessions(1);
    return known ?? newest ?? this.choose(t("Choose a chat"));
  }

  /** List the chats of this window, the newest first. */
  async sessions(limit = MOST_LISTED): Promise<readonly Session[]> {
    const own = this.ownFolder?.toString();
    const folders = workspaces();
    if (own === undefined && !folders.workspace) {
      return []; // without a folder the server lists all chats of this machine
    }
    return (await this.#server.ask("sessions", { ...folders, filesIn: own ? [own] : [], limit })).sessions;
  }

  dispose(): void {
    this.#isOpen = false;
    this.#listeners.dispose();
    this.#follower.dispose();
    this.#moved.dispose();
  }

  async #followed(): Promise<void> {
    const [newest] = this.trouble?.kind === "notSetUp" ? await new ChatFiles(this.#context).newest() : [];
    this.recorded = newest && (await recordedIn(newest));
    this.#moved.fire(this.inUse);
  }

  /** Start over with the current target: none if the meter is hidden or the folder untrusted. */
  #renew(): void {
    if (this.#isOpen) {
      const picked = this.#picked();
      const target = () => (picked ? this.#onePicked(picked) : this.#newest());
      this.#follower.begin(isWanted() ? target() : undefined);
    }
  }

  /** The chat that was written last in any of the window's folders; the server says which. */
  #newest(): Target {
    const files = new ChatFiles(this.#context);
    const own = this.ownFolder;
    return {
      params: { ...workspaces(), ...(own && { roots: [own.toString()] }) },
      // By the size's order of magnitude, so that a refused chat is not retried with each line.
      signs: async () => {
        const found = await files.newest();
        return found
          .map(({ path, bytes }) => `${path}:${Math.ceil(Math.log2(bytes))}`)
          .sort()
          .join("\n");
      },
    };
  }

  /** A single chat, until its file is deleted. */
  #onePicked({ uri }: Picked): Target {
    const path = vscode.Uri.parse(uri).fsPath;
    const signs = async () => {
      const seen = await stat(path).catch(() => undefined);
      if (seen === undefined) {
        void this.measureNewest();
        return "";
      }
      return `${seen.size}:${seen.mtimeMs}`;
    };
    return { params: { chat: { uri } }, signs };
  }

  async #follow(chat: Picked | undefined): Promise<void> {
    await this.#context.workspaceState.update(PICKED, chat);
    this.#renew();
  }

  #picked(): Picked | undefined {
    return this.#context.workspaceState.get<Picked>(PICKED);
  }
}

function workspaces(): Pick<WatchParams, "workspace" | "workspaces"> {
  const [workspace, ...workspaces] = openFolders().map(String);
  return { ...(workspace !== undefined && { workspace }), ...(workspaces.length > 0 && { workspaces }) };
}

function isShown(): boolean {
  return vscode.workspace.getConfiguration("compactChat").get<boolean>("meter.show", true);
}

function isWanted(): boolean {
  return isShown() && vscode.workspace.isTrusted;
}
