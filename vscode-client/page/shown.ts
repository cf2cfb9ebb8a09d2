/** The draft prepared for the screen, with choices applied that the server has not answered yet. */

import type { Draft, FactShown, LengthShown, MessageFate, TurnShown } from "../src/wire";
import type { Wanted } from "./screen";
import { tokens } from "./words";

/** A fact, where it is in the message, and what it costs to add it back. */
export interface Fact extends FactShown {
  readonly cost?: number;
}

export interface Shown {
  readonly missing: readonly Fact[]; // including those added back
  readonly lacking: ReadonlySet<string>; // those of them that are not in the message
  readonly kept: readonly Fact[];
  readonly lengths: readonly LengthShown[]; // that the slider has
  readonly at: number; // the one of them that it is at
  readonly tokens: number;
  readonly sizes: readonly number[]; // of the message at each of the lengths
  readonly counts: { readonly kept: number; readonly total: number; readonly shortened: number };
  readonly added: ReadonlySet<string>;
  readonly turns: readonly Turn[];
  readonly classes: readonly { readonly name: string; readonly total: number; readonly kept: number }[];
}

/** Whether it is a shortened part of a kept message, which does not count as a fact. */
export function isPart(fact: { readonly class: string }): boolean {
  return fact.class === "omissions";
}

/** What is kept and missing of a draft, at the length that the slider is at. */
export function shown(draft: Draft, wanted: Wanted): Shown {
  const { classes, facts: known = [] } = draft.compaction.survival;
  const lost = classes.flatMap(({ name, lost: rows }) => rows.map((row): Fact => ({ ...row, class: name, at: null })));
  const all = [...new Map([...known, ...lost].map((fact): [string, Fact] => [fact.id, fact])).values()];
  const lengths = lengthsOf(draft);
  const [added, at] = [new Set(wanted.addBack), lengthOf(lengths, wanted)];
  const length = wanted.summaryBudget === draft.options.summaryBudget ? undefined : lengths[at];
  const parts = lost.filter(isPart).map(({ id }) => id);
  const gone = new Set(length === undefined ? lost.map(({ id }) => id) : [...length.missing, ...parts]);
  const before = new Set(draft.addBack);
  const isNew = (id: string) => added.has(id) && !before.has(id); // the server has not added it yet
  const isTaken = (id: string) => before.has(id) && !added.has(id); // nor removed it
  const isLacking = (id: string) => isTaken(id) || (gone.has(id) && !isNew(id));
  const kept = all.filter(({ id }) => !isLacking(id));
  const taken = all.filter(({ id }) => isTaken(id) && !gone.has(id));
  const extra = all.filter(({ id }) => gone.has(id) && isNew(id));
  const last = draft.versions.at(-1) ?? { kept: kept.length, total: all.length, tokens: 0 };
  const { total, ...base } = length === undefined ? last : { ...length, tokens: length.message ?? 0 };
  const costs = new Map(all.map(({ id, cost = 0 }) => [id, isNew(id) ? cost : 0]));
  const sizes = lengths.map(({ message = 0, missing }) =>
    missing.reduce((sum, id) => sum + (costs.get(id) ?? 0), message),
  );
  return {
    missing: all.filter(({ id }) => gone.has(id) || added.has(id) || before.has(id)),
    lacking: new Set(all.map(({ id }) => id).filter(isLacking)),
    kept,
    lengths,
    at,
    tokens: extra.reduce((sum, { cost = 0 }) => sum + cost, base.tokens),
    sizes,
    counts: {
      kept: Math.min(total, base.kept + extra.filter((fact) => !isPart(fact)).length - taken.length),
      total,
      shortened: parts.filter((id) => !isNew(id)).length,
    },
    added,
    turns: turns(draft, wanted),
    classes: classes.map(({ name, total, kept: number }) => {
      const isListed = known.some((fact) => fact.class === name);
      return { name, total, kept: isListed ? kept.filter((fact) => fact.class === name).length : number };
    }),
  };
}

/** The lengths that differ: in a small chat some give the message of the usual one, or that of the next towards the end. */
function lengthsOf({ preview }: Draft): LengthShown[] {
  const all = preview.lengths ?? [];
  const usual = all.findIndex(({ name }) => name === "standard");
  const size = (index: number) => all[index]?.message ?? 0;
  return all.filter(({ name }, index) => {
    const isTwice = name === null && size(index) === size(index < usual ? index - 1 : index + 1);
    return index === usual || !(isTwice || tokens(size(index)) === tokens(size(usual)));
  });
}

/** Which of the lengths a draft has. */
function lengthOf(lengths: readonly LengthShown[], { summaryBudget, length = "standard" }: Wanted): number {
  const away = lengths.map(({ budget }) => Math.abs(budget - (summaryBudget ?? 0)));
  const named = lengths.findIndex(({ name }) => name === length);
  const usual = lengths.findIndex(({ name }) => name === "standard");
  return Math.max(0, summaryBudget ? away.indexOf(Math.min(...away)) : named < 0 ? usual : named);
}

export type TurnFate = "keep" | "summarize" | "drop" | "mixed";

/** A message of the user and all that follows it up to the next. */
export interface Turn extends TurnShown {
  readonly fate: TurnFate;
  readonly isPinned: boolean;
}

function turns({ strip, preview }: Draft, wanted: Wanted): Turn[] {
  const [pins, drops] = [new Set(wanted.pin), new Set(wanted.drop)];
  const fates = new Map(preview.messages.map((message) => [message.id, fateOf(message, pins, drops)]));
  return strip.map((turn): Turn => {
    const found = new Set(turn.messages.map((id) => fates.get(id)));
    const [fate = "mixed"] = found.size === 1 ? found : [];
    const isPinned = turn.messages.some((id) => pins.has(id));
    return { ...turn, fate, isPinned, shortened: turn.shortened && fate !== "drop" };
  });
}

function fateOf({ id, fate }: MessageFate, pins: ReadonlySet<string>, drops: ReadonlySet<string>): TurnFate {
  if (drops.has(id)) {
    return "drop";
  }
  return pins.has(id) || fate === "keep" || fate === "prune" ? "keep" : "summarize";
}

/** A list with some ids, or without them. */
export function listed(list: Iterable<string> = [], ids: readonly string[], isIn: boolean): string[] {
  const found = new Set(list);
  for (const id of ids) {
    isIn ? found.add(id) : found.delete(id);
  }
  return [...found];
}
