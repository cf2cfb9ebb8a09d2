/** The pages of the window: one document for each compaction. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import type { Models, NamedChat, Page, Pages, Server, Version } from "../house";
import type { Compaction, Options } from "../wire";
import { addressOf, keyOf } from "./address";
import { bodyOf, isUnedited } from "./body";
import { Checker } from "./checking";
import { documentOf, isInTab, saveDocument, showAsStored } from "./documents";
import { type Found, PageFiles, SCHEME } from "./files";
import { Finder } from "./finding";
import { Keeper } from "./keeping";
import { provideLenses } from "./lenses";
import { provideLinks } from "./links";
import { PageMenus } from "./menus";
import { OpenPage } from "./openPage";
import { settledEdit } from "./settling";

export function createPages(context: vscode.ExtensionContext, server: Server, models: Models): Pages {
  return new PageShelf(context, server, models);
}

export class PageShelf implements Pages {
  readonly #pages = new Map<string, OpenPage>();
  readonly #finder: Finder;
  readonly #files = new PageFiles({ find: (uri) => this.#file(uri), saved: (page, text) => this.#saved(page, text) });
  readonly #keeper: Keeper;
  readonly #checker: Checker;
  readonly #changed = new vscode.EventEmitter<void>();
  readonly #writing = new vscode.EventEmitter<boolean>();
  readonly onWriting = this.#writing.event;
  readonly #menus = new PageMenus();
  #isWriting = false;
  readonly #parts: vscode.Disposable[];

  constructor(
    context: vscode.ExtensionContext,
    private readonly server: Server,
    models: Models,
  ) {
    this.#keeper = new Keeper(context);
    this.#checker = new Checker(server);
    this.#finder = new Finder(this.#keeper, server, (page) => this.#returned(page));
    const known = (uri: vscode.Uri) => this.#pages.get(keyOf(uri) ?? "");
    this.#parts = [
      this.#files,
      this.#changed,
      this.#writing,
      vscode.workspace.registerFileSystemProvider(SCHEME, this.#files, { isCaseSensitive: true }),
      provideLenses(known, models, this.#changed.event),
      provideLinks(SCHEME, (uri) => known(uri)?.sheet),
      server.onState((state) => state === "running" && this.#findAgain()),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("compactChat")) {
          this.#findAgain();
        }
      }),
    ];
    this.#menus.tell([]);
  }

  async open(chat: NamedChat, compaction: Compaction, options: Options, isBeside = false): Promise<Page> {
    const key = compaction.compactionId;
    const uri = addressOf(key, chat.title);
    const version = { compaction, body: compaction.continuation, options };
    const page = this.#pages.get(key) ?? this.#add(new OpenPage(uri, key, chat, [version]));
    const document = await vscode.workspace.openTextDocument(page.uri);
    await vscode.window.showTextDocument(document, { preview: false, preserveFocus: isBeside });
    void this.#keeper.keep(page);
    void this.#checker.now(page);
    return page;
  }

  inTabs(): readonly Page[] {
    return [...this.#pages.values()].filter(({ uri }) => isInTab(uri));
  }

  async of(uri?: vscode.Uri | string): Promise<OpenPage | undefined> {
    const wanted = typeof uri === "string" ? vscode.Uri.parse(uri) : uri;
    const address = wanted?.scheme === SCHEME ? wanted : vscode.window.activeTextEditor?.document.uri;
    const found = address && keyOf(address) ? await this.#findAnew(address) : undefined;
    if (typeof found === "string") {
      throw new Fault("compactionNotFound", found);
    }
    return found;
  }

  async show(page: Page, version: Version, options: Options = page.options): Promise<Page> {
    const open = own(page);
    await (open.isWriting || saveDocument(open.uri));
    open.push(version, options);
    await showAsStored(open.uri, open.text);
    await vscode.window.showTextDocument(open.uri, { preview: false });
    return open;
  }

  current(page: Page): Version {
    const open = own(page);
    const typed = documentOf(open.uri);
    const { compaction, body } = open.shown;
    return { compaction, body: typed?.isDirty ? bodyIn(typed.getText(), open) : body };
  }

  async settled(page: Page): Promise<Compaction> {
    const open = own(page);
    const version = this.current(open);
    const { compaction, body } = version;
    if (compaction.summary === "" || isUnedited(body, compaction)) {
      return compaction;
    }
    const known = open.settledAs(body);
    if (known) {
      return known;
    }
    const settled = await settledEdit(this.server, open, version);
    open.settle(body, settled);
    return settled;
  }

  dispose(): void {
    this.#checker.dispose();
    for (const one of [...this.#pages.values(), ...this.#parts]) {
      one.dispose();
    }
  }

  #add(page: OpenPage): OpenPage {
    let told = page.text;
    let kept = page.shown.compaction;
    this.#pages.set(page.key, page);
    page.onChanged(() => {
      if (told !== page.text) {
        told = page.text;
        this.#files.tell(page.uri);
      }
      if (kept !== page.shown.compaction) {
        kept = page.shown.compaction;
        void this.#keeper.keep(page);
        this.#checker.soon(page);
      }
      this.#changed.fire();
      this.#menus.tell([...this.#pages.values()]);
      this.#tellWriting();
    });
    this.#menus.tell([...this.#pages.values()]);
    return page;
  }

  #tellWriting(): void {
    const isWriting = [...this.#pages.values()].some((page) => page.isWriting);
    if (isWriting !== this.#isWriting) {
      this.#isWriting = isWriting;
      this.#writing.fire(isWriting);
    }
  }

  /** Takes a page that was made again; its text may be an edited one. */
  #returned(page: OpenPage): OpenPage {
    const known = this.#pages.get(page.key) ?? this.#add(page);
    this.#changed.fire(); // its actions may have been asked for while it was not known
    this.#checker.soon(known);
    return known;
  }

  #findAgain(): void {
    for (const uri of this.#finder.forgetFailures()) {
      this.#files.tell(uri);
    }
  }

  /** Finds a page that a person asks for; where it could not be had before, its tab may say so no longer. */
  async #findAnew(uri: vscode.Uri): Promise<Found> {
    const isFailed = this.#finder.forgetFailure(uri);
    const found = await this.#find(uri);
    if (isFailed) {
      this.#files.tell(uri);
    }
    return found;
  }

  async #saved(page: OpenPage, text: string): Promise<void> {
    page.save(text, bodyIn(text, page));
    await this.#keeper.keep(page);
    this.#checker.soon(page);
  }

  /** What looks like a link in a chat's text leads to a file next to a page: there is none. */
  async #file(uri: vscode.Uri): Promise<Found> {
    const found = await this.#find(uri);
    if (found instanceof OpenPage && found.uri.path !== uri.path) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return found;
  }

  async #find(uri: vscode.Uri): Promise<Found> {
    const key = keyOf(uri);
    if (key === undefined) {
      throw vscode.FileSystemError.FileNotFound(uri);
    }
    return this.#pages.get(key) ?? this.#finder.find(uri, key);
  }
}

/** Gives a page as this room knows it. */
export function own(page: Page): OpenPage {
  if (!(page instanceof OpenPage)) {
    throw new TypeError("a page comes from Pages.open or Pages.of");
  }
  return page;
}

function bodyIn(text: string, page: OpenPage): string {
  const body = bodyOf(text, page.key, page.sheet.lines);
  const { compaction } = page.shown;
  return isUnedited(body, compaction) ? compaction.continuation : body;
}
