/** The two bars, now and after, and the slider that says how much to keep. */

import type { Draft, Parts } from "../src/wire";
import { button, type Child, h, type VNode } from "./dom";

import type { Screen } from "./screen";
import { besides, lengthOf, type Shown, stop } from "./shown";
import { count, times, tokens, toolName } from "./words";

const PARTS: readonly [keyof Parts, string][] = [
  ["fixed", "system and tools"],
  ["summary", "earlier summary"],
  ["toolResults", "tool results"],
  ["toolCalls", "tool calls"],
  ["thinking", "thinking"],
  ["images", "images"],
  ["user", "you"],
  ["assistant", "answers"],
];
const STOPS = { brief: "Brief", standard: "Standard", full: "Full" };

export function sizes(screen: Screen, draft: Draft, now: Shown): VNode {
  return h("section.card.sizes", { "aria-label": "Size" }, bars(draft, now), slider(screen, draft, now));
}

function bars({ report, preview, compaction }: Draft, { tokens: size }: Shown): VNode {
  const { used, parts, limit, window } = report;
  const next = compaction.nextChat?.continuation ?? preview.nextChat?.continuation;
  const fixed = next?.fixed ?? parts.fixed;
  const before = used - parts.fixed;
  const after = fixed + size;
  const scale = Math.max(limit === null ? window : limit.tokens * 1.2, used * 1.04, after * 1.04);
  const less = before > size ? ` (${Math.round(100 - (100 * size) / before)} % less)` : "";
  const line = () => limit !== null && h("div.limit", { style: { left: `${(100 * limit.tokens) / scale}%` } });
  const rows = PARTS.filter(([name]) => parts[name] > 0);
  const shares = rows.map(([name]) => [name, parts[name]] as const);
  return h(
    "div.bars",
    figure("now", h("b", tokens(used)), limits(report)),
    bar(shares, scale, line(), `Now ${tokens(used)} tokens`),
    figure("after", h("b", tokens(after)), ` · conversation ${tokens(before)} → `, h("b.after", tokens(size)), less),
    bar([["fixed", fixed], ...sharesOf(size, next?.parts)], scale, line(), `After ${tokens(after)} tokens`),
    h(
      "ul.legend",
      rows.map(([name, label]) => h("li", { class: name }, `${label} ${tokens(parts[name])}`)),
      h("li.message", `new message ${tokens(size)}`),
    ),
  );
}

function figure(name: string, ...what: Child[]): VNode {
  return h("div.figure", h("span.quiet", name), h("span", what));
}

/** The parts of the next chat's message, made as long as the message is at this length. */
function sharesOf(size: number, parts: Parts | null | undefined): [string, number][] {
  const known = parts ? PARTS.slice(2).map(([name]) => [name, parts[name]] as [string, number]) : [];
  known.unshift(["message", parts?.summary ?? 0]);
  const all = known.reduce((sum, [, part]) => sum + part, 0);
  return all > 0 ? known.map(([name, part]) => [name, (part * size) / all]) : [["message", size]];
}

function limits({ limit, window, windowsPossible, tool, compactions }: Draft["report"]): Child {
  const possible =
    windowsPossible.length > 1 ? windowsPossible.map((size) => tokens(size)).join(" or ") : tokens(window);
  if (limit === null) {
    return ` of ${possible}`;
  }
  const did = compactions.automatic > 0 ? `, it did ${times(compactions.automatic)}` : "";
  const about = limit.basis === "setting" ? "" : "≈";
  return [
    ` of ${possible} · `,
    h("span.warn", `${toolName(tool)} auto-compacts at ${about}${tokens(limit.tokens)}${did}`),
  ];
}

function bar(parts: readonly (readonly [string, number])[], scale: number, line: Child, label: string): VNode {
  const shares = parts.map(([name, size]) =>
    h("div", { class: `part ${name}`, style: { width: `${(100 * size) / scale}%` } }),
  );
  return h("div.bar", { role: "img", "aria-label": label }, shares, line);
}

function slider(screen: Screen, draft: Draft, now: Shown): VNode | false {
  const lengths = draft.preview.lengths ?? [];
  const at = screen.length ?? lengthOf(draft);
  const last = lengths.length - 1;
  const places = (Object.keys(STOPS) as (keyof typeof STOPS)[]).map(
    (name) => [stop(lengths, name), STOPS[name]] as const,
  );
  const isMissing = now.counts.total - now.counts.kept;
  const name = places.find(([index]) => index === at)?.[1];
  const spoken = `${name === undefined ? "" : `${name}, `}${tokens(now.tokens)} tokens, ${now.counts.kept} of ${now.counts.total} items kept`;
  const go = (index: number) => {
    screen.move(index);
    screen.flush();
  };
  const stops = places.map(([index, title]) =>
    button(
      [h("span", title), ` ${tokens(index === at ? now.tokens : (lengths[index]?.tokens ?? 0) + besides(draft))}`],
      index === at ? "stop here" : "stop",
      () => go(index),
    ),
  );
  return h(
    "div.length",
    h("div.head", h("h2", { id: "keep" }, "How much to keep"), h("span.quiet.amount", `${tokens(now.tokens)} tokens`)),
    lengths.length > 1 &&
      h("input", {
        type: "range",
        min: "0",
        max: String(last),
        step: "1",
        value: String(at),
        "aria-labelledby": "keep",
        "aria-valuetext": spoken,
        style: { "--share": `${(100 * at) / Math.max(1, last)}%` },
        oninput: (event: Event) => screen.move(Number((event.target as HTMLInputElement).value)),
        onchange: () => screen.flush(),
      }),
    lengths.length > 1 && h("div.stops", stops),
    h(
      "p.verdict",
      { role: "status" },
      `${now.counts.kept} of ${count(now.counts.total, "item")} kept`,
      isMissing > 0 && [" — ", h("span.warn", `${isMissing} missing`)],
      now.counts.shortened > 0 && [" · ", h("span.warn", `${count(now.counts.shortened, "message")} shortened`)],
    ),
    lengths.length > 1 && h("p.quiet", "The lists below follow while you move it."),
  );
}
