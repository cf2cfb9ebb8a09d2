/** The screen's model: the draft as the server sent it, pending work, and what is open. */

import { Fault } from "../src/faults";
import type { Draft, DraftParams, Options } from "../src/wire";
import type { Done, HostModel, HostReady, HostState, Port, Reading } from "./port";

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

/** The message as a person types it, as it was before, and the version that the edit began on. */
export interface Editing {
  text: string;
  before: string;
  version: number;
  isSaving?: boolean;
}

/** The options of a draft with the facts added back. */
export type Wanted = Options & { readonly addBack: readonly string[] };

/** A change as a function, so that it can be applied to any version. */
export type Choice = (wanted: Wanted) => Partial<Wanted>;

const CLOSED =
  "The connection to Compact Chat is closed. Open the chat again from your editor, or with compact-chat open.";
const NEWEST = "This was changed in another window. You see the newest version.";
const WHILE_MOVING = 120; // milliseconds in which further choices join a change, while the slider is dragged
const WHILE_SAID = 10_000;
const WHILE_WRITING = 100; // milliseconds between two drawings of a text that streams in

export class Screen {
  draft: Draft | undefined;
  host: HostState | undefined;
  work: Work | undefined; // one at a time: nothing that calls begins meanwhile
  trouble: Trouble | undefined;
  status = "";
  editing: Editing | undefined;
  conflict: string | undefined; // the user's text, where it could not be merged
  consent: { isKept: boolean } | undefined;
  reading: Reading | undefined;
  earlier: number | undefined; // the version that the draft had when it was opened again
  anew: number | undefined; // the version that began it anew
  rewritten: number | undefined; // the version that a model wrote last, here
  closed: string | undefined; // why the connection is
  readonly unfolded = new Set<string>();
  readonly port: Port;
  readonly #changed: () => void;
  #choices: readonly Choice[] = []; // that the server has not answered yet
  #changing: Promise<void> | undefined;
  #timer: number | undefined;
  #fading: number | undefined;
  #drawing: number | undefined;

  constructor(port: Port, changed: () => void) {
    this.port = port;
    this.#changed = changed;
  }

  /** Whether a text by the user is in this page alone. */
  get isUnsaved(): boolean {
    const { editing, conflict, draft } = this;
    const isKept = conflict === undefined || conflict === draft?.conflict?.text;
    return !isKept || (editing !== undefined && editing.text !== editing.before);
  }

  /** Whether the server has not answered all changes yet. */
  get isBusy(): boolean {
    return this.work !== undefined || this.#changing !== undefined || this.#choices.length > 0;
  }

  show(change: Partial<Pick<Screen, "consent" | "editing" | "reading" | "trouble" | "status" | "conflict">>): void {
    Object.assign(this, change);
    this.#changed();
  }

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
    this.show({ trouble: undefined });
    try {
      const { draft, open = {}, ...host } = await this.port.request<HostReady>("host/ready", {});
      this.host = host;
      await (draft ? this.#take(draft) : this.#call("Opening the chat", open));
    } catch (problem) {
      this.fail(problem, () => this.begin());
    }
    const { version = 1, undo } = this.draft ?? {};
    if (version > 1 && undo !== null) {
      this.earlier = version;
      this.#changed();
    }
  }

  /** The options of a draft with the pending choices applied. */
  wanted({ options, addBack }: Draft): Wanted {
    const wanted = { ...options, addBack };
    for (const choice of this.#choices) {
      Object.assign(wanted, choice(wanted));
    }
    return wanted;
  }

  /** Shows a choice and sends it: at once, or while the slider moves after a moment. */
  choose(choice: Choice, isMoving = false): void {
    if (this.#isEditing()) {
      return; // the edit would be one of an old version
    }
    this.#choices = [...this.#choices, choice];
    this.show({ trouble: undefined, status: "" });
    window.clearTimeout(this.#timer);
    if (isMoving) {
      this.#timer = window.setTimeout(() => this.flush(), WHILE_MOVING);
    } else {
      this.flush();
    }
  }

  /** Sends what was chosen; ends when the server has answered all of it. */
  async flush(): Promise<void> {
    while (this.work === undefined && (this.#changing !== undefined || this.#choices.length > 0)) {
      this.#changing ??= this.#send().finally(() => {
        this.#changing = undefined;
        this.#changed();
      });
      await this.#changing;
    }
  }

