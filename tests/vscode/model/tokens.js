// Counts tokens as the o200k vocabulary has them, which the workbench brings along, so that the usage reported is true.
"use strict";

const fs = require("node:fs");

const ENDINGS = "(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL]{2}|'[dD])?";
const UPPER = "[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]";
const LOWER = "[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]";
const PIECES = new RegExp(
  [
    `[^\\r\\n\\p{L}\\p{N}]?${UPPER}*${LOWER}+${ENDINGS}`,
    `[^\\r\\n\\p{L}\\p{N}]?${UPPER}+${LOWER}*${ENDINGS}`,
    "\\p{N}{1,3}",
    " ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*",
    "\\s*[\\r\\n]+",
    "\\s+(?!\\S)",
    "\\s+",
  ].join("|"),
  "gu",
);

/** A function that counts the tokens of a text. */
exports.counterFrom = (vocabulary) => {
  let ranks;
  const known = new Map();
  return (text) => {
    ranks ??= read(vocabulary);
    let sum = 0;
    for (const [piece] of text.matchAll(PIECES)) {
      let count = known.get(piece);
      if (count === undefined) known.set(piece, (count = merged(Buffer.from(piece).toString("latin1"), ranks)));
      sum += count;
    }
    return sum;
  };
};

/** Each entry has its length in front, seven bits a byte; its place is its rank. */
function read(file) {
  const bytes = fs.readFileSync(file);
  const ranks = new Map();
  for (let at = 0; at < bytes.length; ) {
    let length = 0;
    for (let shift = 0, more = true; more; shift += 7, at += 1) {
      length |= (bytes[at] & 0x7f) << shift;
      more = bytes[at] >= 0x80;
    }
    ranks.set(bytes.toString("latin1", at, at + length), ranks.size);
    at += length;
  }
  return ranks;
}

/** How many entries are left of a piece once neighbours have been joined, those of the lowest rank first. */
function merged(piece, ranks) {
  if (ranks.has(piece)) return 1;
  const parts = [...piece];
  for (;;) {
    let lowest = Infinity;
    let place = -1;
    for (let index = 0; index + 1 < parts.length; index += 1) {
      const rank = ranks.get(parts[index] + parts[index + 1]);
      if (rank !== undefined && rank < lowest) [lowest, place] = [rank, index];
    }
    if (place < 0) return parts.length;
    parts.splice(place, 2, parts[place] + parts[place + 1]);
  }
}
