// A detailed summary made of what stands in the prompt of our own server, so that it can be checked like a real one.
"use strict";

const PROMPT = /one `<analysis>` block and then one `<summary>` block/;
const FRAME = /<conversation>\n([\s\S]*?)\n<\/conversation>/;
const ENTRY = /^\[([^\]\n]+)\]: /gm;
const ASKED = /<userRequest>\s*([\s\S]*?)\s*(?:<\/userRequest>|$)/;
const SURROUNDINGS = /^<(environment_info|workspace_info|system-reminder)>/;
const LONGEST = 1_500;
const SHORT = 200;

/** The reply to a prompt of ours; undefined where it is another's. */
exports.summaryOf = (prompt) => {
  const frame = PROMPT.test(prompt) ? FRAME.exec(prompt) : null;
  if (frame === null) return undefined;
  const entries = entriesOf(frame[1]);
  const sections = sectionsOf(entries).map(([title, text], index) => `## ${index + 1}. ${title}\n${text || "None"}`);
  return `<analysis>\n- ${entries.length} entries were read.\n</analysis>\n\n<summary>\n${sections.join("\n\n")}\n</summary>`;
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
    ["Primary Request and Intent", said.slice(0, 3).map((text) => item(text).slice(0, SHORT)).join("\n")],
    ["Key Technical Concepts", ""],
    ["Files and Code Sections", files.slice(0, 20).map(item).join("\n")],
    ["Errors and fixes", ""],
    ["Problem Solving", `The scripted model made ${calls.length} tool calls.`],
    ["All user messages", said.map(item).join("\n")],
    ["Pending Tasks", ""],
    ["Current Work", told === undefined ? "" : item(told.text)],
    ["Optional Next Step", ""],
  ];
}

function labelled(entries, label) {
  return entries.filter((entry) => label.test(entry.label)).map(({ text }) => text);
}

function item(text) {
  return `- ${(ASKED.exec(text)?.[1] ?? text).replaceAll(/\s+/g, " ").slice(0, LONGEST)}`;
}
