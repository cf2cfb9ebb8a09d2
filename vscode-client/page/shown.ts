/** What the draft says, put together for the screen, with what a person chose and the server has not answered yet. */

import type { Draft, DraftParams, FactShown, MessageFate, Options, Preview, Scope } from "../src/wire";

import type { Screen } from "./screen";
import { toolName } from "./words";

/** A fact, where it is in the message, and what it costs to add it back. */
export interface Fact extends FactShown {
  readonly cost: number | undefined;
}

export interface Shown {
  readonly missing: readonly Fact[]; // those that are added back among them
  readonly kept: readonly Fact[];
  readonly tokens: number;
  readonly counts: { readonly kept: number; readonly total: number; readonly shortened: number };
  readonly added: ReadonlySet<string>;
  readonly turns: readonly Turn[];
  readonly classes: readonly { readonly name: string; readonly total: number; readonly kept: number }[];
}

/** Whether it is a part of a message that stays, which is no fact and is not counted as such. */
export function isPart(fact: { readonly class: string }): boolean {
  return fact.class === "omissions";
}

/** What is kept and missing of a draft, at the length that the slider is at. */
export function shown(draft: Draft, screen: Pick<Screen, "intent" | "length">): Shown {
  const { classes, facts: known = [] } = draft.compaction.survival;
  const lost = classes.flatMap(({ name, lost: rows }) =>
    rows.map(({ cost, ...row }): Fact => ({ ...row, class: name, at: null, cost })),
  );
  const costs = new Map(lost.map((fact) => [fact.id, fact]));
  const isKnown = new Set(known.map(({ id }) => id));
  const all = [
    ...known.map((fact): Fact => ({ ...fact, cost: costs.get(fact.id)?.cost })),
    ...lost.filter(({ id }) => !isKnown.has(id)),
  ];
  const added = chosen(draft, screen.intent, "addBack");
  const length = screen.length === undefined ? undefined : draft.preview.lengths?.[screen.length];
  const shortened = lost.filter(isPart);
  const gone = new Set(
    length === undefined ? lost.map(({ id }) => id) : [...length.missing, ...shortened.map(({ id }) => id)],
  );
  const order = new Map(classes.map(({ name }, index) => [name, index]));
  const rows = all.filter(({ id }) => gone.has(id) || added.has(id));
  rows.sort((one, other) => (order.get(one.class) ?? 99) - (order.get(other.class) ?? 99));
  const last = draft.versions.at(-1);
  const kept = all.filter(({ id }) => !gone.has(id) || added.has(id));
  const extra = rows.filter(({ id }) => gone.has(id) && added.has(id));
  const whole = length === undefined ? undefined : { ...length, tokens: length.tokens + besides(draft) };
  const base = whole ?? {
    kept: last?.kept ?? kept.length,
    total: last?.total ?? all.length,
    tokens: last?.tokens ?? 0,
  };
  return {
    missing: rows,
    kept,
    tokens: base.tokens + extra.reduce((sum, { cost }) => sum + (cost ?? 0), 0),
    counts: {
      kept: Math.min(base.total, base.kept + extra.filter((fact) => !isPart(fact)).length),
      total: base.total,
      shortened: shortened.filter(({ id }) => !added.has(id)).length,
    },
    added,
    turns: turns(draft, screen.intent),
    classes: classes.map((one) => {
      const isListed = known.some((fact) => fact.class === one.name);
      const number = isListed ? kept.filter((fact) => fact.class === one.name).length : one.kept;
      return { name: one.name, total: one.total, kept: number };
    }),
  };
}

/** Which of the lengths a draft has. */
export function lengthOf({ options, preview: { lengths } }: Draft): number {
  const budget = options.summaryBudget ?? undefined;
  const away = (lengths ?? []).map((one) => Math.abs(one.budget - (budget ?? 0)));
  return budget === undefined ? stop(lengths, options.length) : Math.max(0, away.indexOf(Math.min(...away)));
}

/** Which of the lengths is a named one. */
export function stop(lengths: Preview["lengths"], name: Options["length"] = "standard"): number {
  const [last, usual] = [(lengths ?? []).length - 1, (lengths ?? []).findIndex((one) => one.name === "standard")];
  return Math.max(0, { brief: 0, standard: usual, full: last }[name]);
}

/** Tokens of the message besides its summary, which `preview.lengths` counts alone: what stays word for word. */
export function besides(draft: Draft): number {
  const next = draft.preview.nextChat?.continuation;
  const summary = draft.preview.lengths?.[lengthOf(draft)]?.tokens ?? 0;
  return next ? Math.max(0, next.tokens - next.fixed - summary) : 0;
}

export type TurnFate = "keep" | "summarize" | "drop" | "part";

