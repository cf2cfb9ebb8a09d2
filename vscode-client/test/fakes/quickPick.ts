/** The quick pick of `vscode`, which a test answers by hand. */

import { EventEmitter } from "./events";

export class QuickPick<Item> {
  readonly #events = {
    accept: new EventEmitter<void>(),
    hide: new EventEmitter<void>(),
    value: new EventEmitter<string>(),
    active: new EventEmitter<readonly Item[]>(),
    button: new EventEmitter<unknown>(),
    itemButton: new EventEmitter<{ item: Item; button: unknown }>(),
  };
  readonly onDidAccept = this.#events.accept.event;
  readonly onDidHide = this.#events.hide.event;
  readonly onDidChangeValue = this.#events.value.event;
  readonly onDidChangeActive = this.#events.active.event;
  readonly onDidTriggerButton = this.#events.button.event;
  readonly onDidTriggerItemButton = this.#events.itemButton.event;
  title: string | undefined;
  placeholder: string | undefined;
  value = "";
  busy = false;
  isShown = false;
  items: readonly Item[] = [];
  activeItems: readonly Item[] = [];
  selectedItems: readonly Item[] = [];

  show(): void {
    this.isShown = true;
  }

  hide(): void {
    this.isShown = false;
    this.#events.hide.fire();
  }

  dispose(): void {
    this.isShown = false;
  }

  /** Does what a person does who chooses a row. */
  choose(item: Item): void {
    this.activeItems = [item];
    this.selectedItems = [item];
    this.#events.active.fire([item]);
    this.#events.accept.fire();
  }

  /** Does what a person does who presses Enter where no row is left. */
  accept(): void {
    this.selectedItems = [];
    this.#events.accept.fire();
  }

  /** Does what a person does who types. */
  type(value: string): void {
    this.value = value;
    this.#events.value.fire(value);
  }

  /** Does what a person does who presses a button of a row. */
  press(item: Item, button: unknown): void {
    this.#events.itemButton.fire({ item, button });
  }
}
