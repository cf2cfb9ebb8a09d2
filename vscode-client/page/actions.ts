/** The row of actions and menus of more, the question before a model gets the chat, and what was done, or went wrong. */

import type { Draft } from "../src/wire";
import { button, type Child, h, type VNode } from "./dom";

import { showPrompt } from "./reading";
import type { Screen, Trouble, Work } from "./screen";
import { clipped, count, modelName, times, tokens, toolName } from "./words";

export function header(screen: Screen, draft: Draft): VNode {
  const { report, compaction } = draft;
  const said = compaction.survival.facts?.findLast((fact) => fact.class === "userMessages")?.text;
  const turns = compaction.survival.scope?.userMessages ?? 0;
  const messages = count(report.messageCount, "message");
  const about = [
    toolName(report.tool),
    report.model && modelName(report.model),
    turns > 0 ? `${count(turns, "turn")}, ${messages}` : messages,
  ];
  return h(
    "header",
    h(
      "div.title",
      h("h1", { dir: "auto" }, compaction.title ?? report.title ?? "Untitled chat"),
      h(
        "p.quiet",
        about.filter(Boolean).join(" · "),
        said !== undefined && [" · last: ", h("bdi", `“${clipped(said, 90)}”`)],
      ),
    ),
    row(screen, draft),
  );
}

function row(screen: Screen, draft: Draft): VNode {
  const { host, work, closed } = screen;
  const disabled = work !== undefined || closed !== undefined;
  const own = host?.actions ?? [];
  const buttons = own
    .filter(({ overflow }) => !overflow)
    .map(({ id, title, keys, primary }) =>
      button(
        [title, keys !== undefined && h("kbd", { "aria-hidden": "true" }, keys)],
        primary ? "primary" : "secondary",
        () => screen.run(id),
        { key: id, "data-action": id, disabled },
      ),
    );
  const items: MenuItem[] = own
    .filter(({ overflow }) => overflow)
    .map(({ id, title, keys }) => ({ title, keys, run: () => screen.run(id) }));
  const before = draft.versions.at(-2);
  if (before !== undefined) {
    items.push({ title: "Undo Last Change", run: () => screen.restore(before.version) });
  }
  return h(
    "div.actions",
    { role: "group", "aria-label": "Actions" },
    buttons.slice(0, 1),
    rewriting(screen, draft, disabled),
    buttons.slice(1),
    items.length > 0 && menuButton(screen, "more", "More actions", items, disabled),
  );
}

function rewriting(screen: Screen, draft: Draft, disabled: boolean): Child {
  const model = screen.host?.model;
  if (!model) {
    return null;
  }
  const { request } = draft.preview;
  return button(
    [`Rewrite with ${model.name}`, request !== null && h("small", ` · sends ${tokens(request.inputTokens)} tokens`)],
    "secondary",
    () => screen.wish(),
    { "data-action": "rewrite", disabled },
  );
}

/** All that is said between the actions and the figures. */
export function notices(screen: Screen, draft: Draft | undefined): Child {
  const { work, closed, status } = screen;
  return [
    draft && screen.consent && consent(screen, draft, screen.consent.isKept),
    work && working(work),
    closed !== undefined && h("p.notice.trouble", { key: "closed", role: "alert" }, closed),
    screen.trouble && trouble(screen, screen.trouble),
    draft && healed(draft),
    draft && rewritten(screen, draft),
    h(
      "p",
      { key: "status", class: status === "" ? "empty" : "notice status", role: "status", "aria-live": "polite" },
      status,
    ),
  ];
}

function consent(screen: Screen, { preview: { request, redactions } }: Draft, isKept: boolean): VNode {
  const { model } = screen.host ?? {};
  const about = request === null ? "this chat" : `about ${tokens(request.inputTokens)} tokens of this chat`;
  const whom = `${model?.name ?? "the model"}${model?.provider === "anthropic" ? " (Anthropic)" : ""}`;
  const { total } = redactions;
  const masked =
    total === 0 ? "No secrets were found in it." : `${count(total, "secret")} ${total === 1 ? "is" : "are"} masked.`;
  const close = () => screen.show({ consent: undefined });
  const keep = ({ target }: Event) => screen.show({ consent: { isKept: (target as HTMLInputElement).checked } });
  const send = async () => {
    if (isKept) {
      await screen.run("confirmModel");
    }
    screen.rewrite();
  };
  const onkeydown = ({ key }: KeyboardEvent) => key === "Escape" && close();
  return h(
    "div.notice.consent",
    { key: "consent", role: "group", "aria-label": "Before sending", onkeydown },
    h("p", `This sends ${about} to ${whom}. ${masked}`),
    h("label", h("input", { type: "checkbox", checked: isKept, onchange: keep }), "Don't ask again for this model"),
    h(
      "div.buttons",
      button("Send and Rewrite", "primary", send, { ref: (element) => queueMicrotask(() => element.focus()) }),
      button("Show Text", "secondary", () => showPrompt(screen)),
      button("Cancel", "secondary", close),
    ),
  );
}

function working({ label, sentence, percentage, text, stop }: Work): Child {
  const share = percentage === undefined ? {} : { value: String(percentage), max: "100" };
  const about = text === "" ? sentence : `about ${tokens(text.length / 4)} tokens so far`;
  return h(
    "div.notice.working",
    { key: "work" },
    h("p", { role: "status" }, `${label}…`, about !== "" && h("span.quiet", ` ${about}`)),
    percentage === undefined
      ? h("div.endless", { role: "progressbar", "aria-label": label })
      : h("progress", { ...share, "aria-label": label }),
    button("Stop", "secondary", () => stop.abort()),
  );
}

function trouble(screen: Screen, { sentence, again }: Trouble): VNode {
  return h(
    "div.notice.trouble",
    { key: "trouble", role: "alert" },
    h("p", sentence),
    h(
      "div.buttons",
      again !== undefined && button("Try Again", "secondary", again),
      button("Dismiss", "secondary", () => screen.show({ trouble: undefined })),
    ),
  );
}

function healed({ report, compaction }: Draft): Child {
  if (compaction.healed === 0 || report.compactions.total === 0) {
    return null;
  }
  const back =
    compaction.healed === 1 ? "1 thing it dropped is back" : `${compaction.healed} things it dropped are back`;
  return h(
    "p",
    { key: "healed", class: "notice good" },
    `${toolName(report.tool)} compacted this chat ${times(report.compactions.total)}. ${back}.`,
  );
}

/** What a rewrite changed, and the way back; a later change of that text says nothing of it. */
function rewritten(screen: Screen, { versions }: Draft): Child {
  const [before, now] = [versions.at(-2), versions.at(-1)];
  if (now?.by !== "model" || before === undefined || (before.by === "model" && screen.rewritten !== now.version)) {
    return null;
  }
  const { tokens: size, kept, total } = now;
  const by = now.model === null ? "" : ` by ${screen.host?.names?.[now.model] ?? modelName(now.model)}`;
  const figures = `${tokens(size)} tokens, ${kept} of ${count(total, "item")} kept`;
  return h(
    "p",
    { key: "rewritten", class: "notice" },
    h("span", `Rewritten${by}: ${figures}; before: ${tokens(before.tokens)}, ${before.kept} of ${before.total}`),
    button("Restore Previous Summary", "link", () => screen.restore(before.version)),
  );
}

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
  const onkeydown = (event: KeyboardEvent) => moveIn(screen, event);
  return h("div.menu", { key: label, role: "menu", "aria-label": label, ref, onkeydown }, rows);
}

function moveIn(screen: Screen, event: KeyboardEvent): void {
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
