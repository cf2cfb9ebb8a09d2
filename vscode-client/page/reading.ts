/** A dialog with original messages, the request to a model, or past compactions. */

import type { MessageText, Past, Prompt, Transcript } from "../src/wire";
import { button, h, type VNode } from "./dom";
import type { Reading } from "./port";
import type { Screen } from "./screen";
import { count, day, modelName, tokens } from "./words";

/** Opens the dialog and loads its messages, unless it shows something else by then. */
async function read(screen: Screen, title: string, load: () => Promise<readonly MessageText[]>): Promise<void> {
  screen.show({ reading: { title } });
  try {
    const messages = await load();
    if (screen.reading?.title === title) {
      screen.show({ reading: { title, messages } });
    }
  } catch (problem) {
    screen.reading = undefined;
    screen.fail(problem);
  }
}

/** Shows original messages of a compaction: some, or all. */
export function peek(screen: Screen, title: string, ids: readonly string[], compactionId?: string): Promise<void> {
  const from = { compactionId: compactionId ?? screen.draft?.compaction.compactionId, ids };
  return read(screen, title, async () => {
    return (await screen.port.request<Transcript>("compactChat/transcript", from)).messages;
  });
}

export function showPrompt(screen: Screen): Promise<void> {
  const { uri = null, options = {} } = screen.draft ?? {};
  return read(screen, "What is sent to the model", async () => {
    const asked = { chat: { uri }, options };
    const { system, messages } = await screen.port.request<Prompt>("compactChat/prompt", asked);
    const texts = [...(system === null ? [] : [{ role: "system", content: system }]), ...messages];
    return texts.map(({ role, content }, index): MessageText => {
      return { id: String(index), index, role: String(role), kind: "text", text: String(content) };
    });
  });
}

/** The dialog; Escape closes it. */
export function reading(screen: Screen): VNode {
  const { title, messages, compactions }: Reading = screen.reading ?? { title: "" };
  const close = () => screen.show({ reading: undefined });
  return h(
    "dialog",
    {
      key: "reading",
      "aria-label": title,
      ref: (element) => queueMicrotask(() => (element as HTMLDialogElement).showModal()),
      onclose: close,
    },
    h("div.head.spread", h("h2", { dir: "auto" }, title), button("Close", "secondary", close)),
    h(
      "div.texts",
      { tabindex: 0, role: "region", "aria-label": compactions ? "Compactions" : "Messages" },
      !messages && !compactions && h("p.quiet", { role: "status" }, "Reading…"),
      compactions?.length === 0 && h("p.quiet", "No chat has been compacted yet."),
      compactions?.map((past) => compaction(screen, past)),
      messages?.map(({ id, role, text }) =>
        h("article", { key: id }, h("h3.quiet", role), h("pre", { dir: "auto" }, text)),
      ),
    ),
  );
}

function compaction(screen: Screen, past: Past): VNode {
  const { compactionId, title, at, before, after, itemsKept, items, model, provider } = past;
  const name = title ?? "Untitled chat";
  const share = items == null ? "" : `, ${itemsKept} of ${count(items, "item")} kept`;
  const by = provider === "offline" ? "made without a model" : `by ${modelName(model ?? provider)}`;
  return h(
    "article",
    { key: compactionId },
    h(
      "div.head.spread",
      button(name, "link", () => screen.run("open", compactionId), { dir: "auto" }),
      button("Original", "link", () => peek(screen, `Original of ${name}`, [], compactionId), {
        "aria-label": `Original of ${name}`,
      }),
    ),
    h("p.quiet", `${day(at)} · ${size(before)} → ${size(after)} tokens${share}, ${by}`),
  );
}

/** A size; some tools' own compactions do not record it. */
function size(number: number): string {
  return number === 0 ? "?" : tokens(number);
}
