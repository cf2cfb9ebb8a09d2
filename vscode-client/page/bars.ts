/** The two bars, now and after, and the slider that says how much to keep. */

import type { Draft, Parts } from "../src/wire";
import { button, type Child, h, type VNode } from "./dom";
import type { Screen } from "./screen";
import type { Shown } from "./shown";
import { count, PARTS, sizeOf, times, tokens, toolName, upperFirst } from "./words";

export function sizes(screen: Screen, draft: Draft, now: Shown): VNode {
  return h("section.card.sizes.spread", { "aria-label": "Size" }, bars(draft, now), slider(screen, draft, now));
}

function bars({ report, preview, compaction }: Draft, { tokens: size }: Shown): VNode {
  const { used, parts, limit, window } = report;
  const next = compaction.nextChat?.continuation ?? preview.nextChat?.continuation;
  const fixed = next?.fixed ?? parts.fixed;
  const before = used - parts.fixed - sizeOf(parts, "attached");
  const after = fixed + size;
  const scale = Math.max(limit === null ? window : limit.tokens * 1.2, used * 1.04, after * 1.04);
  const less = before > size ? ` (${Math.floor(100 - (100 * size) / before)}% less)` : "";
  const share = (part: number) => `${(100 * part) / scale}%`;
  const bar = (label: string, shares: readonly (readonly [string, number])[]) =>
    h(
      "div.bar",
      { role: "img", "aria-label": label },
      shares.map(
        ([name, part]) =>
          part > 0 && h("div.part", { key: name, style: { width: share(part), "--color": `var(--${name})` } }),
      ),
      limit !== null && h("div.limit", { style: { left: share(limit.tokens) } }),
    );
  const now = PARTS.map(([name]) => [name, sizeOf(parts, name)] as const);
  return h(
    "div.bars",
    figure("now", h("b", tokens(used)), limits(report)),
    bar(`Now ${tokens(used)} tokens`, now),
    figure("after", h("b", tokens(after)), ` · conversation ${tokens(before)} → `, h("b", tokens(size)), less),
    bar(`After ${tokens(after)} tokens`, [["fixed", fixed], ...sharesOf(size, next?.parts)]),
    h(
      "ul.legend.spread.quiet",
      PARTS.map(([name, label]) => sizeOf(parts, name) > 0 && sample(name, `${label} ${tokens(sizeOf(parts, name))}`)),
      sample("message", `new message ${tokens(size)}`),
    ),
  );
}

function figure(name: string, ...what: Child[]): VNode {
  return h("div.figure.spread.quiet", h("span", name), h("span", what));
}

/** An entry of a legend. */
export function sample(color: string, text: string): VNode {
  return h("li.sample", { style: { "--color": `var(--${color})` } }, text);
}

/** The parts of the next chat's message, scaled to its size at this length. */
function sharesOf(size: number, parts: Parts | null | undefined): [string, number][] {
  const known = PARTS.slice(1).map(([name]): [string, number] => [name, parts?.[name] ?? 0]);
  const all = known.reduce((sum, [, part]) => sum + part, 0);
  return all > 0
    ? known.map(([name, part]) => [name === "summary" ? "message" : name, (part * size) / all])
    : [["message", size]];
}

function limits({ limit, window, windowsPossible, tool, compactions }: Draft["report"]): Child {
  const possible = windowsPossible.length > 1 ? windowsPossible : [window];
  const did = compactions.automatic > 0 ? `, it did ${times(compactions.automatic)}` : "";
  const about = limit?.basis === "setting" ? "" : "≈";
  return [
    ` of ${possible.map((size) => tokens(size)).join(" or ")}`,
    limit !== null && [
      " · ",
      h("span.warn", `${toolName(tool)} auto-compacts at ${about}${tokens(limit.tokens)}${did}`),
    ],
  ];
}

function slider(screen: Screen, draft: Draft, { lengths, at, tokens: size, sizes: all, counts }: Shown): VNode {
  const { kept, total, shortened } = counts;
  const last = lengths.length - 1;
  const move = (index: number, isMoving: boolean) =>
    screen.choose(() => ({ summaryBudget: lengths[index]?.budget ?? null }), isMoving);
  const places = lengths.flatMap(({ name }, index) => (name ? [[index, upperFirst(name)] as const] : []));
  const name = places.find(([index]) => index === at)?.[1];
  const stops = places.map(([index, title]) =>
    button(
      [h("span", title), ` ${tokens(index === at && !draft.edited ? size : (all[index] ?? 0))}`],
      index === at ? "stop here" : "stop",
      () => move(index, false),
    ),
  );
  return h(
    "div.length",
    h("div.head.spread", h("h2", { id: "keep" }, "How much to keep"), h("b.quiet", `${tokens(size)} tokens`)),
    last > 0 &&
      h("input", {
        type: "range",
        min: "0",
        max: String(last),
        value: String(at),
        "aria-labelledby": "keep",
        "aria-valuetext": [name, `${tokens(size)} tokens`, `${kept} of ${count(total, "item")} kept`]
          .filter(Boolean)
          .join(", "),
        style: { "--share": `${(100 * at) / last}%` },
        oninput: (event: Event) => move(Number((event.target as HTMLInputElement).value), true),
        onchange: () => screen.flush(),
      }),
    last > 0 && h("div.stops.spread.quiet", stops),
    h(
      "p.verdict",
      { role: "status" },
      `${kept} of ${count(total, "item")} kept`,
      total > kept && [" — ", h("span.warn", `${total - kept} missing`)],
      shortened > 0 && [" · ", h("span.warn", `${count(shortened, "message")} shortened`)],
    ),
    last > 0 && h("p.quiet", "The lists below follow while you move it."),
    last === 0 && h("p.quiet", "This chat is short: every length gives this message."),
  );
}
