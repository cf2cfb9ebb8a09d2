// What the model answers: Copilot's small errands and our summaries by their prompts, all else by orders in the user's text.
"use strict";

const vscode = require("vscode");
const { summaryOf } = require("./summary");

const ORDER = /^(call|also|say|fail)\s+(.+)$/;
const ASKED = /<userRequest>([\s\S]*)<\/userRequest>/; // what is quoted in it may hold such tags too
const REQUEST = /title for the following request:\s+(\S+(?: [^\s.:;,?!]+){0,5})/; // its first words are the title
const NOTHING = { pieces: [], calls: [], failure: undefined, isUtility: false };

/**
 * The answer to one request. Orders are the last lines of the user's text: `call NAME JSON` asks for a tool, in a round of
 * its own; `also NAME JSON` in the round before; `say N` makes the last answer N words long; `fail WORDS` fails with them.
 */
exports.plan = (asked) => {
  const everything = asked.messages.map(textOf).join("\n");
  const summary = summaryOf(everything);
  if (summary !== undefined) return { ...NOTHING, pieces: words(summary) };
  const errand = utility(everything, asked.options.tools ?? []);
  if (errand !== undefined) return { ...NOTHING, pieces: words(errand), isUtility: true };
  return scripted(asked.messages);
};

/** Copilot asks for titles and for words to show while it works. */
function utility(text, tools) {
  if (tools.length > 0) return undefined;
  if (/\btitles?\b/i.test(text) && /chat (request|conversation)|conversation title|ultra-compact/i.test(text)) {
    return REQUEST.exec(text)?.[1] ?? "A scripted chat";
  }
  return /JSON array of strings/i.test(text) ? '["Working on it", "Still working"]' : undefined;
}

function scripted(messages) {
  const place = messages.findLastIndex((message) => isUser(message) && resultsIn(message) === 0);
  const text = textOf(messages[place] ?? { content: [] });
  const request = (ASKED.exec(text)?.[1] ?? text).trim();
  const { rounds, length, failure } = orders(request);
  const results = messages.slice(place + 1).reduce((sum, message) => sum + resultsIn(message), 0);
  const calls = next(rounds, results);
  if (calls.length > 0) return { ...NOTHING, pieces: [`Calling ${calls.map((call) => call.name).join(" and ")}. `], calls };
  return { ...NOTHING, pieces: closing(request, results, length), failure };
}

function orders(request) {
  const rounds = [];
  let length = 0;
  let failure;
  for (const [, order, rest] of lastLines(request)) {
    if (order === "call") rounds.push([tool(rest)]);
    else if (order === "also") rounds.at(-1)?.push(tool(rest));
    else if (order === "say") length = Number(rest);
    else failure = rest;
  }
  return { rounds, length, failure };
}

/** Those lines at the end that are orders: a chat that is quoted further up gives none. */
function lastLines(request) {
  const lines = request.split("\n").map((line) => ORDER.exec(line.trim()));
  return lines.slice(lines.findLastIndex((line) => line === null) + 1);
}

/** The round whose turn it is, after so many results; none where all were made. */
function next(rounds, results) {
  let before = 0;
  for (const round of rounds) {
    if (before >= results) return round.map((call, index) => ({ id: `call_${Date.now()}_${index}`, ...call }));
    before += round.length;
  }
  return [];
}

function tool(text) {
  const [, name, input] = /^(\S+)\s*(.*)$/s.exec(text);
  return { name, input: JSON.parse(input || "{}") };
}

function closing(request, results, length) {
  const first = request.split("\n", 1)[0].slice(0, 80);
  const opening = results > 0 ? `Done after ${results} results: ${first}` : `Heard: ${first}`;
  return [...words(opening), ...Array.from({ length }, (_, index) => ` word${index + 1}`)];
}

function words(text) {
  return text.match(/\s*\S+/g) ?? [];
}

function isUser(message) {
  return message.role === vscode.LanguageModelChatMessageRole.User;
}

function resultsIn(message) {
  return message.content.filter((part) => part instanceof vscode.LanguageModelToolResultPart).length;
}

function textOf(message) {
  return message.content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : "")).join("");
}
