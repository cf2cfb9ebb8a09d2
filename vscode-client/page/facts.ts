/** What is missing, with boxes to add it back, and what is kept, folded by class. */

import type { Draft } from "../src/wire";
import { button, type Child, h, type VNode } from "./dom";
import { placeOf } from "./message";

import { peek } from "./reading";
import type { Screen } from "./screen";
import { type Fact, isPart, type Shown, typedIn, wholeOf } from "./shown";
import { clipped, facts as counted, kind, tokens } from "./words";

const MOST = 12; // rows of a list before the rest is folded
const AS_CODE: ReadonlySet<string> = new Set(["commands", "modifiedFiles", "readFiles", "values"]);

export function missing(screen: Screen, draft: Draft, now: Shown): VNode {
  const open = now.missing.filter(({ id }) => !now.added.has(id));
  const cost = open.reduce((sum, fact) => sum + (fact.cost ?? 0), 0);
  const where = turnOf(draft, now);
  return h(
    "section",
    { class: "card missing", "aria-label": "Missing" },
    h(
      "div",
      { class: "head" },
      h("h2", { class: open.length > 0 ? "warn" : "" }, heading(open)),
      open.length > 0 &&
        button(`Add Back All${cost > 0 ? ` · +${tokens(cost)}` : ""}`, "link", () =>
          screen.choose({ addBack: new Map(open.map(({ id }) => [id, true])) }),
        ),
    ),
    now.missing.length === 0 && h("p", { class: "quiet" }, "Nothing is missing."),
    h(
      "ul",
      { class: "rows" },
      limited(screen, "missing", now.missing, (fact) => missingRow(screen, fact, now.added.has(fact.id), where)),
    ),
  );
}

function heading(open: readonly Fact[]): string {
  const shortened = open.filter(isPart).length;
  return `Missing (${open.length - shortened})${shortened > 0 ? `, shortened (${shortened})` : ""}`;
}

function missingRow(screen: Screen, fact: Fact, isAdded: boolean, where: (fact: Fact) => string): VNode {
  const { id, text, cost, message } = fact;
  return h(
    "li",
    { key: id, class: "row" },
    h(
      "label",
      {},
      h("input", {
        type: "checkbox",
        checked: isAdded,
        onchange: (event: Event) =>
          screen.choose({ addBack: new Map([[id, (event.target as HTMLInputElement).checked]]) }),
      }),
      worded(fact),
      cost !== undefined && h("span", { class: "quiet price" }, `+${tokens(cost)}`),
    ),
    h(
      "p",
      { class: "quiet meta" },
      [kind(fact.class), where(fact), isAdded ? "added back, stays through every rewrite" : ""]
        .filter((part) => part !== "")
        .join(" · "),
      message !== null && [
        " · ",
        button("Peek", "link", () => peek(screen, clipped(text, 60), [message]), {
          "aria-label": `Peek at the original: ${clipped(text, 60)}`,
        }),
      ],
    ),
  );
}

export function kept(screen: Screen, draft: Draft, now: Shown): VNode {
  const where = turnOf(draft, now);
  const classes = now.classes.filter(({ total }) => total > 0);
  const isAll = classes.every(({ name }) => screen.unfolded.has(name));
  const toggleAll = () => {
    for (const { name } of classes) {
      isAll ? screen.unfolded.delete(name) : screen.unfolded.add(name);
    }
    screen.show({});
  };
  return h(
    "section",
    { class: "card kept", "aria-label": "Kept" },
    h(
      "div",
      { class: "head" },
      h("h2", {}, `Kept (${now.counts.kept})`),
      button(isAll ? "Fold All" : "Show All", "link", toggleAll),
    ),
    h(
      "div",
      { class: "chips" },
      classes.map((one) => chip(screen, one)),
    ),
    classes
      .filter(({ name }) => screen.unfolded.has(name))
      .map(({ name }) => {
        const rows = now.kept.filter((fact) => fact.class === name);
        return h(
          "ul",
          { key: name, class: "rows", id: `kept-${name}`, "aria-label": counted(name, rows.length) },
          limited(screen, name, rows, (fact) => keptRow(draft, fact, where)),
        );
      }),
  );
}

function chip(screen: Screen, { name, total, kept: number }: Shown["classes"][number]): VNode {
  const isOpen = screen.unfolded.has(name);
  const toggle = () => {
    isOpen ? screen.unfolded.delete(name) : screen.unfolded.add(name);
    screen.show({});
  };
  const text = number < total ? `${number} of ${counted(name, total)}` : counted(name, total);
  return button([name === "constraints" && "⚑ ", text], number < total ? "chip partly" : "chip", toggle, {
    key: name,
    "data-class": name,
    "aria-expanded": String(isOpen),
  });
}

function keptRow(draft: Draft, fact: Fact, where: (fact: Fact) => string): VNode {
  const place = placeOf(draft, fact);
  const meta = [where(fact), place === "" ? "" : `→ ${place}`].filter((part) => part !== "").join(" ");
  return h(
    "li",
    { key: fact.id, class: "row" },
    h(
      "button",
      { type: "button", class: "fact-row", "data-fact": fact.id, title: "Show where it is in the message" },
      worded(fact),
      h("span", { class: "quiet" }, ` ${meta}`),
    ),
  );
}

function worded({ class: name, text }: Fact): VNode {
  const short = clipped(text, 160);
  const shown = name === "userMessages" ? `“${short}”` : short;
  return h("span", { class: "text", dir: "auto" }, AS_CODE.has(name) ? h("code", {}, shown) : shown);
}

function limited(screen: Screen, name: string, rows: readonly Fact[], row: (fact: Fact) => VNode): Child[] {
  const more = wholeOf(name);
  if (rows.length <= MOST || screen.unfolded.has(more)) {
    return rows.map(row);
  }
  const unfold = () => {
    screen.unfolded.add(more);
    screen.show({});
  };
  return [
    ...rows.slice(0, MOST).map(row),
    h("li", { key: more, class: "row" }, button(`Show ${rows.length - MOST} More`, "link", unfold)),
  ];
}

/** Says of a fact in which turn it was stated. */
function turnOf(draft: Draft, { turns }: Shown): (fact: Fact) => string {
  const inChat = turns.flatMap(({ messages, number }) => messages.map(({ id }) => [id, number] as const));
  const compacted = [...typedIn(draft)].map(([id, { number }]) => [id, number] as const);
  const numbers = new Map([...compacted, ...inChat]);
  return ({ message }) => {
    if (message === null) {
      return "";
    }
    const number = numbers.get(message);
    return number === undefined ? "earlier" : `turn ${number}`;
  };
}
