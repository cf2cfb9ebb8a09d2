/** The page's elements, drawn by Preact. Text is never markup. */

import { createElement, render as draw, isValidElement, type VNode } from "preact";

export type { VNode };
export type Child = VNode | string | number | null | undefined | false | readonly Child[];

/** Attributes by name; `on…` are handlers, `style` sets properties, `ref` is called once the element is created. */
export interface Props {
  ref?: (element: HTMLElement) => void;
  [name: string]: unknown;
}

const created = new WeakSet<HTMLElement>();

/** Makes an element of a tag with classes, as `div.card`, with attributes if there are any. */
export function h(selector: string, props: Props, ...children: Child[]): VNode;
export function h(selector: string, ...children: Child[]): VNode;
export function h(selector: string, ...given: (Props | Child)[]): VNode {
  const [tag = "", ...classes] = selector.split(".");
  const [first] = given;
  const isProps = typeof first === "object" && first !== null && !Array.isArray(first) && !isValidElement(first);
  const { ref, ...props } = isProps ? (given.shift() as Props) : {};
  const shown = Object.entries(props).map(([name, value]) => [name, name === "value" ? value : visible(value)]);
  const once = (element: HTMLElement | null) => {
    if (element !== null && !created.has(element)) {
      created.add(element);
      ref?.(element);
    }
  };
  const look = { ...(classes.length > 0 && { class: classes.join(" ") }), ...(ref && { ref: once }) };
  return createElement(tag, { ...look, ...Object.fromEntries(shown) }, ...given.map(visible));
}

export function render(parent: HTMLElement, ...children: Child[]): void {
  draw(visible(children), parent);
}

export function button(label: Child, look: string, onclick: (event: MouseEvent) => void, props: Props = {}): VNode {
  return h("button", { type: "button", class: look, onclick, ...props }, label);
}

/** A card with a header row; its name is also its class. */
export function card(name: string, label: string, head: Child, ...body: Child[]): VNode {
  return h(`section.card.${name}`, { "aria-label": label }, h("div.head.spread", head), body);
}

/** Moves the focus among the buttons of a menu, or of a toolbar. */
export function roam(event: KeyboardEvent): void {
  const all = [...(event.currentTarget as HTMLElement).querySelectorAll("button")];
  const at = all.indexOf(document.activeElement as HTMLButtonElement);
  const [next, before] = [(at + 1) % all.length, at - 1];
  const to = { ArrowDown: next, ArrowRight: next, ArrowUp: before, ArrowLeft: before, Home: 0, End: -1 }[event.key];
  if (to !== undefined) {
    event.preventDefault();
    all.at(to)?.focus();
  }
}

const STEERING = /(?![\t\n])[\p{Cc}\u061c\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** Shows characters that would reorder or hide the text around them by their code point. */
function visible<Shown>(shown: Shown): Shown {
  const codeOf = (one: string) => `‹U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}›`;
  const safe = Array.isArray(shown) ? shown.map(visible) : shown;
  return (typeof shown === "string" ? shown.replace(STEERING, codeOf) : safe) as Shown;
}
