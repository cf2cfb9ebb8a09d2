/** The list of messages: what becomes of each, and what a person wants to become of it. */

import * as vscode from "vscode";
import type { MessageFate, Options } from "../wire";
import { count } from "../words";
import { type Choice, choiceMade, choicesFor, choose } from "./choices";
import { type Row, rowsOf, whoOf } from "./fates";
import { headline } from "./headline";
import { type Face, type ListItem, type Place, pickFrom } from "./list";
import type { Rehearsal } from "./rehearsal";

const { t } = vscode.l10n;
const here = { t, language: vscode.env.language };

/** Opens a message of the chat to the side, where it can be read whole. */
export type ShowMessage = (id: string) => Thenable<unknown>;

/** Lets a person go through the messages until Escape; each choice is in the plan at once. */
export async function changeMessages(rehearsal: Rehearsal, show: ShowMessage): Promise<void> {
  const place: Place = { value: "", id: undefined };
  const face = messagesFace(rehearsal);
  for (;;) {
    const chosen = await pickFrom(face, rehearsal.onChanged, place);
    const fate = rehearsal.preview.messages.find(({ id }) => id === chosen?.item.id);
    if (fate === undefined) {
      return;
    }
    await (chosen?.button ? show(fate.id) : changeOne(rehearsal, fate, show));
  }
}

async function changeOne(rehearsal: Rehearsal, fate: MessageFate, show: ShowMessage): Promise<void> {
  const deeds = [...choicesFor(rehearsal.options, fate.id).map(deedOf), showDeed()];
  const tokens = t("{0} tokens", count(fate.tokens, here.language));
  const chosen = await vscode.window.showQuickPick(deeds, {
    title: `${fate.index + 1} · ${whoOf(fate, here)} · ${tokens}`,
    placeHolder: fate.reason,
    ignoreFocusOut: true,
  });
  if (chosen?.deed === "show") {
    await show(fate.id);
  } else if (chosen !== undefined) {
    await rehearsal.propose(choose(rehearsal.options, fate.id, chosen.deed));
  }
}

interface Deed extends vscode.QuickPickItem {
  readonly deed: Choice | "show";
}

function deedOf(choice: Choice): Deed {
  const deeds: Readonly<Record<Choice, Deed>> = {
    pin: { deed: "pin", label: `$(pin) ${t("Pin")}`, description: t("stays word for word, with its tool calls") },
    drop: { deed: "drop", label: `$(trash) ${t("Drop")}`, description: t("neither kept nor summarised") },
    from: {
      deed: "from",
      label: `$(arrow-down) ${t("Summarise from Here")}`,
      description: t("everything before it stays as it is"),
    },
    upTo: {
      deed: "upTo",
      label: `$(arrow-up) ${t("Summarise up to Here")}`,
      description: t("everything after it stays as it is"),
    },
    asPlanned: { deed: "asPlanned", label: `$(discard) ${t("As Planned")}`, description: t("takes the choice back") },
  };
  return deeds[choice];
}

function showDeed(): Deed {
  return { deed: "show", label: `$(go-to-file) ${t("Show")}`, description: t("opens the whole message beside") };
}

function messagesFace(rehearsal: Rehearsal): Face<ListItem> {
  const buttons = buttonsOf();
  return {
    title: () => headline(rehearsal, here),
    isBusy: () => rehearsal.isBusy,
    items: remembered(rehearsal, (row) => ({ ...row, buttons })),
    placeholder: t("Search the messages; choose one to change what becomes of it"),
    isDone: ({ id }, button) => {
      const choice = buttons.find((one) => one === button)?.choice;
      if (choice !== undefined) {
        void rehearsal.propose(toggled(rehearsal.options, id, choice));
      }
      return choice !== undefined;
    },
  };
}

/** A button makes a choice at once; the one without closes the list to show the message. */
interface RowButton extends vscode.QuickInputButton {
  readonly choice?: Choice;
}

function buttonsOf(): RowButton[] {
  return [
    { choice: "pin", iconPath: new vscode.ThemeIcon("pin"), tooltip: t("Pin, or take the pin back") },
    { choice: "drop", iconPath: new vscode.ThemeIcon("trash"), tooltip: t("Drop, or take it back") },
    { iconPath: new vscode.ThemeIcon("go-to-file"), tooltip: t("Show the whole message") },
  ];
}

function toggled(options: Options, id: string, choice: Choice): Options {
  return choose(options, id, choiceMade(options, id) === choice ? "asPlanned" : choice);
}

/** Gives the rows of the newest preview, made once for each: lists may be long. */
function remembered(rehearsal: Rehearsal, item: (row: Row) => ListItem): () => readonly ListItem[] {
  let made: { of: unknown; items: readonly ListItem[] } = { of: undefined, items: [] };
  return () => {
    if (made.of !== rehearsal.preview) {
      made = { of: rehearsal.preview, items: rowsOf(rehearsal.preview.messages, here).map(item) };
    }
    return made.items;
  };
}
