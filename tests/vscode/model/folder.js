// The folder through which a test sees what the model was asked, and makes it wait or refuse.
"use strict";

const fs = require("node:fs");
const path = require("node:path");
const { setTimeout: pause } = require("node:timers/promises");

const LOOK = 20; // milliseconds between two looks

/** Half a file, or one that is just gone, lets none through. */
function wordsIn(file) {
  try {
    return Number(fs.readFileSync(file, "utf8"));
  } catch {
    return 0;
  }
}

exports.openFolder = (folder) => {
  if (!folder) throw new Error("SCRIPTED_FOLDER names no folder.");
  const log = path.join(folder, "requests.jsonl");
  const hold = path.join(folder, "hold");
  const refuse = path.join(folder, "refuse");
  let count = 0;
  const write = (line) => fs.appendFileSync(log, `${JSON.stringify(line)}\n`);

  return {
    /** Writes a request down, and gives it a name; a window that is loaded anew gets another process. */
    asked(request) {
      count += 1;
      const name = `${process.pid}-${count}`;
      write({ asked: name, at: Date.now(), ...request });
      return name;
    },
    /** Writes down what became of a request: ended, cancelled or refused. */
    answered(name, outcome, told) {
      write({ answered: name, at: Date.now(), outcome, ...told });
    },
    /** The reason that stands in the file `refuse`, while that is there. */
    refusal() {
      return fs.existsSync(refuse) ? fs.readFileSync(refuse, "utf8").trim() : undefined;
    },
    /** Waits while the file `hold` is there, lets no more words through than it says, and nobody cancels. */
    async released(words, token) {
      while (fs.existsSync(hold) && words >= wordsIn(hold) && !token.isCancellationRequested) await pause(LOOK);
    },
  };
};
