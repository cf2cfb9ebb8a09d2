// Loads a bundle and activates it with a stand-in that takes everything, then prints how many milliseconds that took.

const Module = require("node:module");
const { resolve } = require("node:path");

const special = new Map([
  ["then", undefined],
  [Symbol.toPrimitive, () => ""],
  [Symbol.iterator, () => [].values()],
]);
const anything = new Proxy(class {}, {
  get: (target, name) => (name === "prototype" ? target.prototype : special.has(name) ? special.get(name) : anything),
  set: () => true,
  apply: () => anything,
  construct: () => anything,
});
const context = Object.create(anything, {
  subscriptions: { value: [] },
  extensionPath: { value: "/extension" },
  storageUri: { value: undefined },
  globalStorageUri: { value: Object.create(anything, { fsPath: { value: "/storage" } }) },
});

const load = Module._load;
Module._load = (name, ...rest) => (name === "vscode" ? Object.create(anything) : load(name, ...rest));

const began = performance.now();
require(resolve(process.argv[2])).activate(context);
process.stdout.write(String(performance.now() - began), () => process.exit());
