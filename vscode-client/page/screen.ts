/** The screen's model: the draft as the server answered it, what is under way, and what is open or in focus. */

import type { Draft, DraftParams } from "../src/wire";
import {
  CANCELLED,
  type Done,
  DRAFT_OUTDATED,
  type HostModel,
  type HostState,
  type Port,
  type Reading,
  Refused,
  type Watching,
} from "./port";
import { type Intent, joined, NOTHING, params } from "./shown";

export interface Work {
  label: string;
  sentence: string;
  percentage: number | undefined;
  text: string;
  stop: AbortController;
}

export interface Trouble {
  sentence: string;
  again?: (() => void) | undefined;
}

/** An editing of the message, and the version that it began on. */
export interface Editing {
  text: string;
  version: number;
}

const CLOSED =
  "The connection to Compact Chat is closed. Open the chat again from your editor, or with compact-chat open.";
const WHILE_MOVING = 120; // milliseconds in which further choices join a change, while the slider is dragged
const WHILE_SAID = 10_000;
const WHILE_WRITING = 100; // milliseconds between two drawings of a text that streams in

export class Screen {
  draft: Draft | undefined;
  host: HostState | undefined;
  intent: Intent = NOTHING;
  length: number | undefined; // of `preview.lengths`, while the slider moves
  work: Work | undefined;
  trouble: Trouble | undefined;
  status = "";
  editing: Editing | undefined;
  conflict: string | undefined; // a text of ours that the newest version does not hold
  consent: { isKept: boolean } | undefined;
  reading: Reading | undefined;
  menu: string | undefined;
  rewritten: number | undefined; // the version that a model wrote last, here
  closed: string | undefined; // why the connection is
  readonly unfolded = new Set<string>();
  readonly port: Port;
  readonly #changed: () => void;
  #timer: number | undefined;
  #fading: number | undefined;
  #drawing: number | undefined;
  #isChanging = false;

  constructor(port: Port, changed: () => void) {
    this.port = port;
    this.#changed = changed;
  }

  /** Whether the server has not answered all changes yet. */
  get isBusy(): boolean {
    return this.work !== undefined || this.#isChanging || this.intent !== NOTHING;
  }

  /** Changes what is shown, and shows it. */
  show(
    change: Partial<
      Pick<Screen, "menu" | "consent" | "editing" | "reading" | "trouble" | "status" | "length" | "conflict">
    >,
  ): void {
    Object.assign(this, change);
    this.#changed();
  }

  /** Folds a list or unfolds it. */
  toggle(list: string): void {
    this.unfolded.delete(list) || this.unfolded.add(list);
    this.#changed();
  }

  /** Says for a while what was done. */
  say(status: string): void {
    window.clearTimeout(this.#fading);
    this.#fading = window.setTimeout(() => this.show({ status: "" }), WHILE_SAID);
    this.show({ status });
  }

  async begin(): Promise<void> {
    this.port.on<HostState>("host/state", (host) => {
      this.host = host;
      this.#changed();
    });
    this.port.on<Draft>("host/draft", (draft) => this.#take(draft));
    try {
      this.host = await this.port.request<HostState>("host/ready", {});
      const { draft, open } = this.host;
      await (draft ? this.#take(draft) : this.#call("Opening the chat", open));
      this.#sayVersion();
    } catch (problem) {
      this.fail(problem, () => this.begin());
    }
  }

  /** Says of a chat that was compacted before, here or in another window, which version this is. */
  #sayVersion(): void {
    const { version = 1, versions = [] } = this.draft ?? {};
    const at = versions.at(-1)?.at;
    if (version > 1 && at !== undefined) {
      const when = new Date(at).toLocaleString("en-US", { dateStyle: "medium", timeStyle: "short" });
      this.say(`This chat was compacted before. This is version ${version} of it, from ${when}.`);
    }
  }

  /** Remembers a choice, shows it, and sends it. */
  choose(choice: Intent): void {
    this.intent = joined(this.intent, choice);
    this.show({ trouble: undefined, status: "" });
    this.flush();
  }

  /** Remembers a length and shows it; it is sent once the slider rests. */
  move(length: number): void {
    const budget = this.draft?.preview.lengths?.[length]?.budget ?? 0;
    this.intent = joined(this.intent, { budget });
    this.show({ length, trouble: undefined, status: "" });
    window.clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => this.flush(), WHILE_MOVING);
  }

  /** Sends what was chosen; on a newer version, which another window made, the choices are applied to that. */
  async flush(): Promise<void> {
    if (this.#isChanging || this.work !== undefined || this.draft === undefined || this.intent === NOTHING) {
      return; // who is under way flushes when it ends
    }
    const sent = this.intent;
    const change = () => this.#ask(params(this.draft as Draft, sent));
    this.#isChanging = true;
    try {
      const draft = await change().catch((problem) => {
        if (!isOutdated(problem)) {
          throw problem;
        }
        this.say("Changed in another window. Your change was applied to the newest version.");
        return change();
      });
      if (this.intent === sent) {
        this.#forget();
      }
      this.#take(draft);
    } catch (problem) {
      this.#forget();
      this.fail(problem);
    } finally {
      this.#isChanging = false;
      this.#changed();
      this.flush();
    }
  }

  #forget(): void {
    [this.intent, this.length] = [NOTHING, undefined];
  }

