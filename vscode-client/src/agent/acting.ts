/** Does what an agent asks for, and words the answer. */

import { type CancellationToken, version } from "vscode";
import type { House, Improver } from "../house";
import type { ChatRef } from "../wire";
import { biggestAnswer, meterAnswer, summaryAnswer } from "./answers";
import type { Asked } from "./asked";

const MOST = 6; // things of each kind

/** Asks the server, and never the user: who would answer sees a chat that goes on, not a question. */
export async function act(
  house: House,
  chat: ChatRef,
  { action }: Asked,
  improver: Improver | undefined,
  token: CancellationToken,
): Promise<string> {
  const asking = { token, quietly: true };
  switch (action) {
    case "meter":
      return meterAnswer(await house.server.ask("countTokens", { chat }, asking), version);
    case "biggest":
      return biggestAnswer(await house.server.ask("countTokens", { chat, biggest: MOST }, asking), version);
    case "summarize":
      return summaryAnswer(await house.server.ask("summarize", { chat, ...writer(improver) }, asking));
  }
}

/** Who writes the summary; no model is called unless the user allowed it. */
function writer(improver: Improver | undefined) {
  if (!improver) {
    return { provider: "offline" } as const;
  }
  const { provider, options } = improver;
  return { provider, userInitiated: true, options };
}
