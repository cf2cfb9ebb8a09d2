/** The row of actions, the question before a model gets the chat, and what was done, or went wrong. */

import type { Draft } from "../src/wire";
import { button, type Child, h, type VNode } from "./dom";
import { type MenuItem, menuButton } from "./menu";

import { showPrompt } from "./reading";
import type { Screen } from "./screen";
import { clipped, count, modelName, times, tokens, toolName } from "./words";

export function header(screen: Screen, draft: Draft): VNode {
  const { report, compaction } = draft;
  const facts = compaction.survival.facts ?? [];
  const said = facts.filter((fact) => fact.class === "userMessages").at(-1)?.text;
  const turns = compaction.survival.scope?.userMessages ?? 0;
  const about = [
    toolName(report.tool),
    report.model === null ? "" : modelName(report.model),
    [turns > 0 ? count(turns, "turn") : "", count(report.messageCount, "message")]
      .filter((part) => part !== "")
      .join(", "),
  ];
  return h(
    "header",
    {},
    h(
      "div",
      { class: "title" },
      h("h1", { dir: "auto" }, compaction.title ?? report.title ?? "Untitled chat"),
      h(
        "p",
        { class: "quiet" },
        about.filter((part) => part !== "").join(" · "),
        said !== undefined && [" · last: ", h("bdi", {}, `“${clipped(said, 90)}”`)],
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
    "div",
    { class: "actions", role: "group", "aria-label": "Actions" },
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
    [
      `Rewrite with ${model.name}`,
      request !== null && h("small", {}, ` · sends ${tokens(request.inputTokens)} tokens`),
    ],
    "secondary",
    () => screen.wish(),
    { "data-action": "rewrite", disabled },
  );
}

/** All that is said between the actions and the figures. */
export function notices(screen: Screen, draft: Draft | undefined): Child {
  return [
    draft !== undefined && screen.consent !== undefined && consent(screen, draft),
    screen.work !== undefined && working(screen),
    screen.closed !== undefined && h("p", { key: "closed", class: "notice trouble", role: "alert" }, screen.closed),
    screen.trouble !== undefined && trouble(screen),
    draft !== undefined && healed(draft),
    draft !== undefined && rewritten(screen, draft),
    h(
      "p",
      { key: "status", class: screen.status === "" ? "empty" : "notice status", role: "status", "aria-live": "polite" },
      screen.status,
    ),
  ];
}

function consent(screen: Screen, draft: Draft): VNode {
  const { model } = screen.host ?? {};
  const { request, redactions } = draft.preview;
  const about = request === null ? "this chat" : `about ${tokens(request.inputTokens)} tokens of this chat`;
  const masked =
    redactions.total === 0
      ? "No secrets were found in it."
      : `${count(redactions.total, "secret")} ${redactions.total === 1 ? "is" : "are"} masked.`;
  const keep = (event: Event) => screen.show({ consent: { isKept: (event.target as HTMLInputElement).checked } });
  const send = async () => {
    if (screen.consent?.isKept) {
      await screen.run("confirmModel");
    }
    screen.rewrite();
  };
  return h(
    "div",
    {
      key: "consent",
      class: "notice consent",
      role: "group",
      "aria-label": "Before sending",
      onkeydown: (event: KeyboardEvent) => event.key === "Escape" && screen.show({ consent: undefined }),
    },
    h(
      "p",
      {},
      `This sends ${about} to ${model?.name ?? "the model"}${model?.provider === "anthropic" ? " (Anthropic)" : ""}. ${masked}`,
    ),
    h(
      "label",
      {},
      h("input", { type: "checkbox", checked: screen.consent?.isKept ?? false, onchange: keep }),
      "Don't ask again for this model",
    ),
    h(
      "div",
      { class: "buttons" },
      button("Send and Rewrite", "primary", send, { ref: (element) => queueMicrotask(() => element.focus()) }),
      button("Show Text", "secondary", () => showPrompt(screen)),
      button("Cancel", "secondary", () => screen.show({ consent: undefined })),
    ),
  );
}

function working(screen: Screen): Child {
  const { label, sentence, percentage, text, stop } = screen.work ?? {
    label: "",
    sentence: "",
    percentage: undefined,
    text: "",
    stop: new AbortController(),
  };
  const share = percentage === undefined ? {} : { value: String(percentage), max: "100" };
  return h(
    "div",
    { key: "work", class: "notice working" },
    h(
      "p",
      { role: "status" },
      `${label}…`,
      text === "" && sentence !== "" && h("span", { class: "quiet" }, ` ${sentence}`),
      text !== "" && h("span", { class: "quiet" }, ` about ${tokens(text.length / 4)} tokens so far`),
    ),
    percentage === undefined
      ? h("div", { class: "endless", role: "progressbar", "aria-label": label })
      : h("progress", { ...share, "aria-label": label }),
    button("Stop", "secondary", () => stop.abort()),
  );
}

function trouble(screen: Screen): VNode {
  const { sentence, again } = screen.trouble ?? { sentence: "" };
  return h(
    "div",
    { key: "trouble", class: "notice trouble", role: "alert" },
    h("p", {}, sentence),
    h(
      "div",
      { class: "buttons" },
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
    h("span", {}, `Rewritten${by}: ${figures}; before: ${tokens(before.tokens)}, ${before.kept} of ${before.total}`),
    button("Restore Previous Summary", "link", () => screen.restore(before.version)),
  );
}
