/** What a person typed of a message that an editor sent with words of its own around it. */

const FRAMES = ["userRequest", "user_query"];

/** Gives the typed words; all of a message that has no frame. */
export function typed(text: string): string {
  const whole = text.trimEnd();
  for (const name of FRAMES) {
    const [opening, closing] = [`<${name}>`, `</${name}>`];
    const start = whole.endsWith(closing) ? whole.indexOf(opening) : -1;
    if (start >= 0) {
      return whole.slice(start + opening.length, -closing.length).replace(/^\n|\n$/g, "");
    }
  }
  return text;
}
