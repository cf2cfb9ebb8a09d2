/** The view *Chats*: the chats of this workspace and how full they are. */

import * as vscode from "vscode";
import type { House } from "../house";
import type { Session } from "../wire";
import { ago, chatTitle, shortToolName, t, toolName } from "../words";
import { bar, type Reading, reading } from "./reading";

const VIEW = "compactChat.chats";
const [MOST_LISTED, LONGEST_TITLE, BAR] = [30, 80, 5];
const CALM_MS = 2000;
const COLORS = { calm: undefined, warning: "list.warningForeground", error: "list.errorForeground" } as const;

export class ChatTree implements vscode.TreeDataProvider<Session>, vscode.Disposable {
  readonly #house: House;
  readonly #changed = new vscode.EventEmitter<Session | undefined>();
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #view: vscode.TreeView<Session>;
  readonly #parts: vscode.Disposable;
  /** By address, with what changes when the chat does. */
  readonly #measured = new Map<string, { readonly stamp: string; readonly reading: Reading }>();
  #measuring: Promise<void> = Promise.resolve();
  #listed: readonly Session[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(house: House) {
    this.#house = house;
    this.#view = vscode.window.createTreeView(VIEW, { treeDataProvider: this });
    this.#parts = vscode.Disposable.from(
      this.#view,
      this.#changed,
      this.#view.onDidChangeVisibility(({ visible }) => visible && this.#changed.fire(undefined)),
      house.chats.onChanged(() => this.#view.visible && this.#refreshSoon()),
    );
  }

  dispose(): void {
    this.#listed = [];
    clearTimeout(this.#timer);
    this.#parts.dispose();
  }

  /** A chat that is written reports several times a second. */
  #refreshSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#changed.fire(undefined);
    }, CALM_MS).unref();
  }

  async getChildren(parent?: Session): Promise<Session[]> {
    const { server, chats } = this.#house;
    if (parent !== undefined) {
      return [];
    }
    const isAtHand = await server.isAtHand();
    void vscode.commands.executeCommand("setContext", "compactChat.needsSetUp", !isAtHand); // else the view says "no chat"
    if (!isAtHand) {
      return [];
    }
    const sessions = [...(await chats.sessions(MOST_LISTED).catch(() => []))];
    this.#listed = sessions;
    this.#measuring = this.#measuring.then(() => this.#measure(sessions));
    return sessions;
  }

  getTreeItem(session: Session): vscode.TreeItem {
    const title = chatTitle(session.title, LONGEST_TITLE);
    const known = this.#measured.get(session.uri)?.reading;
    // The bar comes first: in a narrow side bar only the beginning of a row is seen.
    const item = new vscode.TreeItem(known ? `${bar(known.percent, BAR)} ${known.text} ${title}` : title);
    const age = ago(new Date(session.updatedAt));
    const tool = shortToolName(session.tool) || session.tool;
    item.description = `${tool} · ${age}`;
    item.tooltip = [title, toolName(session.tool) ?? session.tool, known?.text, age].filter(Boolean).join(" · ");
    const color = known && COLORS[known.level];
    const isInUse = this.#house.chats.inUse?.uri === session.uri;
    const icon = isInUse ? "circle-filled" : "comment-discussion";
    item.iconPath = new vscode.ThemeIcon(icon, color && new vscode.ThemeColor(color));
    item.id = session.uri;
    item.contextValue = "chat";
    item.accessibilityInformation = { label: [title, known?.text, tool, age].filter(Boolean).join(", ") };
    item.command = {
      command: "compactChat.ui.compact",
      title: t("Compact Chat"),
      arguments: [session],
    };
    return item;
  }

  /** Measure the chats one by one while the list is visible; a chat that cannot be measured has no bar. */
  async #measure(sessions: readonly Session[]): Promise<void> {
    const { server, chats } = this.#house;
    for (const session of sessions) {
      if (sessions !== this.#listed || !this.#view.visible) {
        return;
      }
      const { uri } = session;
      const stamp = `${session.updatedAt} ${session.bytes}`;
      if (this.#measured.get(uri)?.stamp !== stamp) {
        const inUse = chats.inUse?.uri === uri ? chats.inUse.report : undefined;
        const report =
          inUse ?? (await server.ask("countTokens", { chat: { uri } }, { quietly: true }).catch(() => undefined));
        if (report) {
          this.#measured.set(uri, { stamp, reading: reading(report) });
          this.#changed.fire(session);
        }
      }
    }
  }
}
