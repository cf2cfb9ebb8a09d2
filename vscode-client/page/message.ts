/** The message that the next chat begins with: drawn, edited, or being written; and the way between a fact and its place in it. */

import type { Draft } from "../src/wire";
import { shortcut } from "./actions";
import { button, type Child, card, h, type VNode } from "./dom";
import { type Block, blocks, type Leaf } from "./markdown";
import type { Screen } from "./screen";
import type { Fact, Shown } from "./shown";
import { tokens } from "./words";

const LONG = 3000; // characters of a section that begins folded

export function message(screen: Screen, draft: Draft, now: Shown): VNode {
  const { editing, work } = screen;
  const isWriting = work !== undefined && work.text !== "";
  const edit = () => screen.show({ editing: { text: draft.compaction.continuation, version: draft.version } });
  return card(
    "next",
    "The next chat begins with",
    [
      h("h2", "The next chat begins with"),
      draft.edited && h("span.quiet", "edited by you"),
      editing !== undefined ? saving(screen) : !isWriting && button("Edit", "link", edit),
    ],
    screen.conflict !== undefined && conflict(screen, draft, screen.conflict),
    editing !== undefined
      ? editor(screen, editing)
      : h("div.body", { key: "body" }, isWriting ? writing(work.text) : drawn(draft, now)),
  );
}

let last: { memo: readonly unknown[]; children: Child } = { memo: [], children: null };

/** The parts of the message, made again only when its text or what was added back has changed. */
function drawn(draft: Draft, now: Shown): VNode {
  const { continuation: text, survival } = draft.compaction;
  const memo = [text, survival, [...now.added].join(" ")];
  if (!memo.every((value, index) => value === last.memo[index])) {
    last = { memo, children: sections(text, blocks(text, marking(survival.facts ?? [], now.added))) };
  }
  return h("div.markdown", { key: "drawn", dir: "auto", memo: last.memo }, last.children);
}

interface Part {
  readonly text: string;
  readonly node: VNode;
}

let written: Part[] = [];

/** A text that a model writes: what follows its last heading is parsed again, the rest is there already. */
function writing(text: string): VNode {
  written = text.split(/^(?=#{1,3} )/m).map((part, index) => {
    const before = written[index];
    return before?.text === part ? before : { text: part, node: section(part, index) };
  });
  return h(
    "div",
    { key: "writing", class: "markdown writing", dir: "auto", "aria-busy": "true" },
    written.map(({ node }) => node),
  );
}

function section(text: string, index: number): VNode {
  const nodes = blocks(text, (part) => part).map(({ node }) => node);
  return h("section", { key: String(index), memo: [text] }, nodes);
}

/** Puts blocks into sections, one for each heading of the two highest levels; a long one is folded. */
function sections(text: string, all: readonly Block[]): VNode[] {
  const groups: Block[][] = [];
  for (const block of all) {
    if ((block.level > 0 && block.level <= 2) || groups.length === 0) {
      groups.push([]);
    }
    groups.at(-1)?.push(block);
  }
  return groups.map((group, index) => {
    const [head, ...rest] = group as [Block, ...Block[]];
    const end = groups[index + 1]?.[0]?.from ?? text.length;
    const nodes = rest.map(({ node }) => node);
    if (end - head.from < LONG || head.level === 0 || nodes.length < 2) {
      return h("section", head.node, nodes);
    }
    const about = h("span.quiet", ` · about ${tokens((end - head.from) / 4)} tokens`);
    return h("details.fold", h("summary", head.node, about), nodes);
  });
}

function saving(screen: Screen): VNode {
  return h(
    "div.buttons",
    button(["Save", shortcut("Ctrl+S")], "primary", () => screen.save()),
    button("Cancel", "secondary", () => screen.show({ editing: undefined })),
  );
}

function editor(screen: Screen, editing: { text: string }): VNode {
  const onkeydown = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      screen.show({ editing: undefined });
    } else if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      screen.save();
    }
  };
  return h("textarea", {
    "aria-label": "The message, as Markdown",
    spellcheck: "false",
    dir: "auto",
    value: editing.text,
    ref: (element) => queueMicrotask(() => startEditing(element as HTMLTextAreaElement)),
    oninput: ({ target }: Event) => Object.assign(editing, { text: (target as HTMLTextAreaElement).value }),
    onkeydown,
  });
}

function startEditing(box: HTMLTextAreaElement): void {
  box.setSelectionRange(0, 0);
  box.focus();
  box.scrollTop = 0;
}

/** A text of the user's that the newest version does not hold, beside that version. */
function conflict(screen: Screen, draft: Draft, text: string): VNode {
  const use = () => screen.show({ editing: { text, version: draft.version }, conflict: undefined });
  return h(
    "div.conflict",
    { role: "alert" },
    h("p", "Your edit and the newest version do not fit together. Your text is kept here, beside the new one."),
    h("pre", { tabindex: 0, dir: "auto" }, text),
    h(
      "div.buttons",
      button("Use My Text", "secondary", use),
      button("Use the New Version", "secondary", () => screen.discard()),
    ),
  );
}

const headings = new WeakMap<object, { from: number; title: string }[]>();

