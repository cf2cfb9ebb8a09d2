/** Original messages, and what a model would get, in a window above the page. */

import type { MessageText, Prompt, Transcript } from "../src/wire";
import { h, type VNode } from "./dom";
import type { Screen } from "./screen";

/** Shows original messages. */
export async function peek(screen: Screen, title: string, ids: readonly string[]): Promise<void> {
  const { draft } = screen;
  screen.show({ reading: { title, messages: undefined }, menu: undefined });
  try {
    const from = { compactionId: draft?.compaction.compactionId, ids };
    const { messages } = await screen.port.request<Transcript>("compactChat/transcript", from);
    if (screen.reading?.title === title) {
      screen.show({ reading: { title, messages } });
    }
  } catch (problem) {
    screen.reading = undefined;
    screen.fail(problem);
  }
}

/** Shows what a model would be sent. */
export async function showPrompt(screen: Screen): Promise<void> {
  const title = "What the model gets";
  const chat = { uri: screen.draft?.uri ?? null };
  screen.show({ reading: { title, messages: undefined } });
  try {
    const options = screen.draft?.options ?? {};
    const { system, messages } = await screen.port.request<Prompt>("compactChat/prompt", { chat, options });
    const shown = [{ role: "system", content: system }, ...messages].filter(({ content }) => content !== null);
    screen.show({ reading: { title, messages: shown.map(asText) } });
  } catch (problem) {
    screen.reading = undefined;
    screen.fail(problem);
  }
}

/** The window; Escape closes it. */
export function reading(screen: Screen): VNode {
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

function asText(message: Readonly<Record<string, unknown>>, index: number): MessageText {
  const { role, content } = message;
  const parts = Array.isArray(content)
    ? content.map((part: { text?: string }) => part.text ?? "").join("\n")
    : String(content);
  return { id: String(index), index, role: String(role), kind: "text", text: parts };
}
