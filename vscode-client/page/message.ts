/** The message that the next chat begins with, rendered, edited or streaming in, and links between facts and their places in it. */

import type { Draft, FactShown } from "../src/wire";
import { shortcut } from "./actions";
import { button, type Child, card, h, type VNode } from "./dom";
import { type Block, blocks, type Leaf } from "./markdown";
import type { Editing, Screen } from "./screen";
import type { Shown } from "./shown";
import { count } from "./words";

const LONG = 3000; // characters of a section that begins folded

/** Whether the last drawing showed the editor. */
let wasEditing = false;

export function message(screen: Screen, draft: Draft, now: Shown): VNode {
  const { editing, work } = screen;
  const isWriting = work !== undefined && work.text !== "";
  return card(
    "next",
    "The next chat begins with",
    [
      h("h2", "The next chat begins with"),
      draft.edited && h("span.quiet", "edited by you"),
      editing !== undefined ? saving(screen) : editButton(screen, draft),
    ],
    screen.conflict !== undefined && conflict(screen, draft, screen.conflict),
    editing !== undefined
      ? editor(screen, editing)
      : h("div.body", { key: "body" }, isWriting ? writing(work.text) : drawn(draft, now)),
  );
}

/** The message that was drawn last, and of what. */
let last: { readonly of: readonly unknown[]; readonly node: VNode } | undefined;

/** Draws the message, or gives the same element again, which is not compared with itself. */
function drawn({ compaction: { continuation: text, survival } }: Draft, { added }: Shown): VNode {
  const of = [text, survival, [...added].join(" ")];
  if (last === undefined || of.some((value, index) => value !== last?.of[index])) {
    const shown = sections(text, blocks(text, marking(survival.facts ?? [], added)));
    last = { of, node: h("div.markdown", { key: "drawn", dir: "auto" }, shown) };
  }
  return last.node;
}

/** A text that streams in. */
function writing(text: string): VNode {
  const parts = blocks(text, (all) => all).map(({ node }) => node);
  return h("div.markdown.writing", { key: "writing", dir: "auto", "aria-busy": "true" }, h("section", parts));
}

/** Groups blocks by headings of the two highest levels; long sections are folded. */
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
    const lines = text.slice(head.from, end).trimEnd().split("\n").length - 1;
    const about = h("span.quiet", ` · ${count(lines, "line")}`);
    return h("details.fold", h("summary", head.node, about), nodes);
  });
}

/** Opens the editor. When it closes, the focus returns unless it has moved elsewhere, also outside the page. */
function editButton(screen: Screen, { compaction: { continuation: text }, version }: Draft): VNode {
  const isBack = wasEditing;
  wasEditing = false;
  const focus = (element: HTMLElement) => {
    if (document.hasFocus() && document.activeElement === document.body) {
      element.focus();
    }
  };
  return button("Edit", "link", () => screen.show({ editing: { text, before: text, version } }), {
    disabled: screen.work !== undefined || screen.closed !== undefined,
    ref: (element) => isBack && queueMicrotask(() => focus(element)),
  });
}

function saving(screen: Screen): VNode {
  return h(
    "div.buttons",
    button(["Save", shortcut("Ctrl+S")], "primary", () => screen.save(), { disabled: screen.closed !== undefined }),
    button("Cancel", "secondary", () => screen.show({ editing: undefined })),
  );
}

function editor(screen: Screen, editing: Editing): VNode {
  wasEditing = true;
  const start = (box: HTMLTextAreaElement) => {
    box.setSelectionRange(0, 0);
    box.focus();
    box.scrollTop = 0;
  };
  const onkeydown = (event: KeyboardEvent) => {
    if (event.key === "Escape") {
      event.stopPropagation();
      if (editing.text === editing.before) {
        screen.show({ editing: undefined });
      } else {
        screen.say("Your edit is not saved. Save it, or discard it with Cancel.");
      }
    } else if (event.key === "s" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      screen.save();
    }
  };
  return h("textarea", {
    "aria-label": "The message, as Markdown",
    spellcheck: false,
    dir: "auto",
    value: editing.text,
    ref: (element) => queueMicrotask(() => start(element as HTMLTextAreaElement)),
    oninput: ({ target }: Event) => Object.assign(editing, { text: (target as HTMLTextAreaElement).value }),
    onkeydown,
  });
}

/** The user's text that could not be merged, next to the newest version. */
function conflict(screen: Screen, draft: Draft, text: string): VNode {
  const { compaction, version } = draft;
  const use = () => screen.show({ editing: { text, before: compaction.continuation, version }, conflict: undefined });
  const disabled = screen.closed !== undefined;
  return h(
    "div.conflict",
    { role: "alert" },
    h("p", "Your edit could not be merged with the newest version. Your text is kept here."),
    h("pre", { tabindex: 0, dir: "auto" }, text),
    h(
      "div.buttons",
      button("Use My Text", "secondary", use, { disabled }),
      button("Use the New Version", "secondary", () => screen.discard(), { disabled }),
    ),
  );
}

export function headings({ compaction }: Draft): { from: number; title: string }[] {
  const found = [...compaction.continuation.matchAll(/^#{2,3}[ \t]+(.+)$/gm)];
  return found.map(({ index, 1: title = "" }) => ({ from: index, title }));
}

/** The key under which all rows of a long list are unfolded. */
export function wholeOf(list: string): string {
  return `all ${list}`;
}

/** Highlights a fact's place in the message, and the facts of a place. */
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

/** Scrolls to a fact's place in the message; `goes` also opens the fold around it. */
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

/** Marks each text of the message, in order, with the facts it belongs to, as `data-facts`. */
function marking(facts: readonly FactShown[], added: ReadonlySet<string>): Leaf {
  const edges = facts.flatMap(({ id, at }) => (at ?? []).map((edge) => ({ id, at: edge })));
  edges.sort((one, other) => one.at - other.at);
  const open = new Set<string>();
  let next = 0;
  return (text, at) => {
    const shown: Child[] = [];
    for (let from = 0; from < text.length; ) {
      for (let edge = edges[next]; edge !== undefined && edge.at <= at + from; edge = edges[next]) {
        open.delete(edge.id) || open.add(edge.id);
        next += 1;
      }
      const to = Math.min(text.length, (edges[next]?.at ?? Number.POSITIVE_INFINITY) - at);
      const ids = [...open];
      const look = { class: ids.some((id) => added.has(id)) ? "fact added" : "fact", "data-facts": ids.join(" ") };
      shown.push(ids.length > 0 ? h("span", look, text.slice(from, to)) : text.slice(from, to));
      from = to;
    }
    return shown;
  };
}
