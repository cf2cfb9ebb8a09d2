-- Does in Neovim (0.7 to 0.12) what a test says, one JSON object a line over a socket, and tells what Neovim sees.

local from_10, from_11 = vim.fn.has('nvim-0.10') == 1, vim.fn.has('nvim-0.11') == 1
local socket, client = vim.loop.new_tcp(), nil
local numbers = {} -- the test's number of a request -> Neovim's

local function tell(event, details)
  socket:write(vim.json.encode(vim.tbl_extend('error', { event = event }, details)) .. '\n')
end

-- Methods of a client took no self before 0.11.
local function ask(method, ...)
  if from_11 then return client[method](client, ...) end
  return client[method](...)
end

local function answered(number)
  return function(failure, result) tell('answer', { number = number, error = failure, result = result }) end
end

local function ready()
  local offered = client.server_capabilities
  tell('ready', {
    commands = offered.executeCommandProvider.commands,
    card = offered.experimental.compactChat,
  })
end

local does = {}

function does.start(told)
  vim.cmd('edit ' .. vim.fn.fnameescape(told.file))
  local config = { name = 'compact-chat', cmd = told.server, root_dir = vim.fn.getcwd() }
  if told.settings ~= vim.NIL then config.settings = told.settings end
  local number
  if vim.lsp.start then
    number = vim.lsp.start(config)
  else
    -- Neovim 0.7 leaves it to its user to send the settings.
    config.on_init = function(begun) begun.notify('workspace/didChangeConfiguration', { settings = begun.config.settings }) end
    number = vim.lsp.start_client(config)
    vim.lsp.buf_attach_client(0, number)
  end
  client = vim.lsp.get_client_by_id(number)
  assert(vim.wait(15000, function() return client.initialized end, 5), 'not initialized')
  ready()
end

-- Takes the client that the user's own configuration has started for the file.
function does.adopt()
  local function attached() return from_10 and vim.lsp.get_clients({ bufnr = 0 }) or vim.lsp.buf_get_clients(0) end
  assert(vim.wait(15000, function() return next(attached()) and select(2, next(attached())).initialized end, 5), 'nothing attached')
  client = select(2, next(attached()))
  ready()
end

function does.request(told)
  local _, number = ask('request', told.method, told.params, answered(told.number), 0)
  numbers[told.number] = number
end

-- Neovim looks for the command in what the server advertised, and sends nothing but its name and arguments.
function does.command(told)
  local command = { title = '', command = told.command, arguments = { told.params } }
  if client.exec_cmd then return client:exec_cmd(command, { bufnr = 0 }, answered(told.number)) end
  command.title = nil
  does.request({ number = told.number, method = 'workspace/executeCommand', params = command })
end

function does.cancel(told) ask('cancel_request', numbers[told.number]) end

function does.notify(told) ask('notify', told.method, told.params) end

function does.configure(told)
  client.config.settings, client.settings = told.settings, told.settings
  ask('notify', 'workspace/didChangeConfiguration', { settings = told.settings })
end

function does.evaluate(told) tell('answer', { number = told.number, result = load('return ' .. told.code)() }) end

function does.stop()
  ask('stop')
  assert(vim.wait(10000, function() return ask('is_stopped') end, 5), 'not stopped')
  tell('stopped', {})
end

function does.quit() vim.cmd('qa!') end

-- What a user's status line would show.
local function shown()
  if vim.lsp.status then return vim.lsp.status() end
  local pieces = vim.tbl_map(function(one) return (one.title or '') .. ' ' .. (one.message or '') end, vim.lsp.util.get_progress_messages())
  return table.concat(pieces, ' ')
end

vim.api.nvim_create_autocmd(from_10 and 'LspProgress' or 'User', {
  pattern = from_10 and '*' or 'LspProgressUpdate',
  callback = function() tell('shown', { text = shown() }) end,
})

local usual = vim.lsp.handlers['$/progress']
vim.lsp.handlers['$/progress'] = function(failure, params, ...)
  tell('progress', { token = params.token, value = params.value })
  return usual(failure, params, ...)
end

local function carry_out(line)
  local told = vim.json.decode(line)
  vim.schedule(function()
    local done, failure = pcall(does[told.what], told)
    if not done then tell('failed', { text = tostring(failure) }) end
  end)
end

local rest = ''
local function take(data)
  local lines = vim.split(rest .. data, '\n', { plain = true })
  rest = table.remove(lines)
  for _, line in ipairs(lines) do carry_out(line) end
end

socket:connect('127.0.0.1', tonumber(os.getenv('DRIVER_PORT')), function(failure)
  assert(not failure, failure)
  socket:read_start(function(_, data)
    if data then take(data) else vim.schedule(does.quit) end
  end)
end)
