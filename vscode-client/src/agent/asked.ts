/** What an agent asks the tool for. */

export const ACTIONS = ["meter", "biggest", "summarize"] as const;

export type Action = (typeof ACTIONS)[number];

export interface Asked {
  readonly action: Action;
  /** Has a model write the summary, which sends the chat to it. */
  readonly model: boolean;
}

/** Reads the input of a call, which is whatever a model wrote; undefined where it names no action. */
export function readAsked(input: unknown): Asked | undefined {
  const { action, model } = typeof input === "object" && input !== null ? (input as Record<string, unknown>) : {};
  const known = ACTIONS.find((one) => one === action);
  return known && { action: known, model: known === "summarize" && model === true };
}
