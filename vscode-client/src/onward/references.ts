/** Takes from a text what the input of the chat panel would not take as text. */

const WORD_JOINER = "\u2060"; // takes no room
/** The panel looks for names only after a blank. Issues and colors, which are never such names, stay copyable. */
const REFERENCE = /(?<!\S)#(?=\w)(?!(?:\d+|[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})(?![\w-]))/gi;

/** Makes the panel leave every `#name` as it stands: what an old chat asked of a tool is not asked again. Which names are taken no extension can find out, since the editor and its MCP servers have tools of their own. */
export function withoutReferences(text: string): string {
  return text.replace(REFERENCE, `#${WORD_JOINER}`);
}
