/** Whether a text names a folder, or one below it, however paths are written there. */

const NAME_GOES_ON = "(?![\\w-])";

/** Makes a question of the names of a folder, to be asked of many texts. */
export function mentions(folders: readonly string[]): (text: string) => boolean {
  const names = folders.flatMap((folder) => [folder, encodeURI(slashed(folder))]).map(comparable);
  const known = [...new Set(names)].filter((name) => name !== "");
  if (known.length === 0) return () => false;
  if (known.includes("/")) return () => true;
  const any = new RegExp(known.map((name) => escaped(name) + NAME_GOES_ON).join("|"));
  return (text) => any.test(comparable(text));
}

function comparable(text: string): string {
  const path = slashed(text).replaceAll(/%3a/gi, ":").normalize("NFC").toLowerCase();
  return path.length > 1 && path.endsWith("/") ? path.slice(0, -1) : path;
}

function slashed(path: string): string {
  return path.replaceAll(/\\+/g, "/");
}

function escaped(name: string): string {
  return name.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
