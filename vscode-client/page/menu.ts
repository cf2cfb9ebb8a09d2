/** A button with a menu of actions: arrows move, Escape closes and gives the focus back. */

import { button, h, type VNode } from "./dom";
import type { Screen } from "./screen";

export interface MenuItem {
  readonly title: string;
  readonly keys?: string | undefined;
  readonly run: () => void;
}

export function menuButton(
  screen: Screen,
  id: string,
  label: string,
  items: readonly MenuItem[],
  disabled = false,
): VNode {
  const isOpen = screen.menu === id;
  const toggle = () => screen.show({ menu: isOpen ? undefined : id });
  return h(
    "div",
    { class: "menu-place", "data-menu": id },
    button("⋯", "secondary more", toggle, {
      "aria-label": label,
      title: label,
      "aria-haspopup": "menu",
      "aria-expanded": String(isOpen),
      disabled,
    }),
    isOpen && menu(screen, label, items),
  );
}

export function menu(screen: Screen, label: string, items: readonly MenuItem[]): VNode {
  const rows = items.map(({ title, keys, run }) =>
    h(
      "button",
      {
        type: "button",
        role: "menuitem",
        tabindex: -1,
        onclick: () => {
          screen.show({ menu: undefined });
          run();
        },
      },
      h("span", {}, title),
      keys !== undefined && h("kbd", { "aria-hidden": "true" }, keys),
    ),
  );
  const focusFirst = (element: HTMLElement) => queueMicrotask(() => element.querySelector("button")?.focus());
  return h(
    "div",
    {
      key: label,
      class: "menu",
      role: "menu",
      "aria-label": label,
      ref: focusFirst,
      onkeydown: (event: KeyboardEvent) => move(screen, event),
    },
    rows,
  );
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
