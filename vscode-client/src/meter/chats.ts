/** The chats of this window, and the one in use: written last, or picked by the user. Files are polled until there may be one, then the server watches it. */

import { existsSync } from "node:fs";
import * as vscode from "vscode";
import { Fault } from "../faults";
import type { ChatInUse, NamedChat } from "../house";
import type { Server, ServerState } from "../server/server";
import type { Session, Watched, WatchParams } from "../wire";
import { t } from "../words";
import { chooseChat } from "./choosing";
import { type Fullness, newestChat, ownFolderOf, recordedIn, workspaces } from "./files";

const PICKED = "meter.picked";
const MOST_LISTED = 100;
const [EVERY_MS, SELDOM_MS, SOON_MS, SHARE_OF_TIME] = [5000, 30_000, 200, 100];
/** Kinds of faults that are no trouble: there is no chat, or the window is closing. */
const CALM = ["chatNotFound", "cancelled"];

/** What is kept of a picked chat, one in a file that the server can look at again. */
type Picked = Pick<Session, "uri" | "tool" | "title">;

export class Chats implements vscode.Disposable {
  /** The folder where this window's own chats of VS Code lie; undefined where the editor has none. */
  readonly ownFolder: vscode.Uri | undefined;
  inUse: ChatInUse | undefined;
  /** Why the chat cannot be measured; undefined if nothing is wrong. */
  trouble: Fault | undefined;
  /** How full a chat is by its own record, while no server is there to measure it. */
  recorded: Fullness | undefined;
  readonly #moved = new vscode.EventEmitter<ChatInUse | undefined>();
  /** Fires whenever the chat in use, its report, or the trouble is another. */
  readonly onChanged = this.#moved.event;
  readonly #context: vscode.ExtensionContext;
  readonly #server: Server;
  readonly #parts: vscode.Disposable;
  #isOpen = true;
  /** What to watch; undefined if the meter is hidden or the folder untrusted. */
  #wanted: WatchParams | undefined;
  /** While the server reports; without it files are looked at now and then. */
  #watchId: string | undefined;
  #looking = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;

