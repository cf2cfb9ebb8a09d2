/** What compacting would leave of the chat in use: asked seldom, quietly, and only where it may matter. */

import type { ChatInUse, Server } from "../house";

export interface Forecast {
  readonly uri: string;
  /** How full the chat was when this was asked. */
  readonly used: number;
  readonly askedAt: number;
  readonly after: number | undefined;
}

const WORTH_IT_FROM = 50;
const SELDOM = 60_000;
const GROWN = 0.05;

/** Whether it is time to ask: for a chat that is half full, and again only when it has grown and some time has passed. */
export function isDue(known: Forecast | undefined, { ref, report }: ChatInUse, now: number): boolean {
  if (report.percent < WORTH_IT_FROM) return false;
  if (known === undefined || known.uri !== ref.uri) return true;
  const isAnother = known.after === undefined || Math.abs(report.used - known.used) > GROWN * report.window;
  return isAnother && now - known.askedAt >= SELDOM;
}

export class Forecasts {
  private known: Forecast | undefined;

  constructor(
    private readonly server: Server,
    private readonly changed: () => void,
  ) {}

  /** The tokens that would be left, as far as that is known now; what is not known is asked for. */
  after(chat: ChatInUse): number | undefined {
    if (isDue(this.known, chat, Date.now())) void this.ask(chat);
    const { known } = this;
    const fits = known?.uri === chat.ref.uri && known?.after !== undefined && known.after < chat.report.used;
    return fits ? known.after : undefined;
  }

  /** Until the answer comes, the one before it counts for the same chat. */
  private async ask({ ref, report }: ChatInUse): Promise<void> {
    const before = this.known?.uri === ref.uri ? this.known?.after : undefined;
    const asked = { uri: ref.uri ?? "", used: report.used, askedAt: Date.now(), after: before };
    this.known = asked;
    const preview = await this.server.ask("preview", { chat: ref }, { quietly: true }).catch(() => undefined);
    if (this.known !== asked || preview === undefined) return;
    this.known = { ...asked, after: preview.action === "none" ? undefined : preview.after };
    this.changed();
  }
}
