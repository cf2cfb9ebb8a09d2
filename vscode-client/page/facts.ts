/** What is missing, with boxes to add it back, and what is kept, folded by class. */

import type { Draft } from "../src/wire";
import { button, type Child, card, h, type VNode } from "./dom";
import { placeOf } from "./message";
import { peek } from "./reading";
import type { Screen } from "./screen";
import { type Fact, isPart, type Shown, wholeOf } from "./shown";
import { clipped, facts as counted, kind, tokens } from "./words";

const MOST = 12; // rows of a list before the rest is folded
const AS_CODE: ReadonlySet<string> = new Set(["commands", "modifiedFiles", "readFiles", "values"]);

export function missing(screen: Screen, draft: Draft, now: Shown): VNode {
  const open = now.missing.filter(({ id }) => !now.added.has(id));
  const cost = open.reduce((sum, fact) => sum + (fact.cost ?? 0), 0);
  const shortened = open.filter(isPart).length;
  const addAll = () => screen.choose({ addBack: new Map(open.map(({ id }) => [id, true])) });
  return card(
    "missing",
    "Missing",
    [
      h(
        "h2",
        { class: open.length > 0 ? "warn" : "" },
        `Missing (${open.length - shortened})${shortened > 0 ? `, shortened (${shortened})` : ""}`,
      ),
      open.length > 0 && button(`Add Back All${cost > 0 ? ` · +${tokens(cost)}` : ""}`, "link", addAll),
    ],
    now.missing.length === 0 && h("p.quiet", "Nothing is missing."),
    h(
      "ul.rows",
      limited(screen, "missing", now.missing, (fact) =>
        missingRow(screen, fact, now.added.has(fact.id), turnOf(draft, fact)),
      ),
    ),
  );
}

function missingRow(screen: Screen, fact: Fact, isAdded: boolean, where: string): VNode {
  const { id, text, cost, message } = fact;
  const onchange = ({ target }: Event) =>
    screen.choose({ addBack: new Map([[id, (target as HTMLInputElement).checked]]) });
  const about = [kind(fact.class), where, isAdded && "added back, stays through every rewrite"];
  const title = clipped(text, 60);
  return h(
    "li.row",
    { key: id },
    h(
      "label",
      h("input", { type: "checkbox", checked: isAdded, onchange }),
      worded(fact),
      cost !== undefined && h("span.quiet.price", `+${tokens(cost)}`),
    ),
    h(
      "p.quiet.meta",
      about.filter(Boolean).join(" · "),
      message !== null && [
        " · ",
        button("Peek", "link", () => peek(screen, title, [message]), {
          "aria-label": `Peek at the original: ${title}`,
        }),
      ],
    ),
  );
}

export function kept(screen: Screen, draft: Draft, now: Shown): VNode {
  const names = now.classes.filter(({ total }) => total > 0).map(({ name }) => name);
  const open = names.filter((name) => screen.unfolded.has(name));
  const isAll = open.length === names.length;
  const toggleAll = () => {
    for (const name of isAll ? names : names.filter((one) => !open.includes(one))) {
      screen.toggle(name);
    }
  };
  const list = (name: string) => {
    const rows = now.kept.filter((fact) => fact.class === name);
    return h(
      "ul.rows",
      { key: name, id: `kept-${name}`, "aria-label": counted(name, rows.length) },
      limited(screen, name, rows, (fact) => keptRow(draft, fact, turnOf(draft, fact))),
    );
  };
  return card(
    "kept",
    "Kept",
    [h("h2", `Kept (${now.counts.kept})`), button(isAll ? "Fold All" : "Show All", "link", toggleAll)],
    h(
      "div.chips",
      now.classes.map((one) => names.includes(one.name) && chip(screen, one)),
    ),
    open.map(list),
  );
}

function chip(screen: Screen, { name, total, kept: number }: Shown["classes"][number]): VNode {
  const text = number < total ? `${number} of ${counted(name, total)}` : counted(name, total);
  return button(
    [name === "constraints" && "⚑ ", text],
    number < total ? "chip partly" : "chip",
    () => screen.toggle(name),
    { key: name, "data-class": name, "aria-expanded": String(screen.unfolded.has(name)) },
  );
}

function keptRow(draft: Draft, fact: Fact, where: string): VNode {
  const place = placeOf(draft, fact);
  const meta = [where, place && `→ ${place}`].filter(Boolean).join(" ");
  return h(
    "li.row",
    { key: fact.id },
    h(
      "button.fact-row",
      { type: "button", "data-fact": fact.id, title: "Show where it is in the message" },
      worded(fact),
      h("span.quiet", ` ${meta}`),
    ),
  );
}

function worded({ class: name, text }: Fact): VNode {
  const short = clipped(text, 160);
  const shown = name === "userMessages" ? `“${short}”` : short;
  return h("span.text", { dir: "auto" }, AS_CODE.has(name) ? h("code", shown) : shown);
}

function limited(screen: Screen, name: string, rows: readonly Fact[], row: (fact: Fact) => VNode): Child[] {
  const more = wholeOf(name);
  if (rows.length <= MOST || screen.unfolded.has(more)) {
    return rows.map(row);
  }
  const unfold = button(`Show ${rows.length - MOST} More`, "link", () => screen.toggle(more));
  return [...rows.slice(0, MOST).map(row), h("li.row", { key: more }, unfold)];
}

/** Says of a fact in which turn it was stated. */
function turnOf({ turns }: Draft, { message }: Fact): string {
  const number = turns[message ?? ""];
  return message === null ? "" : number === undefined ? "earlier" : `turn ${number}`;
}
