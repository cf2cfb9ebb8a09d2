// Loads a bundle and activates it with a stand-in that takes everything, then prints how many milliseconds of the
// processor's time that took: on a busy machine the clock would measure others too.

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

const began = process.cpuUsage();
require(resolve(process.argv[2])).activate(context);
const { user, system } = process.cpuUsage(began);
process.stdout.write(String((user + system) / 1000), () => process.exit());