  constructor(context: vscode.ExtensionContext, server: Server) {
    this.#context = context;
    this.#server = server;
    this.ownFolder = ownFolderOf(context);
    this.#parts = vscode.Disposable.from(
      this.#moved,
      server.onMeter((moved) => moved.watchId === this.#watchId && this.#take(moved)),
      server.onState((state) => this.#serverMoved(state)),
      vscode.window.onDidChangeWindowState(({ focused }) => focused && this.#lookIn(0)),
      vscode.workspace.onDidGrantWorkspaceTrust(() => this.#renew()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.#renew()),
      vscode.workspace.onDidChangeConfiguration(
        (changed) => changed.affectsConfiguration("compactChat.meter.show") && this.#renew(),
      ),
    );
    setTimeout(() => this.#renew(), 0); // not while the editor starts
  }

  get isPicked(): boolean {
    return isWanted() && this.#picked() !== undefined;
  }

  lookAgain(): void {
    this.#lookIn(0);
  }

  /** Let the user pick the chat to measure; refused while the meter is hidden. */
  async pick(): Promise<void> {
    if (!isShown()) {
      throw new Fault("meterHidden", t("The meter is hidden. Show it first."));
    }
    const chosen = await chooseChat(this.sessions(), t("Choose the chat to measure"), this.#picked() !== undefined);
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

  /** Return the chat for a command: the one in use, else the newest, else one that the user chooses, if any. */
  async wanted(): Promise<NamedChat | undefined> {
    // While the meter is hidden, a pick is invisible.
    const known = this.inUse ?? (isWanted() ? this.#picked() : undefined);
    return known ?? (await this.sessions(1))[0] ?? this.choose(t("Choose a chat"));
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
    this.#leave();
    clearTimeout(this.#timer);
    this.#wanted = undefined;
    this.#parts.dispose();
  }

  /** Start over with the picked chat, else with the one that is written last in any of the window's folders. */
  #renew(): void {
    if (this.#isOpen) {
      const [picked, own] = [this.#picked(), this.ownFolder?.toString()];
      const newest = { ...workspaces(), ...(own && { roots: [own] }) };
      this.#leave();
      this.#wanted = isWanted() ? (picked ? { chat: { uri: picked.uri } } : newest) : undefined;
      this.#tell(undefined, undefined);
      this.#lookIn(0);
    }
  }

  async #follow(chat: Picked | undefined): Promise<void> {
    await this.#context.workspaceState.update(PICKED, chat);
    this.#renew();
  }

  #picked(): Picked | undefined {
    return this.#context.workspaceState.get<Picked>(PICKED);
  }

  async #lookOnce(): Promise<void> {
    const [wanted, before, begun] = [this.#wanted, this.#server.state, performance.now()];
    if (wanted === undefined || this.#watchId !== undefined) {
      return;
    }
    const isThere = await this.#isThere().catch(() => false);
    const fault = isThere && wanted === this.#wanted ? await this.#watch(wanted) : undefined;
    const isOther = wanted !== this.#wanted; // which is looked for at once
    const isEnded = fault?.kind === "serverFailed" && before !== "failed"; // the next request may start it
    if (!isOther && !isEnded && this.#watchId === undefined) {
      this.#tell(undefined, CALM.includes(fault?.kind ?? "") ? undefined : fault);
    }
    // Spend at most one percent of the time looking, however many files there are; most troubles stay until a user helps.
    const rest = Math.max(this.trouble ? SELDOM_MS : EVERY_MS, (performance.now() - begun) * SHARE_OF_TIME);
    this.#lookIn(isOther ? 0 : isEnded ? SOON_MS : rest, isOther || isEnded);
  }

  /** Whether there may be a chat to watch, seen without a server. A picked one that was deleted is given up. */
  async #isThere(): Promise<boolean> {
    const picked = this.#picked();
    if (picked === undefined) {
      return (await newestChat(this.#context)) !== undefined;
    }
    const isThere = existsSync(vscode.Uri.parse(picked.uri).fsPath);
    await (isThere || this.measureNewest());
    return isThere;
  }

  /** Have the server watch; returns why it does not, if so. */
  async #watch(wanted: WatchParams): Promise<Fault | undefined> {
    try {
      const watched = await this.#server.ask("watch", wanted, { quietly: true });
      this.#watchId = watched.watchId;
      wanted === this.#wanted ? this.#take(watched) : this.#leave();
      return undefined;
    } catch (problem) {
      return problem instanceof Fault ? problem : new Fault("internal", t("The chat could not be measured."));
    }
  }

  /** Drop a chat that is gone: the next look finds another one, or none. */
  #take({ uri, report }: Watched): void {
    if (report.warnings.some(({ code }) => code === "chatGone")) {
      this.#leave();
      this.#tell(undefined, undefined);
      this.#lookIn(SOON_MS);
    } else {
      const { tool, title } = report;
      this.#tell({ uri, tool, title, report }, undefined);
    }
  }

  /** Watch again after the server ended, was restarted, or was set up. */
  #serverMoved(state: ServerState): void {
    this.#watchId = state === "running" ? this.#watchId : undefined;
    this.#lookIn(SOON_MS);
  }

  #tell(inUse: ChatInUse | undefined, trouble: Fault | undefined): void {
    const isSame = inUse === undefined && this.inUse === undefined && trouble?.message === this.trouble?.message;
    [this.inUse, this.trouble] = [inUse, trouble];
    if (!isSame) {
      void this.#changed();
    }
  }

  async #changed(): Promise<void> {
    const newest = this.trouble?.kind === "notSetUp" ? await newestChat(this.#context) : undefined;
    this.recorded = newest && (await recordedIn(newest));
    this.#moved.fire(this.inUse);
  }

  #leave(): void {
    if (this.#watchId !== undefined && this.#server.state === "running") {
      this.#server.ask("unwatch", { watchId: this.#watchId }, { quietly: true }).catch(() => undefined);
    }
    this.#watchId = undefined;
  }

  /** Look in a while, or not before the window is used. */
  #lookIn(milliseconds: number, isUrgent = true): void {
    clearTimeout(this.#timer);
    if (this.#wanted !== undefined) {
      const { focused, active } = vscode.window.state;
      const look = () => {
        this.#looking = this.#looking.then(() => this.#lookOnce());
      };
      const next = () => (isUrgent || focused || active ? look() : this.#lookIn(EVERY_MS, false));
      this.#timer = setTimeout(next, milliseconds).unref();
    }
  }
}

function isShown(): boolean {
  return vscode.workspace.getConfiguration("compactChat").get<boolean>("meter.show", true);
}

function isWanted(): boolean {
  return isShown() && vscode.workspace.isTrusted;
}
