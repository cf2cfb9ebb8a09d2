/** Where in the message each fact is: the message cut into stretches that belong to the same facts. */

import { type Child, h } from "./dom";
import type { Leaf } from "./markdown";

export interface Place {
  readonly id: string;
  readonly at: readonly [number, number] | null;
}

interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly ids: string;
}

/** Gives each text of the message to the facts that it is a part of, as `data-facts`; `added` are those a person added back. */
export function marking(places: readonly Place[], added: ReadonlySet<string>): Leaf {
  const stretches = cut(places);
  return (text, at) => {
    const shown: Child[] = [];
    let from = at;
    const end = at + text.length;
    for (let index = firstBehind(stretches, at); index < stretches.length; index += 1) {
      const one = stretches[index] as Stretch;
      if (one.from >= end) {
        break;
      }
      const begin = Math.max(from, one.from);
      const stop = Math.min(end, one.to);
      shown.push(text.slice(from - at, begin - at));
      const isAdded = one.ids.split(" ").some((id) => added.has(id));
      shown.push(
        h("span", { class: isAdded ? "fact added" : "fact", "data-facts": one.ids }, text.slice(begin - at, stop - at)),
      );
      from = stop;
    }
    shown.push(text.slice(from - at));
    return shown;
  };
}

function cut(places: readonly Place[]): Stretch[] {
  const edges: { at: number; id: string; begins: boolean }[] = [];
  for (const { id, at } of places) {
    if (at !== null && at[1] > at[0]) {
      edges.push({ at: at[0], id, begins: true }, { at: at[1], id, begins: false });
    }
  }
  edges.sort((one, other) => one.at - other.at);
  const found: Stretch[] = [];
  const open = new Set<string>();
  let from = 0;
  for (const { at, id, begins } of edges) {
    if (open.size > 0 && at > from) {
      found.push({ from, to: at, ids: [...open].join(" ") });
    }
    from = at;
    if (begins) {
      open.add(id);
    } else {
      open.delete(id);
    }
  }
  return found;
}

/** The first stretch that ends behind an offset. */
function firstBehind(stretches: readonly Stretch[], at: number): number {
  let low = 0;
  let high = stretches.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((stretches[middle] as Stretch).to <= at) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
