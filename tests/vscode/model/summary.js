// A hand-over made of what stands in the prompt of our own server, so that it can be checked like a real one.
"use strict";

const PROMPT = /Write a hand-over of the chat between a user and a coding assistant/;
const FRAME = /<conversation>\n([\s\S]*?)\n<\/conversation>/;
const ENTRY = /^\[([^\]\n]+)\]: /gm;
const ASKED = /<userRequest>\s*([\s\S]*?)\s*(?:<\/userRequest>|$)/;
const SURROUNDINGS = /^<(environment_info|workspace_info|system-reminder)>/;
const LONGEST = 1_500;

/** The reply to a prompt of ours; undefined where it is another's. */
exports.summaryOf = (prompt) => {
  const frame = PROMPT.test(prompt) ? FRAME.exec(prompt) : null;
  if (frame === null) return undefined;
  const entries = entriesOf(frame[1]);
  const sections = sectionsOf(entries).filter(([, text]) => text !== "");
  return `${sections.map(([title, text]) => `## ${title}\n${text}`).join("\n\n")}\n</summary>`;
};

function entriesOf(frame) {
  const starts = [...frame.matchAll(ENTRY)];
  return starts.map((start, index) => ({
    label: start[1],
    text: frame.slice(start.index + start[0].length, starts[index + 1]?.index).trim(),
  }));
}

function sectionsOf(entries) {
  const said = labelled(entries, /^User$/).filter((text) => !SURROUNDINGS.test(text));
  const calls = labelled(entries, /^Tool call /);
  const files = [...new Set(entries.flatMap(({ text }) => text.match(/(?<![\w/])\/[\w.-]+(?:\/[\w.-]+)+\.\w+/g) ?? []))];
  const told = entries.filter(({ label }) => label === "Assistant").at(-1);
  return [
    ["Where we are", told === undefined ? "" : item(told.text)],
    ["Next", "1. Wait for the user."],
    ["Decisions", `- The scripted model made ${calls.length} tool calls in ${entries.length} entries.`],
    ["Files", files.slice(0, 20).map((file) => `- \`${file}\`: named`).join("\n")],
    ["Record", `${said.map((text, index) => `### Turn ${index + 1}\n${item(text)}`).join("\n")}\n- It ends here.`],
  ];
}

function labelled(entries, label) {
  return entries.filter((entry) => label.test(entry.label)).map(({ text }) => text);
}

function item(text) {
  return `- ${(ASKED.exec(text)?.[1] ?? text).replaceAll(/\s+/g, " ").slice(0, LONGEST)}`;
}
