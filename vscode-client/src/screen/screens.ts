/** The screen of a draft: the editor of its document, which shows the page and is its host. */

import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import * as vscode from "vscode";
import { type DoParams, type HostState, type Methods, Port, type Running } from "../../page/port";
import { Fault } from "../faults";
import type { House } from "../house";
import { inTime } from "../patience";
import { complain, faultOf, needsModel } from "../remedies";
import type { Improver } from "../server/models";
import type { Draft, DraftParams, PromptParams, TranscriptParams } from "../wire";
import { t } from "../words";
import { actionsFor, run } from "./actions";
import { addressOf, idIn, SCHEME } from "./drafts";

export const VIEW = "compactChat.screen";
const PAGE = ["dist", "page"];
const CONFIRMED = "confirmedModels";
/** A provider of models may still be starting. */
const MODELS_MS = 1000;

interface Screen {
  readonly uri: vscode.Uri;
  readonly port: Port;
}

export class Screens implements vscode.CustomTextEditorProvider, vscode.Disposable {
  readonly #open = new Set<Screen>();
  readonly #writings = new vscode.EventEmitter<boolean>();
  /** Fires when a model begins to write a summary, and when the last one ends. */
  readonly onWriting = this.#writings.event;
  readonly #parts: vscode.Disposable;
  readonly #house: House;
  #writing = 0;
  /** The model that the pages show. */
  #model: Promise<Improver | undefined> | undefined;

  constructor(others: Omit<House, "screens">) {
    this.#house = { ...others, screens: this };
    const webviewOptions = { enableFindWidget: true, retainContextWhenHidden: true };
    this.#parts = vscode.Disposable.from(
      this.#writings,
      vscode.window.registerCustomEditorProvider(VIEW, this, { webviewOptions }),
      others.drafts.onChanged((draft) => {
        this.#model ??= this.#improver(); // while its page opens
        this.#tell(draft);
      }),
      others.models.onChanged(() => void this.#refresh()),
    );
  }

  /** Opens the screen of a draft; `isBeside` leaves the focus where it is. */
  async show(draft: Draft, { isBeside = false } = {}): Promise<void> {
    const how = { preview: false, preserveFocus: isBeside };
    await vscode.commands.executeCommand("vscode.openWith", addressOf(draft), VIEW, how);
  }

  /** Returns the address of the draft in front, as a page or as text. */
  get inFront(): vscode.Uri | undefined {
    const input = vscode.window.tabGroups.activeTabGroup.activeTab?.input;
    const uri = input instanceof vscode.TabInputCustom || input instanceof vscode.TabInputText ? input.uri : undefined;
    return uri?.scheme === SCHEME ? uri : undefined;
  }

  stop(): void {
    for (const { port } of this.#open) {
      port.stop();
    }
  }

  /** Brings a draft's page to the front and presses a button there. */
  async press(action: string, uri: vscode.Uri): Promise<undefined> {
    await vscode.commands.executeCommand("vscode.openWith", uri, VIEW);
    for (const screen of this.#open) {
      if (idIn(screen.uri) === idIn(uri)) {
        screen.port.notify("host/press", { action });
      }
    }
  }

