/** The settings that are the server's own, as the server takes them. */

/** Reads a setting of the section `compactChat`. */
export type ReadSetting = (name: string) => unknown;

const NAMES = ["provider", "summaryModel", "style", "redactEmails", "archive", "windows"];

/** Gives the server's settings; an empty text means that nothing is set. */
export function serverSettings(read: ReadSetting): Record<string, unknown> {
  const found = NAMES.map((name) => [name, read(name)] as const);
  return Object.fromEntries(found.filter(([, value]) => value !== undefined && value !== null && value !== ""));
}
