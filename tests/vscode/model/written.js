// A request as it stands in the log: all messages with all their parts, all tools, all options.
"use strict";

const vscode = require("vscode");

const ROLES = { 1: "user", 2: "assistant", 3: "system" };

exports.written = ({ model, messages, options: { tools, ...options } }) => ({
  model,
  messages: messages.map((message) => ({
    role: ROLES[message.role] ?? message.role,
    content: message.content.map(part),
  })),
  tools: (tools ?? []).map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
  options,
});

function part(one) {
  if (one instanceof vscode.LanguageModelTextPart) return { kind: "text", text: one.value };
  if (one instanceof vscode.LanguageModelToolCallPart) {
    return { kind: "call", id: one.callId, name: one.name, input: one.input };
  }
  if (one instanceof vscode.LanguageModelToolResultPart) {
    return { kind: "result", id: one.callId, content: one.content.map(part) };
  }
  if (one instanceof vscode.LanguageModelDataPart) {
    return { kind: "data", mimeType: one.mimeType, base64: Buffer.from(one.data).toString("base64") };
  }
  return { kind: "other", value: one };
}