  /** Calls `draft`; where another window made a newer version, that is shown before the call is reported as failed. */
  async #ask(asked: DraftParams, watching?: Watching): Promise<Draft> {
    try {
      return await this.port.request<Draft>("compactChat/draft", asked, watching);
    } catch (problem) {
      if (isOutdated(problem)) {
        this.#take(problem.data.draft as Draft);
      }
      throw problem;
    }
  }

  /** Reads the draft again, since another window may have changed it. */
  async refresh(): Promise<void> {
    if (this.draft === undefined || this.#isChanging || this.work !== undefined || this.closed !== undefined) {
      return;
    }
    const { draftId, version } = this.draft;
    const newest = await this.#ask({ draftId }).catch(() => undefined); // the next change says what is wrong
    if (newest !== undefined && newest.version !== version) {
      this.say("Changed in another window. This is the newest version.");
      this.#take(newest);
    }
  }

  /** Drops an edit that does not fit the newest version, on the server as well: else the next change brings it back. */
  discard(): void {
    const { draftId, version, compaction } = this.draft as Draft;
    this.conflict = undefined;
    this.#call("Using the new version", { draftId, version, text: compaction.continuation });
  }

  /** Shows the draft of another compaction. */
  open(draftId: string): void {
    [this.conflict, this.rewritten] = [undefined, undefined];
    this.unfolded.clear();
    this.show({ reading: undefined, status: "" });
    this.#call("Opening the compacted chat", { draftId });
  }

  restore(version: number): void {
    const { draftId } = this.draft as Draft;
    this.#call("Restoring the summary", { draftId, version });
  }

  /** Replaces the message with what a person wrote; a version made elsewhere meanwhile is never overwritten. */
  async save(): Promise<void> {
    const { editing, draft } = this;
    if (editing === undefined || draft === undefined) {
      return;
    }
    const { version, text } = editing;
    try {
      const saved = await this.#ask({ draftId: draft.draftId, version, text });
      this.editing = undefined;
      this.say("Your edit is saved.");
      this.#take(saved);
    } catch (problem) {
      if (isOutdated(problem)) {
        this.show({ conflict: text, editing: undefined });
      } else {
        this.fail(problem, () => this.save());
      }
    }
  }

  /** Has the host's model write the summary; asks first, unless this model was agreed to just now or for good. */
  wish(agreed?: HostModel): void {
    const model = this.host?.model;
    if (model?.confirmed || (agreed && model?.name === agreed.name && model.provider === agreed.provider)) {
      this.rewrite();
    } else {
      this.show({ consent: { isKept: false }, trouble: undefined });
    }
  }

  /** Has the host's model write the summary, once its consent is there. */
  rewrite(): void {
    const { host, draft } = this;
    if (host?.model && draft !== undefined) {
      const { model } = host;
      const asked = { draftId: draft.draftId, version: draft.version, write: { provider: model.provider } };
      this.show({ consent: undefined });
      this.#call(`Rewriting with ${model.name}`, asked, () => this.wish(model));
    }
  }

  /** Runs an action of the host's, on the message with all that was chosen before. */
  async run(action: string): Promise<void> {
    if (this.editing !== undefined) {
      this.show({ menu: undefined, trouble: { sentence: "Save your edit first, or cancel it." } });
      return;
    }
    this.show({ menu: undefined, trouble: undefined });
    while (this.isBusy && this.work === undefined) {
      await new Promise((resolve) => window.setTimeout(resolve, 10));
    }
    if (this.draft === undefined || this.trouble !== undefined) {
      return;
    }
    try {
      const { draftId } = this.draft;
      const { status = "", reading } = await this.port.request<Done>("host/do", { action, draftId });
      this.reading = reading;
      this.say(status);
    } catch (problem) {
      this.fail(problem, () => this.run(action));
    }
  }

  close(): void {
    const refusal = this.draft === undefined ? this.trouble?.sentence : undefined;
    this.closed = refusal ?? CLOSED;
    this.trouble = undefined;
    this.work = undefined;
    this.#changed();
  }

  async #call(label: string, asked: DraftParams, again: () => void = () => this.#call(label, asked)): Promise<void> {
    const work: Work = { label, sentence: "", percentage: undefined, text: "", stop: new AbortController() };
    this.work = work;
    [this.trouble, this.status] = [undefined, ""];
    this.#changed();
    try {
      const draft = await this.#ask(asked, {
        progress: (sentence, percentage) => {
          Object.assign(work, { sentence, percentage: percentage ?? work.percentage });
          this.#changedSoon();
        },
        text: (text) => {
          work.text += text;
          this.#changedSoon();
        },
        signal: work.stop.signal,
      });
      this.work = undefined;
      this.rewritten = asked.write ? draft.version : this.rewritten;
      this.#take(draft);
    } catch (problem) {
      this.work = undefined;
      if (isOutdated(problem)) {
        this.say("Changed in another window. This is the newest version.");
      } else {
        this.fail(problem, again);
      }
    }
    this.flush();
  }

  #changedSoon(): void {
    this.#drawing ??= window.setTimeout(() => {
      this.#drawing = undefined;
      this.#changed();
    }, WHILE_WRITING);
  }

  #take(draft: Draft): void {
    const before = this.draft;
    const isNew = before?.version !== draft.version || before.draftId !== draft.draftId;
    this.draft = draft;
    if (isNew || before.conflict?.text !== draft.conflict?.text) {
      this.conflict = draft.conflict?.text ?? this.conflict;
    }
    this.#changed();
  }

  fail(problem: unknown, again?: () => void): void {
    if (problem instanceof Refused && problem.code === CANCELLED) {
      this.say("Stopped. Nothing was changed.");
    } else if (this.closed === undefined) {
      const sentence = problem instanceof Error ? problem.message : String(problem);
      this.show({ trouble: { sentence, again } });
    }
  }
}

function isOutdated(problem: unknown): problem is Refused {
  return problem instanceof Refused && problem.code === DRAFT_OUTDATED;
}
