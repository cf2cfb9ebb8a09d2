/** The page in a browser: one WebSocket to its server, and the browser's own actions in place of an editor's. */

import { Fault } from "../src/faults";
import type { Draft, Exported, History, Transcript } from "../src/wire";
import {
  type Channel,
  type Done,
  type DoParams,
  type HostAction,
  type HostReady,
  type HostState,
  Port,
  type Watching,
} from "./port";
import { modelName, toolName } from "./words";

const ACTIONS: HostAction[] = [
  { id: "continue", title: "Continue in New Chat", keys: "Ctrl+Enter", primary: true },
  { id: "copy", title: "Copy Message" },
  { id: "saveMarkdown", title: "Save as Markdown", overflow: true },
  { id: "claudeSession", title: "Export as Claude Code Session", overflow: true },
  { id: "compactedCopy", title: "Export as VS Code Chat", overflow: true },
  { id: "original", title: "Show Original Chat", overflow: true },
  { id: "history", title: "Show History", overflow: true },
];
const USED =
  "This address works for one window, which is already open. Continue there, or run compact-chat open again.";
const MOST = 200; // compactions that are listed
const EXPORTS: Readonly<Record<string, string>> = { claudeSession: "claude-code", compactedCopy: "vscode-export" };

/** A port that answers `host/…` in the browser and sends all else to the server. */
export class BrowserPort extends Port {
  readonly #fragment = new URLSearchParams(location.hash.slice(1));
  readonly #ready: Promise<unknown>;
  #model: HostState["model"] = null;

  constructor(onClosed: () => void) {
    const socket = new WebSocket(`ws://${location.host}/socket`);
    const opened = new Promise<unknown>((resolve) => socket.addEventListener("open", resolve));
    const channel: Channel = {
      send: (message) => void opened.then(() => socket.send(JSON.stringify(message))),
      listen: (heard, closed) => {
        socket.addEventListener("message", ({ data }) => heard(JSON.parse(String(data))));
        socket.addEventListener("close", closed);
      },
    };
    super(channel, onClosed);
    // Keep the lasting token for a reload: the one in the address may be valid only once.
    this.on<{ token: string }>("page/token", ({ token }) => {
      sessionStorage.setItem("token", token);
      this.#fragment.delete("token");
      this.#address();
    });
    const compactChat = { token: this.#fragment.get("token") ?? sessionStorage.getItem("token") };
    const hello = {
      processId: null,
      capabilities: { window: { workDoneProgress: true } },
      initializationOptions: { compactChat },
    };
    this.#ready = super.request("initialize", hello).then(() => this.notify("initialized", {}), refuse);
  }

  override async request<R>(method: string, params: object, watching: Watching = {}): Promise<R> {
    await this.#ready;
    if (method === "host/ready") {
      return { ...(await this.#find()), ...this.#state } as R;
    }
    if (method === "host/do") {
      return (await this.#run(params as DoParams)) as R;
    }
    const result = await super.request<R>(method, params, watching);
    if (method === "compactChat/draft") {
      this.#remember(result as Draft);
    }
    return result;
  }

  get #state(): HostState {
    return { actions: ACTIONS, model: this.#model };
  }

  #address(): void {
    history.replaceState(null, "", `#${this.#fragment}`);
  }

  /** Keeps the draft's id in the address for a reload, and takes the model from its plan. */
  #remember({ draftId, preview: { request } }: Draft): void {
    if (this.#fragment.get("draft") !== draftId) {
      this.#fragment.set("draft", draftId);
      this.#address();
    }
    const name = request?.provider === "anthropic" ? modelName(request.model ?? "") : undefined;
    if (name !== this.#model?.name) {
      this.#setModel(name === undefined ? null : { provider: "anthropic", name, confirmed: false });
    }
  }

  #setModel(model: HostState["model"]): void {
    this.#model = model;
    this.hear("host/state", this.#state);
  }

  /** The draft from before a reload if the server still has it, else the one of the chat. */
  async #find(): Promise<Pick<HostReady, "draft" | "open">> {
    const draftId = this.#fragment.get("draft");
    const known = draftId === null ? undefined : this.request<Draft>("compactChat/draft", { draftId });
    const draft = await known?.catch(() => undefined);
    const chat = { uri: this.#fragment.get("chat") };
    return draft ? { draft } : { open: { chat, reopen: true, options: { style: "handoff" } } };
  }

  async #run({ action, draftId }: DoParams): Promise<Done> {
    if (action === "confirmModel") {
      this.#setModel(this.#model && { ...this.#model, confirmed: true });
      return {};
    }
    if (action === "open") {
      this.#fragment.set("draft", draftId);
      this.#address();
      location.reload();
      return {};
    }
    if (action === "history") {
      const { compactions } = await super.request<History>("compactChat/history", { limit: MOST });
      return { reading: { title: "History", compactions } };
    }
    if (action === "original") {
      const asked = { compactionId: draftId };
      const { title, messages } = await super.request<Transcript>("compactChat/transcript", asked);
      return { reading: { title: `Original of ${title ?? "this chat"}`, messages } };
    }
    const { compaction } = await super.request<Draft>("compactChat/draft", { draftId });
    if (action === "copy" || action === "continue") {
      await navigator.clipboard.writeText(compaction.continuation);
      const next = `Begin a new chat in ${toolName(compaction.tool)} and paste it as the first message.`;
      return { status: action === "copy" ? "The message is copied." : `The message is copied. ${next}` };
    }
    if (action === "saveMarkdown") {
      save(compaction.continuation, `${compaction.title ?? "chat"}.md`);
      return { status: "The message is saved among your downloads." };
    }
    const asked = { compactionId: compaction.compactionId, as: EXPORTS[action] };
    const { uri } = await super.request<Exported>("compactChat/export", asked);
    return { status: `Written to ${decodeURIComponent(new URL(uri).pathname)}` };
  }
}

/** Explains what to do when the address was used already. */
function refuse(problem: unknown): never {
  const isUsed = problem instanceof Fault && problem.kind === "tokenRefused";
  throw isUsed ? new Fault(problem.kind, USED) : problem;
}

function save(text: string, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
  link.download = name.replace(/[^\p{L}\p{N} ._-]/gu, "");
  link.click();
  URL.revokeObjectURL(link.href);
}
