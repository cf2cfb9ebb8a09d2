/** The parts of `vscode` that are about events, and about what ends. */

type Listener<Value> = (value: Value) => unknown;

export class Disposable {
  constructor(readonly dispose: () => void) {}

  static from(...all: { dispose(): unknown }[]): Disposable {
    return new Disposable(() => {
      for (const one of all) {
        one.dispose();
      }
    });
  }
}

export class EventEmitter<Value> {
  readonly #listeners = new Set<Listener<Value>>();
  readonly event = (listener: Listener<Value>): Disposable => {
    const mine: Listener<Value> = (value) => listener(value);
    this.#listeners.add(mine);
    return new Disposable(() => this.#listeners.delete(mine));
  };

  fire(value: Value): void {
    for (const listener of [...this.#listeners]) {
      listener(value);
    }
  }

  dispose(): void {
    this.#listeners.clear();
  }
}

export class CancellationTokenSource {
  readonly #cancelled = new EventEmitter<void>();
  readonly token = { isCancellationRequested: false, onCancellationRequested: this.#cancelled.event };

  cancel(): void {
    if (!this.token.isCancellationRequested) {
      this.token.isCancellationRequested = true;
      this.#cancelled.fire();
    }
  }

  dispose(): void {
    this.#cancelled.dispose();
  }
}
