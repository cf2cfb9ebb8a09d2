/** What is started as the server: found, or set up with the user's consent. */

import * as vscode from "vscode";
import { Fault } from "../faults";
import { findAny, markUsed, tidy } from "./environment";
import { configured, locate, own, type Place } from "./locate";
import type { Program } from "./program";
import { setUp } from "./setup";
import { update } from "./update";
import { onceThereIsOne } from "./waiting";

const HOUR_MS = 60 * 60 * 1000;

export class Provision implements vscode.Disposable {
  private readonly closing = new AbortController();
  private settingUp: Promise<void> | undefined;
  /** Whether an earlier environment could be updated, which is tried once. */
  private updated: Promise<boolean> | undefined;
  private marking: NodeJS.Timeout | undefined;
  /** What is listened to while a program is missing. */
  private waiting: vscode.Disposable | undefined;
  /** Active Pythons that did not start the server in this session. */
  private readonly broken = new Set<string>();

  constructor(
    private readonly place: Place,
    private readonly log: vscode.LogOutputChannel,
    /** Called when a program may be there that was missing. */
    private readonly appeared: () => void,
  ) {}

  /** Returns whether there is a program, without asking the user or starting anything untrusted. */
  async isAtHand(): Promise<boolean> {
    return vscode.workspace.isTrusted && (await this.atHand(false)) !== undefined;
  }

  /** Gives the program that is the right one now; wakes no other extension for it. */
  found(): Promise<Program | undefined> {
    return this.locate(false);
  }

  /** Gives a program, which is set up where there is none and a person asked; rejects with a `Fault`. */
  async program(quietly: boolean): Promise<Program> {
    let program = await this.atHand(!quietly);
    if (program === undefined && !quietly) {
      await this.setUp(false);
      program = await this.found();
    }
    if (program === undefined) {
      this.waiting ??= this.closing.signal.aborted ? undefined : this.waitForOne();
      throw new Fault("notSetUp", await this.whyNotSetUp());
    }
    this.waiting?.dispose();
    this.waiting = undefined;
    return program;
  }

  /** Notes that a program does not start; says whether another one may take its place. An active Python is nobody's choice for the server: where it does not work, there is our own environment. */
  mayPassOver({ origin, command }: Program): boolean {
    if (origin === "active") {
      this.broken.add(command);
    }
    return origin === "active";
  }

  /** Sets it up where that is needed, or where the user wants to choose; asks once, however many want it. */
  setUp(choosing: boolean): Promise<void> {
    this.settingUp ??= this.madeReady(choosing).finally(() => {
      this.settingUp = undefined;
    });
    return this.settingUp;
  }

  /** Notes that a program runs, from now until another does, and removes what was set up for others. */
  async use({ origin, command }: Program): Promise<void> {
    clearInterval(this.marking);
    if (origin === "own") {
      this.marking = setInterval(() => void markUsed(command), HOUR_MS).unref();
      await markUsed(command);
      await tidy(this.place.storage, command);
    }
  }

  /** Stops what is being set up: a window that closes leaves no process behind. */
  dispose(): void {
    clearInterval(this.marking);
    this.waiting?.dispose();
    this.closing.abort();
  }

  private locate(mayWake: boolean): Promise<Program | undefined> {
    return locate(this.place, mayWake, this.broken);
  }

  /** The same after an update of the extension that needs no answer, while there is no program yet. */
  private async atHand(mayWake: boolean): Promise<Program | undefined> {
    const program = await this.locate(mayWake);
    if (program !== undefined) {
      return program;
    }
    this.updated ??= update(this.place, this.log, this.closing.signal);
    return (await this.updated) ? this.found() : undefined;
  }

  private waitForOne(): vscode.Disposable {
    const there = () => {
      this.waiting = undefined;
      this.appeared();
    };
    return onceThereIsOne(
      () => this.found(),
      () => own(this.place),
      there,
    );
  }

  private async whyNotSetUp(): Promise<string> {
    const { t } = vscode.l10n;
    if (this.broken.size > 0) {
      return t("The active Python environment does not start the server of Compact Chat: set one up for it.");
    }
    return (await findAny(this.place.storage)) === undefined
      ? t("The server of Compact Chat is not set up yet.")
      : t("The server of Compact Chat needs an update for this version of the extension.");
  }

  private async madeReady(choosing: boolean): Promise<void> {
    expectTrust();
    if (choosing && configured() !== undefined) {
      const { t } = vscode.l10n;
      throw new Fault("wrongServer", t("The settings already name what runs the server: clear them first."));
    }
    if (choosing || (await this.atHand(true)) === undefined) {
      await setUp(this.place, this.log, choosing, this.closing.signal);
    }
  }
}

/** Rejects what would start a process in a folder that is not trusted. */
export function expectTrust(): void {
  if (!vscode.workspace.isTrusted) {
    throw new Fault("notTrusted", vscode.l10n.t("Compact Chat starts nothing in a folder that you do not trust."));
  }
}
