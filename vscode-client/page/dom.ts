/** A small virtual DOM: compares elements with the last ones and changes them in place. Text is never markup. */

export type Child = VNode | string | number | null | undefined | false | readonly Child[];

/** Attributes by name; `on…` are handlers, `style` sets properties, `ref` is called once the element is created. */
export interface Props {
  key?: string;
  memo?: readonly unknown[]; // while it is unchanged, the children are kept; else `body` makes them
  body?: () => Child;
  ref?: (element: HTMLElement) => void;
  style?: Readonly<Record<string, string>>;
  [name: string]: unknown;
}

/** An element, or a text, which has no tag. */
export interface VNode {
  readonly tag: string;
  readonly text: string;
  readonly props: Props;
  children: VNode[];
  dom?: Element | Text;
}

/** Makes an element of a tag with classes, as `div.card`, with attributes if there are any. */
export function h(selector: string, props: Props, ...children: Child[]): VNode;
export function h(selector: string, ...children: Child[]): VNode;
export function h(selector: string, ...given: (Props | Child)[]): VNode {
  const [tag = "", ...classes] = selector.split(".");
  const [first] = given;
  const isProps = typeof first === "object" && first !== null && !Array.isArray(first) && !("children" in first);
  const props = isProps ? (given.shift() as Props) : {};
  const look = classes.length > 0 ? { class: classes.join(" ") } : {};
  return { tag, text: "", props: { ...look, ...props }, children: nodes(given as Child[]) };
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

const roots = new WeakMap<Element, VNode[]>();

export function render(parent: HTMLElement, ...children: Child[]): void {
  const after = nodes(children);
  patch(parent, roots.get(parent) ?? [], after);
  roots.set(parent, after);
}

function nodes(children: readonly Child[]): VNode[] {
  return children.flatMap((child) => {
    if (child === null || child === undefined || child === false || child === "") {
      return [];
    }
    if (typeof child === "object") {
      return "tag" in child ? child : nodes(child);
    }
    return { tag: "", text: visible(String(child)), props: {}, children: [] };
  });
}

const STEERING = /(?![\t\n])[\p{Cc}\u061c\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu;

/** Shows characters that would reorder or hide the text around them by their code point. */
function visible(text: string): string {
  return text.replace(
    STEERING,
    (one) => `‹U+${(one.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}›`,
  );
}

/** Names each node among its siblings: by its key, else it is the first, second, third of its tag. */
function named(siblings: readonly VNode[]): Map<string, VNode> {
  const counts = new Map<string, number>();
  return new Map(
    siblings.map((node) => {
      const { tag, props } = node;
      const number = counts.get(tag) ?? 0;
      counts.set(tag, number + 1);
      return [props.key === undefined ? `${tag} ${number}` : `${tag}#${props.key}`, node];
    }),
  );
}

function patch(parent: Element, before: readonly VNode[], after: readonly VNode[]): void {
  const [old, now] = [named(before), named(after)];
  for (const [name, { dom }] of old) {
    if (!now.has(name)) {
      dom?.remove();
    }
  }
  let next = parent.firstChild;
  for (const [name, node] of now) {
    const before = old.get(name);
    const dom = node.tag === "" ? settleText(before, node) : settle(before, node);
    node.dom = dom;
    if (dom === next) {
      next = dom.nextSibling;
    } else {
      parent.insertBefore(dom, next);
    }
  }
}

function settleText(before: VNode | undefined, { text }: VNode): Text {
  const dom = (before?.dom as Text | undefined) ?? document.createTextNode("");
  if (before?.text !== text) {
    dom.data = text;
  }
  return dom;
}

function settle(before: VNode | undefined, node: VNode): Element {
  const dom = (before?.dom as HTMLElement | undefined) ?? document.createElement(node.tag);
  const { key: _key, memo, body, ref, ...attributes } = node.props;
  if (before !== undefined && memo?.every((value, index) => value === before.props.memo?.[index])) {
    node.children = before.children;
  } else {
    node.children.push(...nodes([body?.()]));
    patch(dom, before?.children ?? [], node.children);
  }
  for (const name of new Set([...Object.keys(before?.props ?? {}), ...Object.keys(attributes)])) {
    set(dom, name, before?.props[name], attributes[name]);
  }
  if (before === undefined) {
    ref?.(dom);
  }
  return dom;
}

function set(dom: HTMLElement, name: string, before: unknown, value: unknown): void {
  if (name === "style") {
    for (const [property, wanted] of Object.entries(value ?? {})) {
      dom.style.setProperty(property, wanted);
    }
  } else if (name === "value" || name === "checked" || name.startsWith("on")) {
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