  async resolveCustomTextEditor({ uri }: vscode.TextDocument, { webview, onDidDispose }: vscode.WebviewPanel) {
    const folder = vscode.Uri.joinPath(this.#house.context.extensionUri, ...PAGE);
    const { server } = this.#house;
    const channel = {
      send: (message: object) => void webview.postMessage(message),
      listen: (heard: (message: unknown) => void) => void webview.onDidReceiveMessage(heard),
    };
    const methods: Methods = {
      "host/ready": async () => ({ ...(await this.#soon(port)), draft: await this.#house.drafts.of(uri) }),
      "host/do": ({ action, draftId }: DoParams) => this.#act(action, uri.with({ authority: draftId })),
      "compactChat/draft": (params: DraftParams, running) =>
        params.write ? this.#write(params, running) : this.#change(params, running),
      "compactChat/transcript": (params: TranscriptParams) => server.ask("transcript", params),
      "compactChat/prompt": (params: PromptParams) => server.ask("prompt", params),
    };
    const port = new Port(
      channel,
      () => undefined,
      methods,
      (problem) => faultOf(this.#house, problem),
    );
    const screen = { uri, port };
    this.#open.add(screen);
    onDidDispose(() => {
      this.#open.delete(screen);
      port.stop();
    });
    webview.options = { enableScripts: true, localResourceRoots: [folder] };
    webview.html = await pageIn(folder, webview);
  }

  dispose(): void {
    this.#parts.dispose();
  }

  /** Runs an action of the page; a fault is shown as for a command. */
  async #act(action: string, uri: vscode.Uri): Promise<object> {
    try {
      const status = await (action === "confirmModel" ? this.#confirm() : run(this.#house, action, uri));
      return status === undefined ? {} : { status };
    } catch (problem) {
      complain(this.#house, problem, uri);
      return {};
    }
  }

  #change(params: DraftParams, { signal, text, progress }: Running): Promise<Draft> {
    const tell = (message: string, percentage?: number) => progress({ kind: "report", message, percentage });
    return this.#house.drafts.change(params, { signal, text, progress: tell }, false);
  }

  /** Has a model write. The page offers another try if that fails, unless a key or another model is needed first. */
  async #write(params: DraftParams, running: Running): Promise<Draft> {
    this.#tellWriting(1);
    try {
      const { options, provider } = await this.#writer();
      const asked = { ...params, options: { ...params.options, ...options }, write: { provider } };
      return await this.#change(asked, running);
    } catch (problem) {
      if (!(problem instanceof Fault) || !needsModel(problem)) {
        throw problem;
      }
      complain(this.#house, problem);
      void this.#refresh();
      throw new Fault("cancelled", t("Stopped. Nothing was changed."));
    } finally {
      this.#tellWriting(-1);
    }
  }

  /** Returns the model that rewrites; refuses another one than the user saw. */
  async #writer(): Promise<Improver> {
    const [shown, improver] = [await this.#model, await this.#house.models.improver()];
    if (!improver) {
      const isOff = vscode.workspace.getConfiguration("compactChat").get("provider") === "offline";
      const off = t('Rewriting with a model is turned off (compactChat.provider is "offline").');
      throw new Fault("noModel", isOff ? off : t("No model available. Set an API key or choose a model."));
    }
    if (shown && shown.label !== improver.label) {
      const sentence = t("The selected model changed to {0}. Nothing was sent to {1}.", improver.label, shown.label);
      throw new Fault("otherModel", sentence);
    }
    return improver;
  }

  #tellWriting(change: 1 | -1): void {
    this.#writing += change;
    const isWriting = this.#writing > 0;
    this.#writings.fire(isWriting);
    void vscode.commands.executeCommand("setContext", "compactChat.isWriting", isWriting);
  }

  #improver(): Promise<Improver | undefined> {
    return this.#house.models.improver().catch(() => undefined);
  }

  /** Models with "Don't ask again". */
  get #confirmed(): readonly string[] {
    return this.#house.context.globalState.get<string[]>(CONFIRMED, []);
  }

  async #confirm(): Promise<undefined> {
    const confirmed = new Set([...this.#confirmed, keyOf(await this.#writer())]);
    await this.#house.context.globalState.update(CONFIRMED, [...confirmed]);
    await this.#refresh();
  }

  /** Tells the pages that the model or its consent changed. */
  async #refresh(): Promise<void> {
    this.#model = undefined;
    const tell = async ({ port }: Screen) => port.notify("host/state", await this.#state());
    await Promise.allSettled([...this.#open].map(tell));
  }

  /** The state for a page that opens; without models, which are sent later, if they are slow. */
  #soon(port: Port): Promise<HostState> {
    const state = this.#state();
    return inTime(state, MODELS_MS).catch(() => {
      state.then((late) => port.notify("host/state", late)).catch(() => undefined);
      return { actions: actionsFor(this.#house), model: null };
    });
  }

  async #state(): Promise<HostState> {
    this.#model ??= this.#improver();
    const [improver, names] = await Promise.all([this.#model, this.#house.models.names()]);
    const confirmed = improver !== undefined && this.#confirmed.includes(keyOf(improver));
    const model = improver ? { provider: improver.provider, name: improver.label, confirmed } : null;
    return { actions: actionsFor(this.#house), model, names };
  }

  #tell(draft: Draft): void {
    for (const { uri, port } of this.#open) {
      if (idIn(uri) === draft.draftId) {
        port.notify("host/draft", draft);
      }
    }
  }
}

function keyOf({ provider, options, label }: Improver): string {
  return [provider, options.summaryModel ?? "", label].join(" ");
}

/** Returns the page's HTML with a policy that allows nothing but its own two files. */
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
