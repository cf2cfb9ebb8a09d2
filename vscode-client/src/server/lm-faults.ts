/** What the editor's errors about its language models mean in the words of the wire. */

export type Reason = "noModel" | "noConsent" | "blocked" | "notFound" | "tooLong" | "failed";

const BY_CODE: Readonly<Record<string, Reason>> = {
  NoPermissions: "noConsent",
  Blocked: "blocked",
  NotFound: "notFound",
};
/** Vendors tell of a prompt that is too long in texts of their own. */
const TOO_LONG =
  /too long|context[ _-]?(length|window)|(maximum|max)\b.{0,40}\btokens|token limit|too many (input )?tokens|exceed\w*.{0,40}\b(tokens|limit)/i;
const BLOCKED = /rate.?limit|quota|too many requests|\b429\b/i;

/** Reads an error and what caused it. */
export function reasonOf(problem: unknown): Reason {
  const { code, message, cause } = (problem ?? {}) as { code?: unknown; message?: unknown; cause?: unknown };
  const known = typeof code === "string" ? BY_CODE[code] : undefined;
  if (known !== undefined) {
    return known;
  }
  const told = `${String(message ?? "")} ${String((cause as { message?: unknown } | undefined)?.message ?? "")}`;
  if (TOO_LONG.test(told)) {
    return "tooLong";
  }
  return BLOCKED.test(told) ? "blocked" : "failed";
}