/** The heading that a fact stands under in the message. */
export function placeOf({ compaction }: Draft, { at }: Fact): string {
  let known = headings.get(compaction);
  if (known === undefined) {
    const found = [...compaction.continuation.matchAll(/^#{2,3}[ \t]+(.+)$/gm)];
    known = found.map(({ index, 1: title = "" }) => ({ from: index, title }));
    headings.set(compaction, known);
  }
  return (at && known.findLast(({ from }) => from <= at[0])?.title) ?? "";
}

/** The name under which the whole of a long list is unfolded. */
export function wholeOf(list: string): string {
  return `all ${list}`;
}

/** Lights up where a fact is in the message, and which fact a stretch of the message belongs to. */
export function connect(root: HTMLElement, screen: Screen): void {
  const near = (target: EventTarget | null) =>
    target instanceof Element ? target.closest<HTMLElement>("[data-fact], [data-facts]") : null;
  const light = (target: EventTarget | null, goes: boolean) => {
    for (const lit of root.querySelectorAll(".lit")) {
      lit.classList.remove("lit");
    }
    const { fact, facts } = (near(target) ?? near(document.activeElement))?.dataset ?? {};
    for (const id of facts?.split(" ") ?? []) {
      lightUp(root, `[data-fact="${CSS.escape(id)}"], [data-class="${CSS.escape(id.split(":")[0] ?? "")}"]`);
      lightUp(root, placeIn(id));
    }
    if (fact !== undefined) {
      lightUp(root, `[data-fact="${CSS.escape(fact)}"]`);
      showPlace(root, lightUp(root, placeIn(fact)), goes);
    }
  };
  root.addEventListener("pointerover", ({ target }) => light(target, false));
  root.addEventListener("focusin", ({ target }) => light(target, true));
  root.addEventListener("click", ({ target }) => {
    light(target, true);
    const [id] = near(target)?.dataset.facts?.split(" ") ?? [];
    if (id !== undefined && window.getSelection()?.isCollapsed !== false) {
      goToRow(root, screen, id);
    }
  });
}

/** Unfolds the class of a fact, and moves the focus to its row. */
function goToRow(root: HTMLElement, screen: Screen, id: string): void {
  const name = screen.draft?.compaction.survival.facts?.find((fact) => fact.id === id)?.class ?? "";
  screen.unfolded.add(name).add(wholeOf(name));
  screen.show({});
  const row = root.querySelector<HTMLElement>(`[data-fact="${CSS.escape(id)}"]`);
  row?.focus({ preventScroll: true });
  row?.scrollIntoView({ block: "nearest" });
}

function placeIn(id: string): string {
  return `[data-facts~="${CSS.escape(id)}"]`;
}

function lightUp(root: HTMLElement, selector: string): HTMLElement[] {
  const found = [...root.querySelectorAll<HTMLElement>(selector)];
  for (const element of found) {
    element.classList.add("lit");
  }
  return found;
}

/** Scrolls to the parts of the message that a fact is in; a fold that they are in is opened if one `goes` there. */
function showPlace(root: HTMLElement, parts: readonly HTMLElement[], goes: boolean): void {
  for (const fold of parts.map((part) => part.closest("details")).filter((one) => one?.open === false)) {
    fold?.toggleAttribute("open", goes);
    fold?.querySelector("summary")?.classList.toggle("lit", !goes);
  }
  const body = root.querySelector<HTMLElement>(".next .body");
  const [first] = parts;
  if (first === undefined || body === null) {
    return;
  }
  const [place, frame] = [first.getBoundingClientRect(), body.getBoundingClientRect()];
  const [top, bottom] = [Math.max(frame.top, 0), Math.min(frame.bottom, window.innerHeight)];
  if (place.height > 0 && (place.top < top || place.bottom > bottom)) {
    body.scrollTop += place.top - top - (bottom - top) / 3;
  }
}

interface Place {
  readonly id: string;
  readonly at: readonly [number, number] | null;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly ids: string;
}

/** Gives each text of the message, one after the other, to the facts that it is a part of, as `data-facts`; `added` are those a person added back. */
function marking(places: readonly Place[], added: ReadonlySet<string>): Leaf {
  const stretches = cut(places);
  let next = 0;
  return (text, at) => {
    const shown: Child[] = [];
    const end = at + text.length;
    let from = at;
    for (let one = stretches[next]; one !== undefined && one.from < end; one = stretches[next]) {
      const [begin, stop] = [Math.max(from, one.from), Math.max(from, Math.min(end, one.to))];
      if (stop > begin) {
        const isAdded = one.ids.split(" ").some((id) => added.has(id));
        const look = { class: isAdded ? "fact added" : "fact", "data-facts": one.ids };
        shown.push(text.slice(from - at, begin - at), h("span", look, text.slice(begin - at, stop - at)));
        from = stop;
      }
      if (one.to > end) {
        break; // it goes on in the next text
      }
      next += 1;
    }
    shown.push(text.slice(from - at));
    return shown;
  };
}

function cut(places: readonly Place[]): Stretch[] {
  const edges: { at: number; id: string; begins: boolean }[] = [];
  for (const { id, at } of places) {
    if (at !== null && at[1] > at[0]) {
      edges.push({ at: at[0], id, begins: true }, { at: at[1], id, begins: false });
    }
  }
  edges.sort((one, other) => one.at - other.at);
  const found: Stretch[] = [];
  const open = new Set<string>();
  let from = 0;
  for (const { at, id, begins } of edges) {
    if (open.size > 0 && at > from) {
      found.push({ from, to: at, ids: [...open].join(" ") });
    }
    from = at;
    if (begins) {
      open.add(id);
    } else {
      open.delete(id);
    }
  }
  return found;
}
