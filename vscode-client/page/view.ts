/** The whole screen, from the model. */

import { header, notices } from "./actions";
import { sizes } from "./bars";
import { type Child, h, type VNode } from "./dom";
import { kept, missing } from "./facts";
import { message } from "./message";
import type { Screen } from "./screen";
import { shown } from "./shown";
import { strip } from "./strip";

export function view(screen: Screen): Child {
  const { draft } = screen;
  if (draft === undefined) {
    return h("main", { class: "opening" }, notices(screen, undefined));
  }
  const now = shown(draft, screen);
  return [
    h(
      "main",
      { "aria-busy": String(screen.isBusy) },
      header(screen, draft),
      h("div", { class: "notices" }, notices(screen, draft)),
      sizes(screen, draft, now),
      strip(screen, draft),
      h(
        "div",
        { class: "columns" },
        h("div", { class: "lists" }, missing(screen, draft, now), kept(screen, draft, now)),
        message(screen, draft, now),
      ),
    ),
    screen.reading !== undefined && reading(screen),
  ];
}

/** Original messages in a window above the page; Escape closes it. */
function reading(screen: Screen): VNode {
  const { title, messages } = screen.reading ?? { title: "", messages: undefined };
  const close = () => screen.show({ reading: undefined });
  return h(
    "dialog",
    {
      key: "reading",
      "aria-label": title,
      ref: (element) => queueMicrotask(() => (element as HTMLDialogElement).showModal()),
      onclose: close,
    },
    h(
      "div",
      { class: "head" },
      h("h2", { dir: "auto" }, title),
      h("button", { type: "button", class: "secondary", onclick: close }, "Close"),
    ),
    h(
      "div",
      { class: "texts", tabindex: 0, role: "region", "aria-label": "Messages" },
      messages === undefined && h("p", { class: "quiet", role: "status" }, "Reading…"),
      messages?.map(({ id, role, text }) =>
        h("article", { key: id }, h("h3", { class: "quiet" }, role), h("pre", { dir: "auto" }, text)),
      ),
    ),
  );
}
