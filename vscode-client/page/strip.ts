/** The chat, turn by turn: a strip where width is tokens and color is what happens to a turn. */

import type { Draft } from "../src/wire";
import { type MenuItem, menuButton } from "./actions";
import { sample } from "./bars";
import { button, type Child, card, h, roam, type VNode } from "./dom";
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

/** The number of the turn last focused or pointed at. */
let current: number | undefined;

export function strip(screen: Screen, draft: Draft, { turns: all }: Shown): VNode {
  const here = all.find(({ number }) => number === current) ?? all.at(-1);
  const by = toolName(draft.report.tool);
  const earlier = draft.compaction.survival.scope?.beforeLastCompaction ?? 0;
  const look = {
    title: `${count(earlier, "earlier message")} that ${by} compacted`,
    style: { "--color": "var(--earlier)" },
  };
  const title = (turn: Turn) => turn.excerpt ?? `Summary by ${by}`;
  return card(
    "chat",
    "The chat, turn by turn",
    [
      h("h2", "The chat, turn by turn", h("span.quiet.hint", " · width = tokens · click to pin")),
      h(
        "ul.spread.quiet",
        sample("keep", "word for word"),
        sample("summarize", "summarized"),
        sample("shortened", "shortened"),
        h("li", "⚑ rule"),
        h("li", "✕ error"),
      ),
    ],
    h(
      "div.turns",
      {
        role: "toolbar",
        "aria-label": "Turns: arrow keys move, Enter pins, Shift+F10 opens a menu",
        onkeydown: roam,
        ref: (element) => queueMicrotask(() => element.scrollTo(element.scrollWidth, 0)), // the newest are in view
      },
      earlier > 0 && h("div.turn.earlier", look, h("div.seg"), label("earlier")),
      all.map((turn) => segment(screen, turn, title(turn), turn === here)),
    ),
    here && detail(screen, here, title(here)),
  );
}

function label(text: Child): VNode {
  return h("span.label", { "aria-hidden": "true" }, text);
}

function name({ number, continued }: Turn): string {
  return number === 0 ? "Before turn 1" : `Turn ${number}${continued ? ", continued" : ""}`;
}

function segment(screen: Screen, turn: Turn, title: string, isHere: boolean): VNode {
  const { number, continued, fate, isPinned, shortened, rules, errors } = turn;
  const show = () => {
    if (current !== number) {
      current = number;
      screen.show({});
    }
  };
  const menu = () => document.getElementById("turn");
  const open = (event: Event) => {
    event.preventDefault();
    show();
    menu()?.showPopover();
  };
  const color = `var(--${shortened ? "shortened" : fate})`;
  const spoken = [rules > 0 && count(rules, "rule"), errors > 0 && count(errors, "error")].filter(Boolean);
  return h(
    "div",
    {
      key: String(number),
      class: `turn ${fate}${shortened ? " shortened" : ""}${isPinned ? " pinned" : ""}`,
      style: { "flex-grow": String(Math.max(1, turn.tokens)), "--color": color },
    },
    button([], "seg", () => pin(screen, turn), {
      tabindex: isHere ? 0 : -1,
      "aria-pressed": String(isPinned),
      "aria-label": [name(turn), clipped(title, 80), size(turn), fateOf(turn), ...spoken].join(", "),
      title: `${name(turn)}: ${clipped(title, 120)}`,
      "data-turn": number,
      onfocus: show,
      onpointerenter: () => menu()?.matches(":popover-open") || show(), // a menu stays with its turn
      oncontextmenu: open,
    }),
    label([
      !continued && h("span", number),
      h("bdi", clipped(title, 60)),
      rules > 0 && h("span.mark", `⚑${rules}`),
      errors > 0 && h("span.mark", `✕${errors}`),
      isPinned && h("span.mark", "pinned"),
      shortened && h("span.mark.warn", "shortened"),
    ]),
  );
}

function size(turn: Turn): string {
  return `${tokens(turn.tokens)} tokens`;
}

function fateOf({ fate, shortened }: Turn): string {
  return FATES[fate] + (shortened ? ", shortened" : "");
}

function detail(screen: Screen, turn: Turn, title: string): VNode {
  const what = ` · ${count(turn.messages.length, "message")}, ${size(turn)} · ${fateOf(turn)} · `;
  return h(
    "div.detail",
    h("span.what", h("b", name(turn)), h("span.quiet", what), h("span", { dir: "auto" }, `“${clipped(title, 140)}”`)),
    button(turn.isPinned ? "Unpin" : "Pin", "link", () => pin(screen, turn)),
    menuButton("turn", `More for ${name(turn)}`, actions(screen, turn)),
  );
}

function actions(screen: Screen, turn: Turn): MenuItem[] {
  const { messages: ids, isPinned, fate } = turn;
  const isOut = fate === "drop";
  const leaveOut = () =>
    screen.choose(({ pin, drop }) => ({ drop: listed(drop, ids, !isOut), pin: listed(pin, ids, false) }));
  const upTo = { kind: "upTo", message: ids.at(-1) ?? "" } as const;
  const kind = screen.draft?.options.scope?.kind ?? "all";
  const items: MenuItem[] = [
    { title: isPinned ? "Unpin" : "Pin: Keep Word for Word", run: () => pin(screen, turn) },
    { title: isOut ? "Include Again" : "Leave Out", run: leaveOut },
    { title: "Summarize up to Here", run: () => screen.choose(() => ({ scope: upTo })) },
    { title: "Summarize All", run: () => screen.choose(() => ({ scope: { kind: "all" } })) },
    { title: "Show Messages", run: () => peek(screen, name(turn), ids) },
  ];
  return items.filter(({ title }) => kind !== "all" || title !== "Summarize All");
}

function pin(screen: Screen, { messages: ids, isPinned }: Turn): void {
  screen.choose(({ pin, drop }) => ({
    pin: listed(pin, ids, !isPinned),
    ...(!isPinned && { drop: listed(drop, ids, false) }),
  }));
}
