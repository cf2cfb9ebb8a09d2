/** The chat, turn by turn: a strip in which width is tokens, and what becomes of each turn. */

import type { Draft } from "../src/wire";
import { type MenuItem, menuButton } from "./actions";
import { button, type Child, card, h, type VNode } from "./dom";
import { peek } from "./reading";
import type { Screen } from "./screen";
import type { Shown, Turn } from "./shown";
import { clipped, count, tokens, toolName } from "./words";

const FATES: Readonly<Record<Turn["fate"], string>> = {
  keep: "word for word",
  summarize: "summarized",
  drop: "left out",
  part: "partly word for word",
};

/** The turn that the focus or the pointer was at last. */
let current: string | undefined;

export function strip(screen: Screen, draft: Draft, { turns: all }: Shown): VNode {
  const here = all.find(({ key }) => key === current) ?? all.at(-1);
  const earlier = draft.compaction.survival.scope?.beforeLastCompaction ?? 0;
  const earlierTitle = `${count(earlier, "earlier message")} that ${toolName(draft.report.tool)} compacted`;
  return card(
    "chat",
    "The chat, turn by turn",
    [h("h2", "The chat, turn by turn", h("span.quiet.hint", " · width = tokens · click to pin")), key()],
    h(
      "div.turns",
      { role: "toolbar", "aria-label": "Turns: arrow keys move, Enter pins, Shift+F10 opens a menu", onkeydown: roam },
      earlier > 0 && h("div.turn.earlier", { title: earlierTitle }, h("div.seg"), label("earlier")),
      all.map((turn) => segment(screen, turn, turn.key === here?.key)),
    ),
    here !== undefined && detail(screen, here),
  );
}

function key(): VNode {
  const sample = (kind: string, text: string) => h("li", { class: kind }, text);
  return h(
    "ul.key",
    sample("sample keep", "word for word"),
    sample("sample summarize", "summarized"),
    sample("sample shortened", "shortened"),
    sample("mark", "⚑ rule"),
    sample("mark", "✕ error"),
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
    current = key;
    screen.show({ menu: "turn" });
  };
  return h(
    "div",
    {
      key,
      class: `turn ${fate}${isShortened ? " shortened" : ""}${isPinned ? " pinned" : ""}`,
      style: { "flex-grow": String(Math.max(1, turn.tokens)) },
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
  const { title, tokens: size, fate, rules, errors, isShortened } = turn;
  const parts = [
    name(turn),
    clipped(title, 80),
    `${tokens(size)} tokens`,
    FATES[fate],
    isShortened ? "shortened" : "",
    rules > 0 ? count(rules, "rule") : "",
    errors > 0 ? count(errors, "error") : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

function detail(screen: Screen, turn: Turn): VNode {
  const { title, messages, tokens: size, fate, isPinned, isShortened } = turn;
  const what = `${count(messages.length, "message")}, ${tokens(size)} tokens · ${FATES[fate]}${isShortened ? ", shortened" : ""}`;
  return h(
    "div.detail",
    h(
      "span.what",
      h("b", name(turn)),
      h("span.quiet", ` · ${what} · `),
      h("span", { dir: "auto" }, `“${clipped(title, 140)}”`),
    ),
    button(isPinned ? "Unpin" : "Pin", "link", () => pin(screen, turn)),
    menuButton(screen, "turn", `More for ${name(turn)}`, actions(screen, turn)),
  );
}

function actions(screen: Screen, turn: Turn): MenuItem[] {
  const ids = turn.messages.map(({ id }) => id);
  const isOut = turn.fate === "drop";
  const all = (isIn: boolean) => new Map(ids.map((id) => [id, isIn]));
  const last = ids.at(-1) ?? "";
  const scope = screen.draft?.options?.scope;
  const items: MenuItem[] = [
    { title: turn.isPinned ? "Unpin" : "Pin: Keep Word for Word", run: () => pin(screen, turn) },
    { title: isOut ? "Take In Again" : "Leave Out", run: () => screen.choose({ drop: all(!isOut), pin: all(false) }) },
    { title: "Summarize up to Here", run: () => screen.choose({ scope: { kind: "upTo", message: last } }) },
  ];
  if (scope?.kind === "upTo" || scope?.kind === "from") {
    items.push({ title: "Summarize All", run: () => screen.choose({ scope: { kind: "all" } }) });
  }
  items.push({ title: "Show Messages", run: () => peek(screen, name(turn), ids) });
  return items;
}

function pin(screen: Screen, { messages, isPinned }: Turn): void {
  const all = (isIn: boolean) => new Map(messages.map(({ id }) => [id, isIn]));
  screen.choose(isPinned ? { pin: all(false) } : { pin: all(true), drop: all(false) });
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
