/** A button with a menu of actions: arrows move, Escape closes and gives the focus back. */

import { button, h, type VNode } from "./dom";
import type { Screen } from "./screen";

export interface MenuItem {
  readonly title: string;
  readonly keys?: string | undefined;
  readonly run: () => void;
}

export function menuButton(screen: Screen, id: string, label: string, items: readonly MenuItem[], disabled = false) {
  const isOpen = screen.menu === id;
  const toggle = () => screen.show({ menu: isOpen ? undefined : id });
  const state = { "aria-label": label, title: label, "aria-haspopup": "menu", "aria-expanded": String(isOpen) };
  return h(
    "div.menu-place",
    { "data-menu": id },
    button("⋯", "secondary more", toggle, { ...state, disabled }),
    isOpen && menu(screen, label, items),
  );
}

function menu(screen: Screen, label: string, items: readonly MenuItem[]): VNode {
  const rows = items.map(({ title, keys, run }) => {
    const onclick = () => {
      screen.show({ menu: undefined });
      run();
    };
    const hint = keys !== undefined && h("kbd", { "aria-hidden": "true" }, keys);
    return h("button", { type: "button", role: "menuitem", tabindex: -1, onclick }, h("span", title), hint);
  });
  const ref = (element: HTMLElement) => queueMicrotask(() => element.querySelector("button")?.focus());
  const onkeydown = (event: KeyboardEvent) => move(screen, event);
  return h("div.menu", { key: label, role: "menu", "aria-label": label, ref, onkeydown }, rows);
}

function move(screen: Screen, event: KeyboardEvent): void {
  const element = event.currentTarget as HTMLElement;
  const rows = [...element.querySelectorAll("button")];
  const at = rows.indexOf(document.activeElement as HTMLButtonElement);
  const to = { ArrowDown: at + 1, ArrowUp: at - 1 + rows.length, Home: 0, End: rows.length - 1 }[event.key];
  if (to !== undefined) {
    event.preventDefault();
    rows[to % rows.length]?.focus();
  } else if (event.key === "Escape" || event.key === "Tab") {
    event.preventDefault();
    const opener = element.parentElement?.querySelector<HTMLElement>("[aria-haspopup]");
    screen.show({ menu: undefined });
    opener?.focus();
  }
  event.stopPropagation();
}
