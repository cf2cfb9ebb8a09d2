/** The chat, turn by turn: a strip in which width is tokens, and what becomes of each turn. */

import type { Draft } from "../src/wire";
import { type MenuItem, menuButton } from "./actions";
import { sample } from "./bars";
import { button, type Child, card, h, type VNode } from "./dom";
import { peek } from "./reading";
import type { Screen } from "./screen";
import { listed, type Shown, type Turn } from "./shown";
import { clipped, count, tokens, toolName } from "./words";

const FATES: Readonly<Record<Turn["fate"], string>> = {
  keep: "word for word",
  summarize: "summarized",
  drop: "left out",
  mixed: "partly word for word",
};

/** The turn that the focus or the pointer was at last. */
let current: string | undefined;

export function strip(screen: Screen, draft: Draft, { turns: all }: Shown): VNode {
  const here = all.find(({ key }) => key === current) ?? all.at(-1);
  const earlier = draft.compaction.survival.scope?.beforeLastCompaction ?? 0;
  const look = {
    title: `${count(earlier, "earlier message")} that ${toolName(draft.report.tool)} compacted`,
    style: { "--color": "var(--earlier)" },
  };
  return card(
    "chat",
    "The chat, turn by turn",
    [h("h2", "The chat, turn by turn", h("span.quiet.hint", " · width = tokens · click to pin")), key()],
    h(
      "div.turns",
      { role: "toolbar", "aria-label": "Turns: arrow keys move, Enter pins, Shift+F10 opens a menu", onkeydown: roam },
      earlier > 0 && h("div.turn.earlier", look, h("div.seg"), label("earlier")),
      all.map((turn) => segment(screen, turn, turn.key === here?.key)),
    ),
    here !== undefined && detail(screen, here),
  );
}

function key(): VNode {
  return h(
    "ul.spread",
    sample("keep", "word for word"),
    sample("summarize", "summarized"),
    sample("shortened", "shortened"),
    h("li", "⚑ rule"),
    h("li", "✕ error"),
  );
}

function label(text: Child): VNode {
  return h("span.label", { "aria-hidden": "true" }, text);
}

function name({ number, isContinued }: Turn): string {
  if (number === 0) {
    return "Before turn 1";
  }
  return isContinued ? `Turn ${number}, continued` : `Turn ${number}`;
}

function marks({ rules, errors, isShortened, isPinned }: Turn): Child {
  return [
    isPinned && h("span.mark", "pinned"),
    isShortened && h("span.mark.warn", "shortened"),
    rules > 0 && h("span.mark", `⚑${rules}`),
    errors > 0 && h("span.mark", `✕${errors}`),
  ];
}

function segment(screen: Screen, turn: Turn, isHere: boolean): VNode {
  const { key, number, isContinued, fate, isPinned, isShortened, title } = turn;
  const show = () => {
    if (current !== key) {
      current = key;
      screen.show({});
    }
  };
  const open = (event: Event) => {
    event.preventDefault();
    show();
    document.getElementById("turn")?.showPopover();
  };
  return h(
    "div",
    {
      key,
      class: `turn ${fate}${isShortened ? " shortened" : ""}${isPinned ? " pinned" : ""}`,
      style: { "flex-grow": String(Math.max(1, turn.tokens)), "--color": `var(--${isShortened ? "shortened" : fate})` },
    },
    button([], "seg", () => pin(screen, turn), {
      tabindex: isHere ? 0 : -1,
      "aria-pressed": String(isPinned),
      "aria-label": spoken(turn),
      title: `${name(turn)}: ${clipped(title, 120)}`,
      "data-turn": key,
      onfocus: show,
      onpointerenter: show,
      oncontextmenu: open,
    }),
    label([!isContinued && h("span", number), h("bdi", clipped(title, 60)), marks(turn)]),
  );
}

function spoken(turn: Turn): string {
  const { title, rules, errors } = turn;
  const marked = [rules > 0 && count(rules, "rule"), errors > 0 && count(errors, "error")];
  return [name(turn), clipped(title, 80), size(turn), fateOf(turn), ...marked].filter(Boolean).join(", ");
}

function size(turn: Turn): string {
  return `${tokens(turn.tokens)} tokens`;
}

function fateOf({ fate, isShortened }: Turn): string {
  return FATES[fate] + (isShortened ? ", shortened" : "");
}

function detail(screen: Screen, turn: Turn): VNode {
  const what = `${count(turn.ids.length, "message")}, ${size(turn)} · ${fateOf(turn)}`;
  return h(
    "div.detail",
    h(
      "span.what",
      h("b", name(turn)),
      h("span.quiet", ` · ${what} · `),
      h("span", { dir: "auto" }, `“${clipped(turn.title, 140)}”`),
    ),
    button(turn.isPinned ? "Unpin" : "Pin", "link", () => pin(screen, turn)),
    menuButton("turn", `More for ${name(turn)}`, actions(screen, turn)),
  );
}

function actions(screen: Screen, turn: Turn): MenuItem[] {
  const { ids, isPinned, fate } = turn;
  const isOut = fate === "drop";
  const leaveOut = () =>
    screen.choose(({ pin, drop }) => ({ drop: listed(drop, ids, !isOut), pin: listed(pin, ids, false) }));
  const upTo = { kind: "upTo", message: ids.at(-1) ?? "" } as const;
  const kind = screen.draft?.options.scope?.kind ?? "all";
  const items: MenuItem[] = [
    { title: isPinned ? "Unpin" : "Pin: Keep Word for Word", run: () => pin(screen, turn) },
    { title: isOut ? "Take In Again" : "Leave Out", run: leaveOut },
    { title: "Summarize up to Here", run: () => screen.choose(() => ({ scope: upTo })) },
    { title: "Summarize All", run: () => screen.choose(() => ({ scope: { kind: "all" } })) },
    { title: "Show Messages", run: () => peek(screen, name(turn), ids) },
  ];
  return items.filter(({ title }) => kind !== "all" || title !== "Summarize All");
}

function pin(screen: Screen, { ids, isPinned }: Turn): void {
  screen.choose(({ pin, drop }) => ({
    pin: listed(pin, ids, !isPinned),
    ...(!isPinned && { drop: listed(drop, ids, false) }),
  }));
}

/** Moves the focus along the strip. */
function roam(event: KeyboardEvent): void {
  const element = event.currentTarget as HTMLElement;
  const all = [...element.querySelectorAll<HTMLElement>("button.seg")];
  const at = all.indexOf(document.activeElement as HTMLElement);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: all.length - 1 }[event.key];
  if (at >= 0 && to !== undefined) {
    event.preventDefault();
    all[Math.max(0, Math.min(all.length - 1, to))]?.focus();
  }
}
