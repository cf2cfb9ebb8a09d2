/** One page as it is now: its versions, what is known of them, and the text of its document. */

import { type Event, EventEmitter, env, l10n, type Uri } from "vscode";
import type { NamedChat, Page, Version } from "../house";
import type { Compaction, Options, Survival } from "../wire";
import { belowMarker } from "./body";
import type { Sheet } from "./sheet";
import { joined, report, reportWhileWriting, type Told } from "./text";
import type { Visible } from "./visible";

interface Checked {
  readonly body: string;
  readonly survival: Survival;
}

/** A version with the options that it was made by. */
export interface Made extends Version {
  readonly options: Options;
}

interface Shown extends Made {
  /** What the server found in the message, or in an earlier state of it. */
  readonly checked?: Checked;
}

/** A model that writes for a page. */
export interface Writing {
  readonly model: string;
  readonly stop: () => void;
}

export class OpenPage implements Page {
  readonly #changed = new EventEmitter<void>();
  readonly onChanged: Event<void> = this.#changed.event;
  #versions: [Shown, ...Shown[]];
  #settled: { readonly body: string; readonly compaction: Compaction } | undefined;
  #writing: Writing | undefined;
  #heard: Visible = { thought: 0, text: "" };
  /** The document as the user saved it, until its report is updated. */
  #saved: string | undefined;
  /** What the user saved below the marked line, to the last blank. */
  #below: string | undefined;
  #unchecked: string | undefined;

  constructor(
    readonly uri: Uri,
    readonly key: string,
    readonly chat: NamedChat,
    versions: readonly [Made, ...Made[]],
  ) {
    this.#versions = [...versions];
  }

  get options(): Options {
    return this.shown.options;
  }

  get versions(): readonly [Made, ...Made[]] {
    return this.#versions;
  }

  get shown(): Shown {
    return this.#versions.at(-1) ?? this.#versions[0];
  }

  get isWriting(): boolean {
    return this.#writing !== undefined;
  }

  get writing(): Writing | undefined {
    return this.#writing;
  }

  get heard(): Visible {
    return this.#heard;
  }

  /** Adds a version, which is shown from now on; its writer has finished. */
  push(version: Version, options: Options): void {
    this.#writing = undefined;
    this.#versions.push({ ...version, options });
    this.#showAnew();
  }

  /** Shows the version before, and behind the first one the newest again: none is lost. Says whether there is another. */
  turnBack(): boolean {
    const [first, ...others] = this.#versions;
    const last = others.pop();
    if (last) {
      this.#versions = [last, first, ...others];
      this.#showAnew();
    }
    return last !== undefined;
  }

  /** Takes what the user saved; the document stays exactly as saved until the report is updated. */
  save(text: string, body: string): void {
    this.#saved = text;
    this.#below = belowMarker(text, this.key);
    this.#replace({ ...this.shown, body });
  }

  /** Replaces the message of the next chat. */
  rewrite(body: string): void {
    this.#replace({ ...this.shown, body });
    this.#showAnew();
  }

  /** Takes what the server found in a text; reported once nothing newer is below. */
  check(body: string, survival: Survival): void {
    this.#replace({ ...this.shown, checked: { body, survival } });
    this.#tellOf(body);
  }

  /** Records that a text could not be checked, which is shown while that text is. */
  missCheck(body: string): void {
    this.#unchecked = body;
    this.#tellOf(body);
  }

  get survival(): Survival {
    return this.shown.checked?.survival ?? this.shown.compaction.survival;
  }

  /** What an edited text became at the server, where that is known. */
  settledAs(body: string): Compaction | undefined {
    return this.#settled?.body === body ? this.#settled.compaction : undefined;
  }

  settle(body: string, compaction: Compaction): void {
    this.#settled = { body, compaction };
  }

  beginWriting(writing: Writing): void {
    this.#heard = { thought: 0, text: "" };
    this.#writing = writing;
    this.#changed.fire();
  }

  hear(heard: Visible): void {
    if (this.#writing) {
      this.#heard = heard;
      this.#changed.fire();
    }
  }

  endWriting(): void {
    if (this.#writing) {
      this.#writing = undefined;
      this.#changed.fire();
    }
  }

  get sheet(): Sheet {
    return this.#writing ? reportWhileWriting(this.#told, this.#writing.model) : report(this.#told);
  }

  get text(): string {
    if (this.#writing) {
      return joined(this.sheet, this.#heardText);
    }
    const told = this.#below === undefined ? joined(this.sheet, this.shown.body) : `${this.sheet.text}\n${this.#below}`;
    return this.#saved ?? told;
  }

  dispose(): void {
    this.#writing?.stop();
    this.#changed.dispose();
  }

  get #heardText(): string {
    const { thought, text } = this.#heard;
    return thought > 0 ? l10n.t("Thinking… ({0} characters)", thought.toLocaleString(env.language)) : text;
  }

  get #told(): Told {
    const { compaction, body, checked } = this.shown;
    const isChecked = (checked?.body ?? compaction.continuation) === body;
    const state = isChecked ? "checked" : body === this.#unchecked ? "missed" : "checking";
    const { key, chat, survival } = this;
    return { key, ...chat, compaction, body, survival, state, l10n, language: env.language };
  }

  #replace(last: Shown): void {
    const [first, ...others] = this.#versions;
    this.#versions = others.length > 0 ? [first, ...others.slice(0, -1), last] : [last];
  }

  /** Updates the report once nothing newer is below it. */
  #tellOf(body: string): void {
    if (this.shown.body === body && (this.#saved === undefined || this.#below !== undefined)) {
      this.#saved = undefined;
      this.#changed.fire();
    }
  }

  #showAnew(): void {
    this.#saved = undefined;
    this.#below = undefined;
    this.#changed.fire();
  }
}
