/** What compacting would leave of the chat in use: asked seldom, quietly, and only where there is something to win. */

import type { ChatInUse, Server } from "../house";

export interface Forecast {
  /** How full the chat was when this was asked. */
  readonly used: number;
  readonly askedAt: number;
  readonly after: number | undefined;
}

const WORTH_IT_FROM = 10;
const SELDOM = 60_000;
const GROWN = 0.05;
const MOST_REMEMBERED = 50;

/** Whether it is time to ask: once for a chat that is more than begun, and again only when it has grown and some time has passed. */
export function isDue(known: Forecast | undefined, { report }: ChatInUse, now: number): boolean {
  if ((report.percentOfLimit ?? report.percent) < WORTH_IT_FROM) return false;
  if (known === undefined) return true;
  return Math.abs(report.used - known.used) > GROWN * report.window && now - known.askedAt >= SELDOM;
}

export class Forecasts {
  /** By the address of the chat, since two that are written at once take turns in being the one in use. */
  private readonly known = new Map<string, Forecast>();

  constructor(
    private readonly server: Server,
    private readonly changed: () => void,
  ) {}

  /** The tokens that would be left, as far as that is known now; what is not known is asked for. */
  after(chat: ChatInUse): number | undefined {
    const uri = chat.ref.uri ?? "";
    if (isDue(this.known.get(uri), chat, Date.now())) void this.ask(uri, chat);
    const after = this.known.get(uri)?.after;
    return after !== undefined && after < chat.report.used ? after : undefined;
  }

  /** Until the answer comes, the one before it counts. */
  private async ask(uri: string, { ref, report }: ChatInUse): Promise<void> {
    const asked = { used: report.used, askedAt: Date.now(), after: this.known.get(uri)?.after };
    if (this.known.size >= MOST_REMEMBERED) this.known.clear();
    this.known.set(uri, asked);
    const preview = await this.server.ask("preview", { chat: ref }, { quietly: true }).catch(() => undefined);
    if (this.known.get(uri) !== asked || preview === undefined) return;
    this.known.set(uri, { ...asked, after: preview.action === "none" ? undefined : preview.after });
    this.changed();
  }
}
