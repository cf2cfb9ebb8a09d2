/** A quick pick that always shows what its source says, until a row is chosen or Escape closes it. */

import * as vscode from "vscode";

export interface ListItem extends vscode.QuickPickItem {
  readonly id: string;
}

/** What a list shows; asked again after each change. */
export interface Face<Item extends ListItem> {
  title(): string;
  isBusy(): boolean;
  /** The same array as before where nothing has changed. */
  items(): readonly Item[];
  readonly placeholder: string;
  /** Says whether a button of a row has done all that it does; else the list is closed for it. */
  readonly isDone?: (item: Item, button: vscode.QuickInputButton) => boolean;
}

/** Where a list was left: what was typed into it, and its active row. */
export interface Place {
  value: string;
  id: string | undefined;
}

/** A row that was chosen, by itself or by a button on it. */
export interface Chosen<Item extends ListItem> {
  readonly item: Item;
  readonly button?: vscode.QuickInputButton;
}

/** Shows a list; gives what was chosen, or undefined where Escape closed it. */
export async function pickFrom<Item extends ListItem>(
  face: Face<Item>,
  changed: vscode.Event<void>,
  place: Place = { value: "", id: undefined },
): Promise<Chosen<Item> | undefined> {
  const pick = vscode.window.createQuickPick<Item>();
  const draw = drawer(pick, face, place);
  prepare(pick, face, place);
  draw();
  pick.show();
  const drawing = changed(() => {
    pick.keepScrollPosition = true; // a list that opens scrolls to its place; later its rows stay where they are
    draw();
  });
  try {
    return await answer(pick, face, place);
  } finally {
    drawing.dispose();
    pick.dispose();
  }
}

function prepare<Item extends ListItem>(pick: vscode.QuickPick<Item>, face: Face<Item>, place: Place): void {
  pick.placeholder = face.placeholder;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  pick.ignoreFocusOut = true;
  pick.value = place.value;
}

/** Gives what draws a list again; rows are handed over only where they are others. */
function drawer<Item extends ListItem>(pick: vscode.QuickPick<Item>, face: Face<Item>, place: Place): () => void {
  let shown: readonly Item[] = [];
  return () => {
    pick.title = face.title();
    pick.busy = face.isBusy();
    const items = face.items();
    if (items === shown) {
      return;
    }
    shown = items;
    const active = items.find(({ id }) => id === place.id);
    pick.items = items;
    if (active !== undefined) {
      pick.activeItems = [active];
    }
  };
}

function answer<Item extends ListItem>(
  pick: vscode.QuickPick<Item>,
  face: Face<Item>,
  place: Place,
): Promise<Chosen<Item> | undefined> {
  return new Promise((resolve) => {
    pick.onDidChangeValue((value) => {
      place.value = value;
    });
    pick.onDidChangeActive(([active]) => {
      place.id = active?.id ?? place.id;
    });
    pick.onDidTriggerItemButton(({ item, button }) => {
      place.id = item.id;
      if (!face.isDone?.(item, button)) {
        resolve({ item, button });
      }
    });
    pick.onDidAccept(() => {
      const [item] = pick.selectedItems;
      if (item) {
        resolve({ item });
      }
    });
    pick.onDidHide(() => resolve(undefined));
  });
}
