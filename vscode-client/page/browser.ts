/** The page without an editor: one WebSocket to the server that serves it, and what an editor would do, done by the browser. */

import type { ChatRef, Draft, DraftParams, Exported, History, Transcript } from "../src/wire";
import { type Channel, type Done, type DoParams, type HostAction, type HostState, Port, Refused } from "./port";
import { modelTitle, toolName } from "./words";

const ACTIONS: HostAction[] = [
  { id: "continue", title: "Continue in New Chat", keys: "Ctrl+Enter", primary: true },
  { id: "copy", title: "Copy" },
  { id: "saveMarkdown", title: "Save as Markdown", overflow: true },
  { id: "claudeSession", title: "Export as Claude Code Session", overflow: true },
  { id: "compactedCopy", title: "Export as VS Code Chat", overflow: true },
  { id: "original", title: "Show Original Chat", overflow: true },
  { id: "history", title: "Show History", overflow: true },
];
const USED =
  "This address was good for one window, which is open already. Go on there, or run compact-chat open once more.";
const MOST = 200; // compactions that are listed
const EXPORTS: Readonly<Record<string, string>> = { claudeSession: "claude-code", compactedCopy: "vscode-export" };

interface Message {
  id?: number | string;
  method?: string;
  params?: DoParams | { token: string };
  result?: unknown;
  error?: { code: number; message: string; data?: object };
}

/** A channel on which the browser answers `host/…`, and the server all else. */
export function browserChannel(): Channel {
  return new BrowserHost();
}

class BrowserHost implements Channel {
  readonly #fragment = new URLSearchParams(location.hash.slice(1));
  readonly #socket = new WebSocket(`ws://${location.host}/socket`);
  readonly #server: Port;
  readonly #ready: Promise<unknown>;
  #heard: (message: unknown) => void = () => undefined;
  #hearOwn: (message: unknown) => void = () => undefined;
  #isConfirmed = false;
  #model: HostState["model"] = null;
  #open: Promise<DraftParams> | undefined;

  constructor() {
    const opened = new Promise<void>((resolve) => this.#socket.addEventListener("open", () => resolve()));
    this.#server = new Port(
      {
        send: (message) => opened.then(() => this.#tell({ ...message, ...own(message) })),
        listen: (heard, closed) => {
          this.#hearOwn = heard;
          this.#socket.addEventListener("close", closed);
        },
      },
      () => undefined,
    );
    const compactChat = { token: this.#fragment.get("token") ?? sessionStorage.getItem("token") };
    const hello = {
      processId: null,
      capabilities: { window: { workDoneProgress: true } },
      initializationOptions: { compactChat },
    };
    this.#ready = this.#server.request("initialize", hello).then(() => this.#server.notify("initialized", {}));
  }

  listen(heard: (message: unknown) => void, closed: () => void): void {
    this.#heard = heard;
    this.#socket.addEventListener("close", closed);
    this.#socket.addEventListener("message", ({ data }) => this.#hear(JSON.parse(String(data)) as Message));
  }

  send(message: Message): void {
    if (message.method === "host/ready") {
      this.#answer(message, () => this.#state());
    } else if (message.method === "host/do") {
      this.#answer(message, () => this.#run(message.params as DoParams));
    } else {
      this.#ready.then(() => this.#tell(message));
    }
  }

  #tell(message: object): void {
    this.#socket.send(JSON.stringify(message));
  }

  #hear(message: Message): void {
    if (message.method === "page/token") {
      this.#keep((message.params as { token: string }).token);
      return;
    }
    if (typeof message.id === "string") {
      this.#hearOwn({ ...message, id: Number(message.id.slice(OWN.length)) });
      return;
    }
    const draft = message.result as Partial<Draft> | undefined;
    if (draft?.draftId !== undefined && draft.preview !== undefined) {
      this.#remember(draft as Draft);
    }
    this.#heard(message);
  }

  /** Keeps the lasting token for a reload, and none in the address, whose own may be good for one connection. */
  #keep(token: string): void {
    sessionStorage.setItem("token", token);
    this.#fragment.delete("token");
    this.#address();
  }

  #address(): void {
    history.replaceState(null, "", `#${this.#fragment}`);
  }

  /** Keeps the draft in the address, for a reload, and learns from it whether a model could rewrite it. */
  #remember({ draftId, preview }: Draft): void {
    if (this.#fragment.get("draft") !== draftId) {
      this.#fragment.set("draft", draftId);
      this.#address();
    }
    const { request } = preview;
    const name = request?.provider === "anthropic" ? modelTitle(request.model ?? "claude") : undefined;
    if (name !== this.#model?.name) {
      this.#isConfirmed = false;
      this.#model = name === undefined ? null : { provider: "anthropic", name, confirmed: false };
      this.#changed();
    }
  }

  async #changed(): Promise<void> {
    this.#heard({ method: "host/state", params: await this.#state() });
  }

  async #answer({ id }: Message, make: () => Promise<unknown>): Promise<void> {
    try {
      await this.#ready;
      this.#heard({ id, result: await make() });
    } catch (problem) {
      const { code, data } = problem instanceof Refused ? problem : { code: 0, data: { kind: "" } };
      const message =
        data.kind === "tokenRefused" ? USED : problem instanceof Error ? problem.message : String(problem);
      this.#heard({ id, error: { code, message, data } });
    }
  }

  async #state(): Promise<HostState> {
    this.#open ??= this.#find();
    const model = this.#model === null ? null : { ...this.#model, confirmed: this.#isConfirmed };
    return { open: await this.#open, actions: ACTIONS, model };
  }

  /** The draft of before a reload, if the server still has it, or a new one of the chat. */
  async #find(): Promise<DraftParams> {
    const chat: ChatRef = { uri: this.#fragment.get("chat") };
    const draftId = this.#fragment.get("draft");
    const isThere = draftId !== null && (await this.#isKnown(draftId));
    return isThere ? { draftId } : { chat, options: { style: "handoff" } };
  }

  #isKnown(draftId: string): Promise<boolean> {
    return this.#server.request("compactChat/draft", { draftId }).then(
      () => true,
      () => false,
    );
  }

  async #run({ action, draftId }: DoParams): Promise<Done> {
    if (action === "confirmModel") {
      this.#isConfirmed = true;
      this.#changed();
      return {};
    }
    if (action === "history") {
      const { compactions } = await this.#server.request<History>("compactChat/history", { limit: MOST });
      return { reading: { title: "History", compactions } };
    }
    if (action === "original") {
      const { title, messages } = await this.#server.request<Transcript>("compactChat/transcript", {
        compactionId: draftId,
      });
      return { reading: { title: `Original of ${title ?? "this chat"}`, messages } };
    }
    const { compaction } = await this.#server.request<Draft>("compactChat/draft", { draftId });
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
    const { uri } = await this.#server.request<Exported>("compactChat/export", asked);
    return { status: `Written to ${decodeURIComponent(new URL(uri).pathname)}` };
  }
}

const OWN = "host-";

/** The id of the host's own request: the page has numbers. */
function own(message: { id?: number }): object {
  return message.id === undefined ? {} : { id: `${OWN}${message.id}` };
}

function save(text: string, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/markdown" }));
  link.download = name.replace(/[^\p{L}\p{N} ._-]/gu, "");
  link.click();
  URL.revokeObjectURL(link.href);
}
