/** Lines of a document with places in them that lead somewhere. */

export type Act = "show" | "putBack" | "all" | "allBack";

/** A place in a line that a person can follow: what it does, and to which fact or class of facts. */
export interface Spot {
  readonly line: number;
  readonly start: number;
  readonly length: number;
  readonly act: Act;
  readonly id: string;
}

export interface Step {
  readonly act: Act;
  readonly id: string;
  readonly text: string;
}

export class Sheet {
  readonly lines: string[] = [];
  readonly spots: Spot[] = [];

  add(...lines: string[]): this {
    this.lines.push(...lines);
    return this;
  }

  /** Adds a line that ends with steps, each in brackets. */
  addWithSteps(line: string, steps: readonly Step[]): this {
    let text = line;
    for (const { act, id, text: said } of steps) {
      const shown = `[${said}]`;
      this.spots.push({ line: this.lines.length, start: text.length + 1, length: shown.length, act, id });
      text = `${text} ${shown}`;
    }
    return this.add(text);
  }

  get text(): string {
    return this.lines.join("\n");
  }
}

/** Finds the spots of a sheet again in a document that was edited: each whose line still exists. */
export function spotsIn(lines: readonly string[], sheet: Pick<Sheet, "lines" | "spots">): Spot[] {
  const places = new Map<string, number[]>();
  const wanted = new Set(sheet.spots.map((spot) => sheet.lines[spot.line]));
  for (const [number, line] of lines.entries()) {
    if (wanted.has(line)) {
      places.set(line, [...(places.get(line) ?? []), number]);
    }
  }
  const taken = new Map<number, number | undefined>();
  return sheet.spots.flatMap((spot) => {
    if (!taken.has(spot.line)) {
      taken.set(spot.line, places.get(sheet.lines[spot.line] ?? "")?.shift());
    }
    const line = taken.get(spot.line);
    return line === undefined ? [] : [{ ...spot, line }];
  });
}
