/** A small virtual DOM: elements are compared with the last ones and changed in place; a text is never markup. */

export type Child = VNode | string | number | null | undefined | false | readonly Child[];

/** Attributes by name; `on…` are handlers, `style` sets properties, `ref` hears of the element once it is made. */
export interface Props {
  key?: string;
  memo?: readonly unknown[];
  ref?: (element: HTMLElement) => void;
  style?: Readonly<Record<string, string>>;
  [name: string]: unknown;
}

export interface VNode {
  readonly tag: string;
  readonly props: Props;
  readonly children: Item[];
  dom?: HTMLElement;
}

interface TextItem {
  readonly text: string;
  dom?: Text;
}

type Item = VNode | TextItem;

/** Makes an element of a tag with classes, as `div.card`, with attributes if there are any. */
export function h(selector: string, props: Props, ...children: Child[]): VNode;
export function h(selector: string, ...children: Child[]): VNode;
export function h(selector: string, ...given: (Props | Child)[]): VNode {
  const [tag = "", ...classes] = selector.split(".");
  const [first] = given;
  const isProps = typeof first === "object" && first !== null && !Array.isArray(first) && !("children" in first);
  const props = isProps ? (first as Props) : {};
  const children = items((isProps ? given.slice(1) : given) as Child[]);
  return { tag, props: classes.length > 0 ? { class: classes.join(" "), ...props } : props, children };
}

export function button(label: Child, look: string, onclick: (event: MouseEvent) => void, props: Props = {}): VNode {
  return h("button", { type: "button", class: look, onclick, ...props }, label);
}

/** A card with a row at its head; its name is its class too. */
export function card(name: string, label: string, head: Child, ...body: Child[]): VNode {
  return h(`section.card.${name}`, { "aria-label": label }, h("div.head", head), body);
}

const roots = new WeakMap<Element, Item[]>();

/** Makes the children of an element what is given. */
export function render(parent: HTMLElement, ...children: Child[]): void {
  const after = items(children);
  patch(parent, roots.get(parent) ?? [], after);
  roots.set(parent, after);
}

function items(children: readonly Child[]): Item[] {
  return children.flatMap((child) => {
    if (child === null || child === undefined || child === false || child === "") {
      return [];
    }
    if (Array.isArray(child)) {
      return items(child);
    }
    return typeof child === "object" ? [child as VNode] : [{ text: visible(String(child)) }];
  });
}

const STEERING = /(?![\t\n])[\p{Cc}\u061c\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** Shows characters that would steer or hide the text around them by their number. */
export function visible(text: string): string {
  return text.replace(
    STEERING,
    (one) => `‹U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}›`,
  );
}

function keyOf(item: Item): string | undefined {
  return "tag" in item ? item.props.key : undefined;
}

function isAlike(one: Item | undefined, other: Item): boolean {
  return one !== undefined && ("tag" in one ? "tag" in other && one.tag === other.tag : !("tag" in other));
}

function patch(parent: Element, before: readonly Item[], after: readonly Item[]): void {
  const keyed = new Map(before.map((item) => [keyOf(item), item]));
  const free = before.filter((item) => keyOf(item) === undefined);
  let at = 0;
  const matches = after.map((item) => {
    const key = keyOf(item);
    if (key !== undefined) {
      const found = keyed.get(key);
      return isAlike(found, item) ? found : undefined;
    }
    let found = at;
    while (found < free.length && !isAlike(free[found], item)) {
      found += 1;
    }
    at = found < free.length ? found + 1 : at;
    return free[found];
  });
  const kept = new Set(matches);
  for (const item of before) {
    if (!kept.has(item)) {
      item.dom?.remove();
    }
  }
  let next = parent.firstChild;
  after.forEach((item, index) => {
    const dom = settle(matches[index], item);
    if (dom === next) {
      next = dom.nextSibling;
    } else {
      parent.insertBefore(dom, next);
    }
  });
}

function settle(old: Item | undefined, item: Item): HTMLElement | Text {
  if (!("tag" in item)) {
    const before = old as TextItem | undefined;
    item.dom = before?.dom ?? document.createTextNode(item.text);
    if (before !== undefined && before.text !== item.text) {
      item.dom.data = item.text;
    }
    return item.dom;
  }
  const before = old as VNode | undefined;
  const dom = before?.dom ?? document.createElement(item.tag);
  item.dom = dom;
  if (before !== undefined && isSame(before.props.memo, item.props.memo)) {
    item.children.splice(0, item.children.length, ...before.children);
  } else {
    patch(dom, before?.children ?? [], item.children);
  }
  const { key: _key, memo: _memo, ref, style = {}, ...attributes } = item.props;
  for (const name of new Set([...Object.keys(before?.props ?? {}), ...Object.keys(attributes)])) {
    set(dom, name, before?.props[name], attributes[name]);
  }
  for (const name of Object.keys(before?.props.style ?? {}).filter((one) => !(one in style))) {
    dom.style.removeProperty(name);
  }
  for (const [name, value] of Object.entries(style)) {
    dom.style.setProperty(name, value);
  }
  if (before === undefined) {
    ref?.(dom);
  }
  return dom;
}

function isSame(one: readonly unknown[] | undefined, other: readonly unknown[] | undefined): boolean {
  return one !== undefined && other?.length === one.length && one.every((value, index) => value === other[index]);
}

function set(dom: HTMLElement, name: string, before: unknown, value: unknown): void {
  if (name === "value" || name === "checked" || name.startsWith("on")) {
    const target = dom as unknown as Record<string, unknown>;
    const wanted = value ?? (name.startsWith("on") ? null : name === "value" ? "" : false);
    if (target[name] !== wanted) {
      target[name] = wanted; // a person may have changed it since
    }
  } else if (value === undefined || value === null || value === false) {
    dom.removeAttribute(name);
  } else if (value !== before) {
    dom.setAttribute(name, value === true ? "" : visible(String(value)));
  }
}
