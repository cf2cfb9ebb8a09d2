/** What is missing, with boxes to add it back, and what is kept, folded by class. */

import type { Draft } from "../src/wire";
import { button, type Child, card, h, type VNode } from "./dom";
import { headings, wholeOf } from "./message";
import { peek } from "./reading";
import type { Screen } from "./screen";
import { type Fact, isPart, listed, type Shown } from "./shown";
import { clipped, facts as counted, kind, tokens, upperFirst } from "./words";

const MOST = 12; // rows of a list that are shown at first
const AS_CODE: ReadonlySet<string> = new Set(["commands", "modifiedFiles", "readFiles", "attachedFiles", "values"]);

export function missing(screen: Screen, draft: Draft, { missing: all, added, lacking }: Shown): VNode {
  const open = all.filter(({ id }) => lacking.has(id));
  const lost = open.filter((fact) => !isPart(fact)); // the others are whole in the archive only
  const price = lost.reduce((sum, { cost = 0 }) => sum + cost, 0);
  const shortened = open.length - lost.length;
  const counts = { missing: lost.length, shortened, "added back": all.length - open.length };
  const listing = Object.entries(counts).filter(([, number]) => number > 0);
  const heading = listing.map(([name, number]) => `${name} (${number})`).join(", ") || "missing (0)";
  return card(
    "missing",
    "Missing",
    [
      h("h2", { class: open.length > 0 && "warn" }, upperFirst(heading)),
      lost.length > 0 &&
        button(`Add Back All${price > 0 ? ` · +${tokens(price)}` : ""}`, "link", () => add(screen, lost, true)),
    ],
    all.length === 0 && h("p.quiet", "Nothing is missing."),
    limited(screen, "missing", all, (fact) =>
      missingRow(screen, draft, fact, added.has(fact.id), lacking.has(fact.id)),
    ),
  );
}

function add(screen: Screen, facts: readonly Fact[], isIn: boolean): void {
  const ids = facts.map(({ id }) => id);
  screen.choose(({ addBack }) => ({ addBack: listed(addBack, ids, isIn) }));
}

/** The message that a fact is from. An error is of the call that failed, and the results after it say how. */
function originals({ turns, preview }: Draft, { class: name, message }: Fact): string[] {
  if (message === null) {
    return [];
  }
  const ids = Object.keys(turns);
  const after = name === "errors" ? ids.slice(ids.indexOf(message) + 1) : [];
  const results = new Set(preview.messages.filter(({ kind }) => kind === "toolResult").map(({ id }) => id));
  const end = [...after, ""].findIndex((id) => !results.has(id));
  return [message, ...after.slice(0, Math.max(1, end))]; // of an earlier message the kind is not known
}

function missingRow(screen: Screen, draft: Draft, fact: Fact, isAdded: boolean, isLacking: boolean): VNode {
  const { id, text, cost } = fact;
  const onchange = ({ target }: Event) => add(screen, [fact], (target as HTMLInputElement).checked);
  const added = isLacking ? "added back, but not in your text" : "added back, stays through every rewrite";
  const where = "whole in an exported session";
  const about = [kind(fact.class), turnOf(draft, fact), isPart(fact) && where, isAdded && added];
  const ids = originals(draft, fact);
  const title = clipped(text, 60);
  const label = { "aria-label": `Peek at the original: ${title}` };
  return h(
    "li.row",
    { key: id },
    h(
      "label",
      !isPart(fact) && h("input", { type: "checkbox", checked: isAdded, onchange }),
      worded(fact),
      cost !== undefined && !isPart(fact) && h("span.quiet", `+${tokens(cost)}`),
    ),
    h(
      "p.quiet.meta",
      about.filter(Boolean).join(" · "),
      ids.length > 0 && [" · ", button("Peek", "link", () => peek(screen, title, ids), label)],
    ),
  );
}

export function kept(screen: Screen, draft: Draft, now: Shown): VNode {
  const classes = now.classes.filter(({ total }) => total > 0);
  const lists = classes.filter(({ name }) => !isPart({ class: name })); // whole messages are only counted
  const open = lists.filter(({ name }) => screen.unfolded.has(name));
  const places = open.length > 0 ? headings(draft) : [];
  const whereIs = (fact: Fact) => {
    const place = places.findLast(({ from }) => fact.at !== null && from <= fact.at[0]);
    const isTurn = /^Turn \d/.test(place?.title ?? ""); // which is said already
    return [turnOf(draft, fact), place && !isTurn && `→ ${place.title}`].filter(Boolean).join(" ");
  };
  const isAll = open.length === lists.length;
  const toggleAll = () => {
    for (const { name } of isAll ? lists : lists.filter((one) => !open.includes(one))) {
      screen.toggle(name);
    }
  };
  return card(
    "kept",
    "Kept",
    [h("h2", `Kept (${now.counts.kept})`), button(isAll ? "Fold All" : "Show All", "link", toggleAll)],
    h(
      "div.chips",
      classes.map((one) => chip(screen, one)),
    ),
    open.flatMap(({ name }) => {
      const rows = now.kept.filter((fact) => fact.class === name);
      const title = counted(name, rows.length);
      return [
        h("h3.quiet", { key: name }, title),
        limited(screen, name, rows, (fact) => keptRow(fact, whereIs(fact)), title),
      ];
    }),
  );
}

function chip(screen: Screen, { name, total, kept: number }: Shown["classes"][number]): VNode {
  const text = `${number < total ? `${number} of ` : ""}${counted(name, total)}`;
  const state = { key: name, "data-class": name, "aria-expanded": String(screen.unfolded.has(name)) };
  const look = number < total ? "chip partly" : "chip";
  if (isPart({ class: name })) {
    return h("span", { key: name, class: look }, text);
  }
  return button([name === "constraints" && "⚑ ", text], look, () => screen.toggle(name), state);
}

function keptRow(fact: Fact, where: string): VNode {
  const look = { type: "button", "data-fact": fact.id, title: "Show where it is in the message" };
  return h("li.row", { key: fact.id }, h("button.fact-row", look, worded(fact), h("span.quiet", ` ${where}`)));
}

function worded({ class: name, text }: Fact): VNode {
  const short = clipped(text, 160);
  const shown = name === "userMessages" ? `“${short}”` : short;
  return h("span.text", { dir: "auto" }, AS_CODE.has(name) ? h("code", shown) : shown);
}

function limited(
  screen: Screen,
  name: string,
  rows: readonly Fact[],
  row: (fact: Fact) => Child,
  label?: string,
): VNode {
  const more = wholeOf(name);
  const most = screen.unfolded.has(more) ? rows.length : MOST;
  const unfold = button(`Show ${rows.length - most} More`, "link", () => screen.toggle(more));
  return h(
    "ul.rows",
    { key: name, "aria-label": label },
    rows.slice(0, most).map(row),
    rows.length > most && h("li.row", { key: more }, unfold),
  );
}

/** The turn in which a fact was stated. */
function turnOf({ turns }: Draft, { message }: Fact): string {
  const number = turns[message ?? ""];
  const turn = number === 0 ? "before turn 1" : `turn ${number}`;
  return message === null ? "" : number === undefined ? "earlier" : turn;
}
