// Does with vscode-jsonrpc, as VS Code's extensions have it, what a test says, and tells what it sees.
// One JSON object a line over a socket, both ways.
'use strict';
const { spawn } = require('node:child_process');
const net = require('node:net');
const readline = require('node:readline');
const rpc = require('vscode-jsonrpc/node');

const DECLARED = {
  workspace: { configuration: true, didChangeConfiguration: { dynamicRegistration: true }, executeCommand: {} },
  window: { workDoneProgress: true },
};
const socket = net.connect(Number(process.env.DRIVER_PORT), '127.0.0.1');
const cancels = new Map();
let server, connection, settings;

const tell = (event, details = {}) => socket.write(JSON.stringify({ event, ...details }) + '\n');

async function answer(number, method, params) {
  const cancel = new rpc.CancellationTokenSource();
  cancels.set(number, cancel);
  try {
    tell('answer', { number, result: await connection.sendRequest(method, params, cancel.token) });
  } catch (error) {
    tell('answer', { number, error: { code: error.code, message: error.message, data: error.data } });
  }
}

const does = {
  async start(told) {
    const capabilities = told.capabilities ?? DECLARED;
    settings = told.settings;
    server = spawn(told.server[0], told.server.slice(1), { stdio: ['pipe', 'pipe', 'inherit'] });
    connection = rpc.createMessageConnection(
      new rpc.StreamMessageReader(server.stdout), new rpc.StreamMessageWriter(server.stdin));
    connection.onNotification('$/progress', ({ token, value }) => tell('progress', { token, value }));
    if (capabilities.window?.workDoneProgress) connection.onRequest('window/workDoneProgress/create', () => null);
    if (capabilities.workspace?.configuration) {
      connection.onRequest('workspace/configuration', ({ items }) => items.map((item) => settings?.[item.section] ?? null));
      connection.onRequest('client/registerCapability', () => null);
    }
    connection.onError((error) => tell('failed', { text: String(error) }));
    connection.listen();
    const clientInfo = { name: 'vscode-jsonrpc' };
    const offered = await connection.sendRequest('initialize', { processId: process.pid, clientInfo, rootUri: null, capabilities });
    await connection.sendNotification('initialized', {});
    const { executeCommandProvider, experimental } = offered.capabilities;
    tell('ready', { commands: executeCommandProvider.commands, card: experimental.compactChat });
  },
  request: ({ number, method, params }) => answer(number, method, params),
  command: ({ number, command, params }) => answer(number, 'workspace/executeCommand', { command, arguments: [params] }),
  cancel: ({ number }) => cancels.get(number).cancel(),
  notify: ({ method, params }) => connection.sendNotification(method, params),
  configure(told) {
    settings = told.settings;
    return connection.sendNotification('workspace/didChangeConfiguration', { settings: null });
  },
  async stop() {
    const left = new Promise((resolve) => server.on('exit', resolve));
    await connection.sendRequest('shutdown');
    await connection.sendNotification('exit');
    tell('stopped', { code: await left });
  },
  quit: () => process.exit(),
};

socket.on('close', () => process.exit());
readline.createInterface({ input: socket }).on('line', async (line) => {
  const told = JSON.parse(line);
  try {
    await does[told.what](told);
  } catch (error) {
    tell('failed', { text: String(error) });
  }
});
