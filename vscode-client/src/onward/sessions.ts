/** The sessions of VS Code's own chat: their addresses, their files, and a new one made of an export. */

const SCHEME = "vscode-chat-session";
const FOLDERS = ["chatSessions", "emptyWindowChatSessions", "transferredChatSessions"];
const FILE = /^(\w[\w-]{0,99})\.jsonl?$/;
const [LOG_SINCE_MAJOR, LOG_SINCE_MINOR] = [1, 109];

/** What VS Code exports, and can load again. */
interface ExportedChat {
  readonly responderUsername: string;
  readonly initialLocation: string;
  readonly requests: readonly unknown[];
}

/** The address under which VS Code opens a session. */
export function sessionAddress(sessionId: string): string {
  return `${SCHEME}://local/${Buffer.from(sessionId).toString("base64url")}`;
}

/** The id in an address; undefined for what is no address of a session of VS Code's own. */
export function sessionAt(address: { scheme: string; authority: string; path: string }): string | undefined {
  if (address.scheme !== SCHEME || address.authority !== "local") {
    return undefined;
  }
  return asId(Buffer.from(address.path.slice(1), "base64url").toString());
}

/** A text as the id of a session, safe in the name of a file and in a command; undefined for what is none. */
export function asId(text: unknown): string | undefined {
  return typeof text === "string" && /^\w[\w-]{0,99}$/.test(text) ? text : undefined;
}

/** The id of the session in a file of VS Code's; undefined for other files. */
export function sessionIn(path: string): string | undefined {
  const [folder, name] = path.split(/[/\\]/).slice(-2);
  return FOLDERS.includes(folder ?? "") ? FILE.exec(name ?? "")?.[1] : undefined;
}

/** The names that the file of a session may have, the newer one first. */
export function namesOf(sessionId: string): [string, string] {
  return [`${sessionId}.jsonl`, `${sessionId}.json`];
}

/** A new session with an exported chat: its file name and contents. */
export function newSession(
  exported: ExportedChat,
  { sessionId, title, now, version }: { sessionId: string; title: string; now: number; version: string },
): { name: string; text: string } {
  const { responderUsername, initialLocation, requests } = exported;
  const start = { version: 3, responderUsername, initialLocation, sessionId, creationDate: now, customTitle: title };
  const session = { ...start, requests };
  const [log, flat] = namesOf(sessionId);
  return writesLogs(version)
    ? { name: log, text: `${JSON.stringify({ kind: 0, v: session })}\n` }
    : { name: flat, text: JSON.stringify(session) };
}

/** Says whether a version of VS Code keeps its sessions as logs. */
function writesLogs(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major > LOG_SINCE_MAJOR || (major === LOG_SINCE_MAJOR && minor >= LOG_SINCE_MINOR);
}