/** A message of the user and all that follows it up to the next. */
export interface Turn {
  readonly key: string;
  readonly number: number; // as in the message, where earlier turns count too; 0 stands before the user's first words
  readonly isContinued: boolean; // its first words were compacted by the tool, or there are none
  readonly title: string;
  readonly messages: readonly MessageFate[];
  readonly tokens: number;
  readonly fate: TurnFate;
  readonly isPinned: boolean;
  readonly isShortened: boolean;
  readonly rules: number;
  readonly errors: number;
}

/** The chat in turns, as the server counts them. */
function turns(draft: Draft, intent: Intent): Turn[] {
  const { preview, compaction, report } = draft;
  const { classes, facts = [] } = compaction.survival;
  const cut = classes.filter(({ name }) => name === "userMessages" || name === "omissions").flatMap(({ lost }) => lost);
  const shortened = new Set(cut.map(({ message }) => message));
  const [pins, drops] = [chosen(draft, intent, "pin"), chosen(draft, intent, "drop")];
  const [rules, errors] = [tally(facts, ["constraints", "preferences"]), tally(facts, ["errors"])];
  const replaced = new Map(Object.entries(draft.turns));
  const groups = new Map<number, MessageFate[]>();
  for (const message of preview.messages) {
    const number = draft.turns[message.id] ?? 0;
    groups.get(number)?.push(message) ?? groups.set(number, [message]);
    replaced.delete(message.id);
  }
  const earlier = new Set(replaced.values());
  return [...groups].map(([number, messages]): Turn => {
    const fate = fateOf(messages, pins, drops);
    const head = messages.find(({ kind }) => kind !== "empty") ?? messages[0];
    const sum = (of: (message: MessageFate) => number) => messages.reduce((all, one) => all + of(one), 0);
    return {
      key: messages[0]?.id ?? "",
      number,
      isContinued: number === 0 || earlier.has(number),
      title: head?.kind === "summary" ? `Summary by ${toolName(report.tool)}` : (head?.excerpt ?? ""),
      messages,
      tokens: sum(({ tokens }) => tokens),
      fate,
      isPinned: messages.some(({ id }) => pins.has(id)),
      isShortened: fate !== "drop" && messages.some(({ id, fate }) => shortened.has(id) || fate === "prune"),
      rules: sum(({ id }) => rules.get(id) ?? 0),
      errors: sum(({ id }) => errors.get(id) ?? 0),
    };
  });
}

/** Counts the facts of some classes by their message. */
function tally(facts: readonly FactShown[], names: readonly string[]): ReadonlyMap<string | null, number> {
  const found = new Map<string | null, number>();
  for (const { class: name, message } of facts) {
    if (names.includes(name)) {
      found.set(message, (found.get(message) ?? 0) + 1);
    }
  }
  return found;
}

/** The name under which the whole of a long list is unfolded. */
export function wholeOf(list: string): string {
  return `all ${list}`;
}

function fateOf(messages: readonly MessageFate[], pins: ReadonlySet<string>, drops: ReadonlySet<string>): TurnFate {
  const fates = new Set(
    messages.map(({ id, fate }) => {
      if (drops.has(id)) {
        return "drop";
      }
      if (pins.has(id) || fate === "keep" || fate === "prune") {
        return "keep";
      }
      return "summarize";
    }),
  );
  return fates.size === 1 ? ([...fates][0] as TurnFate) : "part";
}

const LISTS = ["addBack", "pin", "drop"] as const;
type List = (typeof LISTS)[number];

/** Single choices, so that they can be applied to any version. */
export interface Intent extends Partial<Readonly<Record<List, ReadonlyMap<string, boolean>>>> {
  readonly budget?: number;
  readonly scope?: Scope;
}

export const NOTHING: Intent = {};

/** Puts later choices over earlier ones. */
export function joined(one: Intent, other: Intent): Intent {
  const lists = LISTS.map((name) => [name, new Map([...(one[name] ?? []), ...(other[name] ?? [])])]);
  return { ...one, ...other, ...Object.fromEntries(lists) };
}

/** The ids in a list of a draft's, with the choices that are under way. */
export function chosen({ addBack, options }: Draft, intent: Intent, name: List): Set<string> {
  const found = new Set(name === "addBack" ? addBack : options[name]);
  for (const [id, isIn] of intent[name] ?? []) {
    isIn ? found.add(id) : found.delete(id);
  }
  return found;
}

/** What a call of `draft` has to say for these choices to hold. */
export function params(draft: Draft, intent: Intent): DraftParams {
  const list = (name: List) => ((intent[name]?.size ?? 0) > 0 ? { [name]: [...chosen(draft, intent, name)] } : {});
  const budget = intent.budget === undefined ? {} : { summaryBudget: intent.budget };
  const options = { ...list("pin"), ...list("drop"), ...budget, ...(intent.scope && { scope: intent.scope }) };
  const { draftId, version } = draft;
  return { draftId, version, ...(Object.keys(options).length > 0 && { options }), ...list("addBack") };
}
