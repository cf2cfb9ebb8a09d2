/** Starts the page: connects to its host, and draws the screen whenever its model changes. */

import { header, notices } from "./actions";
import { sizes } from "./bars";
import { BrowserPort } from "./browser";
import { type Child, h, render, type VNode } from "./dom";
import { kept, missing } from "./facts";
import { connect, message } from "./message";
import { type Channel, Port } from "./port";
import { reading } from "./reading";
import { Screen } from "./screen";
import { shown } from "./shown";
import { strip } from "./strip";

declare function acquireVsCodeApi(): { postMessage(message: object): void };

/** The channel to the extension: messages of the webview. */
function editorChannel(): Channel {
  const editor = acquireVsCodeApi();
  return {
    send: (message) => editor.postMessage(message),
    listen: (heard) => window.addEventListener("message", ({ data }) => heard(data)),
  };
}

function view(screen: Screen): Child {
  const { draft } = screen;
  if (draft === undefined) {
    const isAnswered = screen.work ?? screen.trouble ?? screen.closed;
    const opening = !isAnswered && h("p.notice", { role: "status" }, "Opening the chat…");
    return h("main.opening", opening, notices(screen, undefined));
  }
  const now = shown(draft, screen.wanted(draft));
  return [
    h(
      "main",
      { "aria-busy": String(screen.isBusy) },
      header(screen, draft),
      live(screen, h("div.notices", notices(screen, draft)), sizes(screen, draft, now), strip(screen, draft, now)),
      h(
        "div.columns",
        h("div.lists", live(screen, missing(screen, draft, now)), kept(screen, draft, now)),
        message(screen, draft, now),
      ),
    ),
    screen.reading !== undefined && reading(screen),
  ];
}

/** Groups what needs the server: without a connection its controls are disabled. */
function live({ closed }: Screen, ...children: Child[]): VNode {
  return h("fieldset", { role: "presentation", disabled: closed !== undefined }, children);
}

function start(root: HTMLElement): void {
  const closed = () => screen.close();
  const isInEditor = typeof acquireVsCodeApi === "function";
  const port = isInEditor ? new Port(editorChannel(), closed) : new BrowserPort(closed);
  const screen = new Screen(port, () => {
    render(root, view(screen));
    document.title = `${screen.draft?.compaction.title ?? "Compact Chat"} (compacted)`;
  });
  connect(root, screen);
  port.on<{ action: string }>("host/press", ({ action }) => {
    root.querySelector<HTMLElement>(`[data-action="${CSS.escape(action)}"]`)?.click();
  });
  document.addEventListener("keydown", (event) => {
    const primary = screen.host?.actions.find((action) => action.primary);
    const isPressed = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    if (isPressed && primary !== undefined && screen.work === undefined) {
      event.preventDefault();
      screen.run(primary.id);
    }
  });
  window.addEventListener("focus", () => screen.refresh());
  window.addEventListener("beforeunload", (event) => screen.isUnsaved && event.preventDefault());
  screen.begin();
}

const root = document.getElementById("app");
if (root !== null) {
  start(root);
}
