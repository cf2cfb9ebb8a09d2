/** The chats of this window, and the one in use: written last, or picked by the user. Files are polled until there may be one, then the server watches it. */

import { stat } from "node:fs/promises";
import * as vscode from "vscode";
import { Fault } from "../faults";
import type { ChatInUse, NamedChat } from "../house";
import { inTime } from "../patience";
import type { Server, ServerState } from "../server/server";
import type { Session, Watched, WatchParams } from "../wire";
import { t } from "../words";
import { chooseChat } from "./choosing";
import { ChatFiles, type Fullness, ownFolderOf, workspaces } from "./files";

const PICKED = "meter.picked";
const PATIENCE_MS = 3000;
const MOST_LISTED = 100;
const [EVERY_MS, SOON_MS, SHARE_OF_TIME] = [5000, 200, 100];
const ABOUT_THE_CHAT = new Set(["chatNotFound", "chatUnreadable", "tooLarge", "cancelled"]);

/** What is kept of a picked chat, one in a file that the server can look at again. */
type Picked = Pick<Session, "uri" | "tool" | "title">;

/** What to watch, and a way to see without a server whether it may exist. */
interface Target {
  readonly params: WatchParams;
  /** Changes when another chat may be there; empty while there is none. */
  signs(): Promise<string>;
}

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
  readonly #begun: Promise<void>;
  #isOpen = true;
  #target: Target | undefined;
  /** While the server reports; without it files are looked at now and then. */
  #watchId: string | undefined;
  /** The signs with which the server refused a chat. */
  #refused: string | undefined;
  /** Whether it refused for a reason other than the chat, so that retrying alone does not help. */
  #needsHelp = false;
  #looking: Promise<void> | undefined;
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
    // Not while the editor starts.
    this.#begun = new Promise<void>((resolve) => setTimeout(resolve, 0)).then(() => this.#renew());
  }

  get isPicked(): boolean {
    return isWanted() && this.#picked() !== undefined;
  }

  /** Look now, also at what was refused before. */
  lookAgain(): void {
    this.#forgive();
    void this.#look();
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

  /** Return the chat for a command: the one in use, else one that the user chooses, if any. */
  async wanted(): Promise<NamedChat | undefined> {
    if (this.trouble?.kind === "notSetUp") {
      await this.#server.setUp();
      this.lookAgain();
    }
    await this.#begun;
    const isLookedFor = await inTime(this.#look(), PATIENCE_MS).then(isWanted, () => false);
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
    this.#leave();
    clearTimeout(this.#timer);
    this.#target = undefined;
    this.#parts.dispose();
  }

  /** Start over with the current target: none if the meter is hidden or the folder untrusted. */
  #renew(): void {
    if (this.#isOpen) {
      const picked = this.#picked();
      this.#leave();
      this.#target = isWanted() ? (picked ? this.#onePicked(picked) : this.#newest()) : undefined;
      this.#forgive();
      this.#tell(undefined, undefined);
      this.#lookIn(0);
    }
  }

  /** The chat that was written last in any of the window's folders; the server says which. */
  #newest(): Target {
    const files = new ChatFiles(this.#context);
    const own = this.ownFolder;
    return { params: { ...workspaces(), ...(own && { roots: [own.toString()] }) }, signs: () => files.signs() };
  }

  /** A single chat, until its file is deleted. */
  #onePicked({ uri }: Picked): Target {
    const path = vscode.Uri.parse(uri).fsPath;
    const signs = async () => {
      const seen = await stat(path).catch(() => this.measureNewest());
      return seen ? `${seen.size}:${seen.mtimeMs}` : "";
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

  #look(): Promise<void> {
    this.#looking ??= this.#lookOnce().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async #lookOnce(): Promise<void> {
    const [target, begun] = [this.#target, performance.now()];
    if (target === undefined || this.#watchId !== undefined) {
      return;
    }
    const signs = this.#needsHelp ? undefined : await target.signs().catch(() => undefined);
    if (signs === "" && target === this.#target) {
      this.#tell(undefined, undefined);
    }
    const isNew = signs && signs !== this.#refused && target === this.#target;
    const isSoon = isNew && (await this.#ask(target, signs));
    const isOther = target !== this.#target; // which is looked for at once
    // Spend at most one percent of the time looking, however many files there are.
    const rest = Math.max(EVERY_MS, (performance.now() - begun) * SHARE_OF_TIME);
    this.#lookIn(isOther ? 0 : isSoon ? SOON_MS : rest, isOther || isSoon === true);
  }

  /** Have the server watch; returns whether to look again soon. */
  async #ask(target: Target, signs: string): Promise<boolean> {
    const before = this.#server.state;
    try {
      const watched = await this.#server.ask("watch", target.params, { quietly: true });
      this.#watchId = watched.watchId;
      target === this.#target ? this.#take(watched) : this.#leave();
      return false;
    } catch (problem) {
      const fault = problem instanceof Fault ? problem : new Fault("internal", t("The chat could not be measured."));
      return target === this.#target && this.#refuse(fault, signs, before);
    }
  }

  /** A missing chat is no trouble; an unreadable one is retried when it changes. */
  #refuse(fault: Fault, signs: string, before: ServerState): boolean {
    if (fault.kind === "serverFailed" && before !== "failed") {
      return true;
    }
    [this.#refused, this.#needsHelp] = [signs, !ABOUT_THE_CHAT.has(fault.kind)];
    const isNone = fault.kind === "chatNotFound" || fault.kind === "cancelled";
    this.#tell(undefined, isNone ? undefined : fault);
    const isNeeded = vscode.workspace.textDocuments.some(({ uri }) => uri.scheme.startsWith("compact-chat"));
    if (isNone && before !== "running" && !isNeeded && this.#server.isIdle && this.#server.state === "running") {
      void this.#server.stop(); // it was started for nothing
    }
    return false;
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

  /** Watch again after the server ended, and after it was restarted or set up. */
  #serverMoved(state: ServerState): void {
    if (this.#watchId !== undefined && (state === "stopped" || state === "failed")) {
      this.#watchId = undefined;
      this.#lookIn(SOON_MS);
    } else if (this.#needsHelp && (state === "stopped" || state === "running")) {
      this.#forgive();
      this.#lookIn(0);
    }
  }

  #forgive(): void {
    [this.#refused, this.#needsHelp] = [undefined, false];
  }

  #tell(inUse: ChatInUse | undefined, trouble: Fault | undefined): void {
    const isSame = inUse === undefined && this.inUse === undefined && trouble === this.trouble;
    [this.inUse, this.trouble] = [inUse, trouble];
    if (!isSame) {
      void this.#changed();
    }
  }

  async #changed(): Promise<void> {
    const isUnmeasured = this.trouble?.kind === "notSetUp";
    this.recorded = isUnmeasured ? await new ChatFiles(this.#context).recorded() : undefined;
    this.#moved.fire(this.inUse);
  }

  #leave(): void {
    if (this.#watchId !== undefined && this.#server.state === "running") {
      this.#server.ask("unwatch", { watchId: this.#watchId }, { quietly: true }).catch(() => undefined);
    }
    this.#watchId = undefined;
  }

  /** Look in a while, or not before the window is used. */
  #lookIn(milliseconds: number, isWanted = true): void {
    clearTimeout(this.#timer);
    if (this.#target !== undefined) {
      const { focused, active } = vscode.window.state;
      const next = () => (isWanted || focused || active ? void this.#look() : this.#lookIn(EVERY_MS, false));
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
