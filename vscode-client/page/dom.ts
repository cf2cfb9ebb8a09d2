/** A small virtual DOM: elements are compared with the last ones and changed in place; a text is never markup. */

type Handler = (event: never) => void;
export type Child = VNode | string | number | null | undefined | false | readonly Child[];

/** Attributes by name; `on…` are handlers, `style` sets properties, `ref` hears of the element once it is made. */
export interface Props {
  key?: string;
  memo?: readonly unknown[];
  ref?: (element: HTMLElement) => void;
  style?: Readonly<Record<string, string>>;
  value?: string;
  checked?: boolean;
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

export function h(tag: string, props: Props, ...children: Child[]): VNode {
  return { tag, props, children: items(children) };
}

export function button(label: Child, look: string, onclick: (event: MouseEvent) => void, props: Props = {}): VNode {
  return h("button", { type: "button", class: look, onclick, ...props }, label);
}

const roots = new WeakMap<Element, Item[]>();

/** Makes the children of an element what is given. */
export function render(parent: HTMLElement, ...children: Child[]): void {
  const after = items(children);
  patch(parent, roots.get(parent) ?? [], after);
  roots.set(parent, after);
}

function items(children: readonly Child[]): Item[] {
  const found: Item[] = [];
  for (const child of children) {
    if (child === null || child === undefined || child === false || child === "") {
      continue;
    }
    if (Array.isArray(child)) {
      found.push(...items(child));
    } else if (typeof child === "object") {
      found.push(child as VNode);
    } else {
      found.push({ text: visible(String(child)) });
    }
  }
  return found;
}

const STEERING = /(?![\t\n])[\p{Cc}\u061c\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** Shows characters that would steer or hide the text around them by their number. */
export function visible(text: string): string {
  return text.replace(
    STEERING,
    (one) => `‹U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}›`,
  );
}

function patch(parent: Element, before: readonly Item[], after: readonly Item[]): void {
  const keyed = new Map<string, VNode>();
  const free: Item[] = [];
  for (const item of before) {
    if ("tag" in item && item.props.key !== undefined) {
      keyed.set(item.props.key, item);
    } else {
      free.push(item);
    }
  }
  let at = 0;
  const kept = new Set<Item>();
  const matches = after.map((item) => {
    if ("tag" in item && item.props.key !== undefined) {
      const found = keyed.get(item.props.key);
      return found?.tag === item.tag ? found : undefined;
    }
    let found = at;
    while (found < free.length && !isAlike(free[found] as Item, item)) {
      found += 1;
    }
    at = found < free.length ? found + 1 : at;
    return free[found];
  });
  for (const match of matches) {
    if (match !== undefined) {
      kept.add(match);
    }
  }
  for (const item of before) {
    if (!kept.has(item)) {
      item.dom?.remove();
    }
  }
  place(parent, matches, after);
}

function place(parent: Element, matches: readonly (Item | undefined)[], after: readonly Item[]): void {
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

function isAlike(old: Item, item: Item): boolean {
  return "tag" in old ? "tag" in item && old.tag === item.tag : !("tag" in item);
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
  set(dom, before?.props ?? {}, item.props);
  if (before === undefined) {
    item.props.ref?.(dom);
  }
  return dom;
}

function isSame(one: readonly unknown[] | undefined, other: readonly unknown[] | undefined): boolean {
  return one !== undefined && other?.length === one.length && one.every((value, index) => value === other[index]);
}

const OWN = new Set(["key", "memo", "ref"]);

function set(dom: HTMLElement, before: Props, after: Props): void {
  for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
    const value = after[name];
    if (OWN.has(name)) {
      continue;
    }
    if (name === "style") {
      setStyle(dom, before.style ?? {}, after.style ?? {});
    } else if (name === "value" || name === "checked" || name === "indeterminate" || name.startsWith("on")) {
      const target = dom as unknown as Record<string, unknown>;
      const wanted = value ?? (name.startsWith("on") ? null : name === "value" ? "" : false);
      if (target[name] !== wanted) {
        target[name] = wanted as Handler;
      }
    } else if (value !== before[name]) {
      if (value === undefined || value === null || value === false) {
        dom.removeAttribute(name);
      } else {
        dom.setAttribute(name, value === true ? "" : visible(String(value)));
      }
    }
  }
}

function setStyle(
  dom: HTMLElement,
  before: Readonly<Record<string, string>>,
  after: Readonly<Record<string, string>>,
): void {
  for (const name of Object.keys(before)) {
    if (!(name in after)) {
      dom.style.removeProperty(name);
    }
  }
  for (const [name, value] of Object.entries(after)) {
    if (before[name] !== value) {
      dom.style.setProperty(name, value);
    }
  }
}
