/** The actions and their menus, the question before a chat is sent to a model, and the notices. */

import type { Draft } from "../src/wire";
import { button, type Child, h, roam, type VNode } from "./dom";
import { showPrompt } from "./reading";
import type { Screen, Trouble, Work } from "./screen";
import { clipped, count, day, digits, facts, modelName, times, tokens, toolName } from "./words";

export function header(screen: Screen, draft: Draft): VNode {
  const { report, compaction } = draft;
  const said = compaction.survival.facts?.findLast((fact) => fact.class === "userMessages")?.text;
  const { messages = 0, userMessages = 0, beforeLastCompaction = 0 } = compaction.survival.scope ?? {};
  const about = [
    toolName(report.tool),
    report.model && modelName(report.model),
    beforeLastCompaction > 0
      ? `${digits(report.messageCount)} of ${count(messages, "message")} in context`
      : count(report.messageCount, "message"),
    userMessages > 0 && facts("userMessages", userMessages),
  ];
  return h(
    "header.spread",
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

function row(screen: Screen, { undo, preview: { request } }: Draft): VNode {
  const { model, actions = [] } = screen.host ?? {};
  const disabled = screen.work !== undefined || screen.closed !== undefined;
  const buttons = actions
    .filter(({ overflow }) => !overflow)
    .map(({ id, title, keys, primary }) =>
      button([title, shortcut(keys)], primary ? "primary" : "secondary", () => screen.run(id), {
        key: id,
        "data-action": id,
        disabled: disabled && (id !== "copy" || screen.closed === undefined),
      }),
    );
  const items: MenuItem[] = actions
    .filter(({ overflow }) => overflow)
    .map(({ id, title, keys }) => ({ title, keys, run: () => screen.run(id) }));
  if (undo !== null) {
    items.push({ title: "Undo Last Change", run: () => screen.restore(undo) });
  }
  const sends = request !== null && h("small", ` · sends ${tokens(request.inputTokens)} tokens`);
  const rewrite = { "data-action": "rewrite", disabled };
  return h(
    "div.actions",
    { role: "group", "aria-label": "Actions" },
    buttons.slice(0, 1),
    model && button([`Rewrite with ${model.name}`, sends], "secondary", () => screen.rewrite(), rewrite),
    buttons.slice(1),
    items.length > 0 && menuButton("more", "More actions", items, disabled),
  );
}

export function shortcut(keys: string | undefined): Child {
  return keys !== undefined && h("span.keys", { "aria-hidden": "true" }, keys);
}

export function notices(screen: Screen, draft: Draft | undefined): Child {
  const { work, closed, status } = screen;
  return [
    draft && screen.consent && consent(screen, draft, screen.consent.isKept),
    work && working(work),
    closed !== undefined && h("p.notice.trouble", { key: "closed", role: "alert" }, closed),
    screen.trouble && trouble(screen, screen.trouble),
    draft && earlier(screen, draft),
    draft?.changed && changed(screen),
    draft && healed(draft),
    draft && rewritten(screen, draft),
    h("p.notice.status", { key: "status", role: "status", "aria-live": "polite" }, status),
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
    screen.rewrite(model ?? undefined);
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
  const about = text === "" ? sentence : `about ${tokens(text.length / 4)} tokens so far`;
  return h(
    "div.notice.working",
    { key: "work" },
    h("p", { role: "status" }, `${label}…`, about !== "" && h("span.quiet", ` ${about}`)),
    h("progress", { max: "100", "aria-label": label, ...(percentage !== undefined && { value: percentage }) }),
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
      screen.draft !== undefined && button("Dismiss", "secondary", () => screen.show({ trouble: undefined })),
    ),
  );
}

/** Says that a draft was opened again with its changes, until the next one; then the way back, if they were given up. */
function earlier(screen: Screen, { version, versions, edited }: Draft): Child {
  const [first, last, before] = [versions[0], versions.at(-1), screen.earlier];
  if (before === undefined || first === undefined || last === undefined) {
    return null;
  }
  if (version === screen.anew) {
    const back = button("Show Earlier Draft", "link", () => screen.restore(before));
    return h("p.notice", { key: "earlier" }, h("span", "This is the message as it was first written."), back);
  }
  const sentence = `This is an earlier draft of this chat, version ${version} of ${day(last.at)}, with your ${
    edited ? "edits in the message" : "changes"
  }.`;
  const anew = first.by !== "edit" && button("Start Anew", "secondary", () => screen.startAnew(first.version));
  return version === before ? h("div.notice", { key: "earlier" }, h("p", sentence), anew) : null;
}

function changed(screen: Screen): VNode {
  const show = button("Show History", "link", () => screen.run("history"));
  return h("p.notice", { key: "changed" }, "You changed an earlier draft of this chat. ", show);
}

function healed({ report: { tool, compactions }, compaction: { healed, healedAtMost: most } }: Draft): Child {
  if (!most || compactions.total === 0) {
    return null;
  }
  const compacted = `${toolName(tool)} compacted this chat ${times(compactions.total)}.`;
  if (healed === 0) {
    const [back, them] = most === 1 ? ["1 item from before is", "it"] : [`${most} items from before are`, "them"];
    const sentence = `${compacted} ${back} in the message; whether its summaries had ${them} is unknown.`;
    return h("p.notice", { key: "healed" }, sentence);
  }
  const back = healed === 1 ? "1 item it dropped is back" : `${healed} items it dropped are back`;
  return h("p.notice.good", { key: "healed" }, `${compacted} ${back}.`);
}

/** What a rewrite changed, with a way back; hidden after the next change. */
function rewritten(screen: Screen, { versions }: Draft): Child {
  const [before, now] = [versions.at(-2), versions.at(-1)];
  if (now?.by !== "model" || before === undefined || (before.by === "model" && screen.rewritten !== now.version)) {
    return null;
  }
  const by = now.model === null ? "" : ` by ${screen.host?.names?.[now.model] ?? modelName(now.model)}`;
  const figures = `${tokens(now.tokens)} tokens, ${now.kept} of ${count(now.total, "item")} kept`;
  return h(
    "p.notice",
    { key: "rewritten" },
    h("span", `Rewritten${by}: ${figures}; before: ${tokens(before.tokens)}, ${before.kept} of ${before.total}`),
    button("Restore Previous Summary", "link", () => screen.restore(before.version)),
  );
}

export interface MenuItem {
  readonly title: string;
  readonly keys?: string | undefined;
  readonly run: () => void;
}

/** A button with a popover menu, which the browser places, and closes on Escape or a click elsewhere. */
export function menuButton(id: string, label: string, items: readonly MenuItem[], disabled = false): VNode {
  const rows = items.map(({ title, keys, run }) => {
    const onclick = ({ currentTarget }: MouseEvent) => {
      (currentTarget as HTMLElement).parentElement?.hidePopover();
      run();
    };
    return button([h("span", title), shortcut(keys)], "item", onclick, { role: "menuitem", tabindex: -1 });
  });
  const onkeydown = (event: KeyboardEvent) => {
    roam(event);
    if (event.key === "Tab") {
      (event.currentTarget as HTMLElement).hidePopover();
    }
  };
  const ontoggle = ({ newState, currentTarget }: ToggleEvent) =>
    newState === "open" && (currentTarget as HTMLElement).querySelector("button")?.focus();
  return h(
    "div.menu-place",
    button("⋯", "secondary more", () => undefined, {
      popovertarget: id,
      "aria-label": label,
      "aria-haspopup": "menu",
      title: label,
      disabled,
    }),
    h("div.menu", { id, popover: "auto", role: "menu", "aria-label": label, onkeydown, ontoggle }, rows),
  );
}
