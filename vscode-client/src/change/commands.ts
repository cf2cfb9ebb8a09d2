/** The command that changes what is kept on a page. */

import { type Given, wholePageOf } from "../given";
import type { Commands, House } from "../house";
import { change } from "./change";

export function changeCommands(house: House): Commands {
  return { change: async (given?: Given) => change(house, await wholePageOf(house, given)) };
}
