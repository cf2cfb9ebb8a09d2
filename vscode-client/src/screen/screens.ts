/** The screen of a draft: the editor of its document, which shows the page and is its host. */

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { CANCELLED, type HostModel, type HostState } from "../../page/port";
import { Fault } from "../faults";
import type { House, Screens } from "../house";
import { complain, needsModel, sentenceOf } from "../remedies";
import type { Draft, DraftParams, PromptParams, TranscriptParams } from "../wire";
import { type ActionName, actionsFor, run } from "./actions";
import { isConfirmed, withModel } from "./consent";
import { addressOf, idIn, SCHEME } from "./drafts";
import { HostPort, type Running } from "./port";

export const VIEW = "compactChat.screen";
const PAGE = ["dist", "page"];

interface Screen {
  readonly uri: vscode.Uri;
  readonly port: HostPort;
  /** Whether its page has not asked for the draft yet. */
  isNew: boolean;
  /** How many of its questions about the draft are under way: their answers hold the newest one. */
  asking: number;
}

/** Completes the house with its screens. */
export function withScreens(others: Omit<House, "screens">): { house: House; screens: vscode.Disposable } {
  const screens = new PageScreens(others);
  return { house: { ...others, screens }, screens };
}

class PageScreens implements Screens, vscode.CustomTextEditorProvider, vscode.Disposable {
  readonly #open = new Set<Screen>();
  readonly #writes = new Set<vscode.CancellationTokenSource>();
  readonly #writings = new vscode.EventEmitter<boolean>();
  /** Fires when a model begins to write a summary, and when none writes any more. */
  readonly onWriting = this.#writings.event;
  readonly #parts: vscode.Disposable;
  #model: Promise<HostModel | null> | undefined;

  readonly #house: House;

