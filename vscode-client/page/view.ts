/** The whole screen, from the model. */

import { header, notices } from "./actions";
import { sizes } from "./bars";
import { type Child, h } from "./dom";
import { kept, missing } from "./facts";
import { message } from "./message";
import { reading } from "./reading";
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