  /** Sends the choices; on a newer version, which another window made, they are applied to that. */
  async #send(): Promise<void> {
    const sent = this.#choices;
    try {
      const draft = await this.#ask(this.#change()).catch((problem) => {
        if (!isOutdated(problem)) {
          throw problem;
        }
        this.say("This was changed in another window. Your change was applied to the newest version.");
        return this.#ask(this.#change());
      });
      this.#choices = this.#choices.slice(sent.length);
      this.#take(draft);
    } catch (problem) {
      this.#choices = [];
      this.fail(problem);
    }
  }

  /** The params of `draft` that apply the pending choices. */
  #change(): DraftParams {
    const draft = this.draft as Draft;
    const { draftId, version, options: before } = draft;
    const { addBack, ...options } = this.wanted(draft);
    const changed = Object.entries(options).filter(([name, value]) => value !== before[name as keyof Options]);
    return {
      draftId,
      version,
      ...(addBack !== draft.addBack && { addBack: [...addBack] }),
      ...(changed.length > 0 && { options: Object.fromEntries(changed) }),
    };
  }

  /** Calls `draft`; where another window made a newer version, that is shown before the call is reported as failed. */
  async #ask(asked: DraftParams, watching = {}): Promise<Draft> {
    try {
      return await this.port.request<Draft>("compactChat/draft", asked, watching);
    } catch (problem) {
      if (isOutdated(problem)) {
        this.#take(problem.data.draft as Draft);
      }
      throw problem;
    }
  }

  /** Fetches the draft again in case another window changed it. */
  async refresh(): Promise<void> {
    if (this.draft === undefined || this.isBusy || this.closed !== undefined) {
      return;
    }
    const { draftId, version } = this.draft;
    const newest = await this.#ask({ draftId }).catch(() => undefined); // the next change says what is wrong
    if (newest !== undefined && newest.version !== version) {
      this.say(NEWEST);
      this.#take(newest);
    }
  }

  /** Drops an edit that does not fit the newest version, on the server as well: else the next change brings it back. */
  discard(): void {
    const { draftId, version, compaction } = this.draft as Draft;
    this.conflict = undefined;
    this.#call("Using the new version", { draftId, version, text: compaction.continuation });
  }

  restore(version: number): void {
    const { draftId } = this.draft as Draft;
    if (!this.#isEditing()) {
      this.#call("Restoring the summary", { draftId, version });
    }
  }

  /** Goes back to the message as it was first written. */
  async startAnew(first: number): Promise<void> {
    const { draftId } = this.draft as Draft;
    if (!this.#isEditing() && (await this.#call("Starting anew", { draftId, version: first })) === "done") {
      this.anew = this.draft?.version;
      this.#changed();
    }
  }

  /** Replaces the message with what a person wrote; a version made elsewhere meanwhile is never overwritten. */
  async save(): Promise<void> {
    const { editing, draft } = this;
    if (editing === undefined || draft === undefined || editing.isSaving) {
      return;
    }
    const { text, version } = editing;
    editing.isSaving = true;
    const asked = { draftId: draft.draftId, text, version };
    const ended = await this.#call("Saving your edit", asked, () => this.save());
    editing.isSaving = false;
    if (ended === "failed" || this.editing !== editing) {
      return;
    }
    if (ended === "outdated") {
      this.show({ editing: undefined, conflict: editing.text });
    } else if (editing.text === text) {
      this.editing = undefined;
      this.say("Your edit is saved.");
    } else {
      const { compaction, version } = this.draft ?? draft;
      Object.assign(editing, { before: compaction.continuation, version });
      this.say("Your edit is saved, without what you typed since.");
    }
  }

  /** Has the host's model write the summary; asks first, unless this model was agreed to just now or for good. */
  rewrite(agreed?: HostModel): void {
    const { host, draft } = this;
    if (!host?.model || draft === undefined || this.#isEditing()) {
      return;
    }
    const { name, provider, confirmed } = host.model;
    const isAgreed = confirmed || (agreed?.name === name && agreed.provider === provider);
    this.show({ consent: isAgreed ? undefined : { isKept: false }, trouble: undefined });
    if (isAgreed) {
      const asked = { draftId: draft.draftId, version: draft.version, write: { provider } };
      const model = host.model;
      this.#call(`Rewriting with ${name}`, asked, () => this.rewrite(model));
    }
  }

  /** Runs an action of the host once all choices are applied: on this draft, or on another. */
  async run(action: string, other?: string): Promise<void> {
    if (this.closed !== undefined) {
      return action === "copy" ? this.#copy() : undefined;
    }
    if (this.#isEditing()) {
      return;
    }
    this.show({ trouble: undefined });
    await this.flush();
    if (this.draft === undefined || this.trouble !== undefined) {
      return;
    }
    try {
      const draftId = other ?? this.draft.draftId;
      const { status = "", reading } = await this.port.request<Done>("host/do", { action, draftId });
      this.reading = reading;
      this.say(status);
    } catch (problem) {
      this.fail(problem, () => this.run(action, other));
    }
  }

  /** Copies the text on the screen, which needs no connection. */
  async #copy(): Promise<void> {
    await navigator.clipboard.writeText(this.editing?.text ?? this.draft?.compaction.continuation ?? "");
    this.say("The message is copied.");
  }

  /** Whether an edit is open, and says so: its text is not in the message yet. */
  #isEditing(): boolean {
    if (this.editing !== undefined) {
      this.show({ trouble: { sentence: "Save your edit first, or cancel it." } });
    }
    return this.editing !== undefined;
  }

  close(): void {
    const refusal = this.draft === undefined ? this.trouble?.sentence : undefined;
    this.closed = refusal ?? CLOSED;
    [this.trouble, this.work] = [undefined, undefined];
    this.#changed();
  }

  /** Calls `draft` with a progress line; returns how it ended. */
  async #call(label: string, asked: DraftParams, again: () => void = () => this.#call(label, asked)) {
    const work: Work = { label, sentence: "", percentage: undefined, text: "", stop: new AbortController() };
    this.work = work;
    this.show({ trouble: undefined, status: "" });
    let ended: "done" | "outdated" | "failed" = "done";
    try {
      const draft = await this.#ask(asked, {
        progress: (sentence: string, percentage = work.percentage) => {
          Object.assign(work, { sentence, percentage });
          this.#changedSoon();
        },
        text: (text: string) => {
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
      ended = isOutdated(problem) ? "outdated" : "failed";
      if (ended === "outdated") {
        this.say(NEWEST);
      } else {
        this.fail(problem, again);
      }
    }
    this.flush();
    return ended;
  }

  #changedSoon(): void {
    this.#drawing ??= window.setTimeout(() => {
      this.#drawing = undefined;
      this.#changed();
    }, WHILE_WRITING);
  }

  #take(draft: Draft): void {
    const { version, conflict } = this.draft ?? {};
    if (version !== draft.version || conflict?.text !== draft.conflict?.text) {
      this.conflict = draft.conflict?.text ?? this.conflict;
    }
    this.draft = draft;
    this.#changed();
  }

  fail(problem: unknown, again?: () => void): void {
    if (problem instanceof Fault && problem.kind === "cancelled") {
      this.say("Stopped. Nothing was changed.");
    } else {
      const sentence = problem instanceof Error ? problem.message : String(problem);
      this.show({ trouble: this.closed === undefined ? { sentence, again } : undefined });
    }
  }
}

function isOutdated(problem: unknown): problem is Fault {
  return problem instanceof Fault && problem.kind === "draftOutdated";
}