  constructor(others: Omit<House, "screens">) {
    const house = { ...others, screens: this };
    this.#house = house;
    const webviewOptions = { retainContextWhenHidden: true };
    this.#parts = vscode.Disposable.from(
      this.#writings,
      vscode.window.registerCustomEditorProvider(VIEW, this, { webviewOptions }),
      house.drafts.onChanged((draft) => {
        this.#model ??= modelNow(this.#house); // while its page opens
        this.#tell(draft);
      }),
      house.models.onChanged(() => void this.refresh()),
    );
  }

  /** Opens the screen of a draft; next to the work, the focus stays where it is. */
  async show(draft: Draft, { isBeside = false } = {}): Promise<void> {
    const how = { preview: false, preserveFocus: isBeside };
    await vscode.commands.executeCommand("vscode.openWith", addressOf(draft), VIEW, how);
  }

  /** Returns the address of the draft in front, as a page or as text. */
  get inFront(): vscode.Uri | undefined {
    return uriOf(vscode.window.tabGroups.activeTabGroup.activeTab);
  }

  inTabs(): readonly vscode.Uri[] {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    return tabs.map(uriOf).filter((uri) => uri !== undefined);
  }

  /** Stops the models that write. */
  stop(): void {
    for (const source of this.#writes) {
      source.cancel();
    }
  }

  async press(action: string, uri: vscode.Uri): Promise<undefined> {
    await vscode.commands.executeCommand("vscode.openWith", uri, VIEW);
    for (const screen of this.#open) {
      if (idIn(screen.uri) === idIn(uri)) {
        screen.port.notify("host/press", { action });
      }
    }
  }

  /** Tells the pages that the model or its consent changed. */
  async refresh(): Promise<void> {
    this.#model = undefined;
    await Promise.all(
      [...this.#open].map(async (screen) => screen.port.notify("host/state", await this.#state(screen.uri))),
    );
  }

  async resolveCustomTextEditor({ uri }: vscode.TextDocument, { webview, onDidDispose }: vscode.WebviewPanel) {
    const folder = vscode.Uri.joinPath(this.#house.context.extensionUri, ...PAGE);
    const port: HostPort = new HostPort((message) => void webview.postMessage(message), {
      "host/ready": () => this.#state(uri),
      "host/do": ({ action }: { action: ActionName }) => this.#act(action, uri),
      "compactChat/draft": (params: DraftParams, running) => this.#draft(screen, params, running),
      "compactChat/transcript": (params: TranscriptParams, { token }) =>
        this.#house.server.ask("transcript", params, { token }),
      "compactChat/prompt": (params: PromptParams, { token }) => this.#house.server.ask("prompt", params, { token }),
    });
    const screen: Screen = { uri, port, isNew: true, asking: 0 };
    this.#open.add(screen);
    onDidDispose(() => {
      this.#open.delete(screen);
      port.dispose();
    });
    webview.onDidReceiveMessage((message) => void port.hear(message));
    webview.options = { enableScripts: true, localResourceRoots: [folder] };
    webview.html = await pageIn(folder, webview);
  }

  dispose(): void {
    this.#parts.dispose();
  }

  /** Runs an action of the page's row; what goes wrong is one sentence with a button, as for a command. */
  async #act(action: ActionName, uri: vscode.Uri): Promise<object> {
    try {
      const status = await run(this.#house, action, uri);
      return status === undefined ? {} : { status };
    } catch (problem) {
      await complain(this.#house, problem, uri);
      return {};
    }
  }

  /** Answers a page that begins with the draft that was just opened; later it may have changed in another window. */
  async #draft(screen: Screen, params: DraftParams, running: Running): Promise<Draft> {
    const { isNew } = screen;
    screen.isNew = false;
    const isChange = Object.keys(params).some((name) => name !== "draftId");
    const opened = isNew && !isChange ? this.#house.drafts.latest(params.draftId ?? "") : undefined;
    if (opened) {
      return opened;
    }
    screen.asking += 1;
    try {
      return await (params.write ? this.#write(params, running) : this.#change(params, running));
    } finally {
      screen.asking -= 1;
    }
  }

  #change(params: DraftParams, { token, text, progress }: Running): Promise<Draft> {
    return this.#house.drafts.change(params, { token, heard: text, worked: progress });
  }

  /** Has a model write. The page offers another try if that fails, unless a key or another model is needed first. */
  async #write(params: DraftParams, running: Running): Promise<Draft> {
    const source = new vscode.CancellationTokenSource();
    const stop = running.token.onCancellationRequested(() => source.cancel());
    this.#writes.add(source);
    this.#tellWriting();
    try {
      return await this.#change(await withModel(this.#house, params, (await this.#model)?.name), {
        ...running,
        token: source.token,
      });
    } catch (problem) {
      if (!(problem instanceof Fault) || !needsModel(problem)) {
        throw problem instanceof Fault
          ? new Fault(problem.kind, sentenceOf(problem), problem.data, problem.code)
          : problem;
      }
      void complain(this.#house, problem);
      void this.refresh();
      throw new Fault("cancelled", vscode.l10n.t("Stopped. Nothing was changed."), {}, CANCELLED);
    } finally {
      stop.dispose();
      source.dispose();
      this.#writes.delete(source);
      this.#tellWriting();
    }
  }

  #tellWriting(): void {
    const isWriting = this.#writes.size > 0;
    this.#writings.fire(isWriting);
    void vscode.commands.executeCommand("setContext", "compactChat.isWriting", isWriting);
  }

  async #state(uri: vscode.Uri): Promise<HostState> {
    this.#model ??= modelNow(this.#house);
    const [draft, model] = await Promise.all([this.#house.drafts.of(uri), this.#model]);
    return { open: { draftId: draft.draftId }, actions: actionsFor(), model };
  }

  #tell(draft: Draft): void {
    for (const { uri, port, asking } of this.#open) {
      if (asking === 0 && idIn(uri) === draft.draftId) {
        port.notify("host/draft", draft);
      }
    }
  }
}

function uriOf(tab: vscode.Tab | undefined): vscode.Uri | undefined {
  const input = tab?.input;
  const uri = input instanceof vscode.TabInputCustom || input instanceof vscode.TabInputText ? input.uri : undefined;
  return uri?.scheme === SCHEME ? uri : undefined;
}

async function modelNow(house: House): Promise<HostModel | null> {
  const improver = await house.models.improver().catch(() => undefined);
  return improver === undefined
    ? null
    : { provider: improver.provider, name: improver.label, confirmed: isConfirmed(house, improver) };
}

/** Returns the page's document under a policy by which it runs and loads nothing but its own two files. */
async function pageIn(folder: vscode.Uri, webview: vscode.Webview): Promise<string> {
  const nonce = randomBytes(16).toString("base64");
  const address = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(folder, name)).toString();
  const policy = [
    "default-src 'none'",
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    `script-src 'nonce-${nonce}'`,
  ].join("; ");
  const html = await readFile(vscode.Uri.joinPath(folder, "index.html").fsPath, "utf8");
  return html
    .replace(/<link rel="icon"[^>]*>\s*/, "")
    .replace("<head>", `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`)
    .replace('href="page.css"', `href="${address("page.css")}"`)
    .replace('src="page.js"', `nonce="${nonce}" src="${address("page.js")}"`);
}
