-- A session in a real editor: open an example, break it, read what Neovim says
-- of it, apply the code action, and be clean again; then run a lens, go to
-- definitions in other packages, and complete. Arguments in the
-- environment: KUMIKI (the binary) and WORKSPACE (a copy of examples/shop).
local function fail(what)
  io.stderr:write("FAIL " .. what .. "\n")
  vim.cmd("cquit 1")
end

local function eventually(what, f)
  if not vim.wait(60000, f, 20) then
    fail(what .. ": " .. vim.inspect(vim.diagnostic.get(0)))
  end
end

require("kumiki").setup({ cmd = { vim.env.KUMIKI, "lsp" } })
vim.cmd("edit " .. vim.env.WORKSPACE .. "/deploy/deployment.cue")
eventually("the server starts", function()
  local ready = false
  vim.lsp.for_each_buffer_client(0, function(client) ready = ready or client.initialized end)
  return ready
end)

local original = vim.api.nvim_buf_get_lines(0, 0, -1, false)
local row
for i, line in ipairs(original) do
  if line:find("title:") then
    row = i
    vim.api.nvim_buf_set_lines(0, i - 1, i, false, { (line:gsub("title:", "titel:")) })
  end
end
eventually("the mistake is shown", function() return #vim.diagnostic.get(0) == 1 end)
vim.lsp.for_each_buffer_client(0, function(client)
  if not vim.diagnostic.config(nil, vim.lsp.diagnostic.get_namespace(client.id)).update_in_insert then
    fail("problems are not shown while somebody types")
  end
end)
local d = vim.diagnostic.get(0)[1]
if d.code ~= "spread/undeclared-field" or d.lnum ~= row - 1 or d.source ~= "kumiki" then
  fail("the diagnostic is " .. vim.inspect(d))
end
io.stdout:write("shown: " .. d.message .. "\n")

vim.api.nvim_win_set_cursor(0, { d.lnum + 1, d.col })
local params = vim.lsp.util.make_range_params()
params.context = { diagnostics = {} }
local answers = vim.lsp.buf_request_sync(0, "textDocument/codeAction", params, 20000) or {}
local applied
for _, answer in pairs(answers) do
  for _, action in ipairs(answer.result or {}) do
    if action.kind == "quickfix" and not applied then
      applied = action.title
      vim.lsp.util.apply_workspace_edit(action.edit, "utf-16")
    end
  end
end
if not applied then
  fail("there is no code action")
end
io.stdout:write("applied: " .. applied .. "\n")
eventually("the buffer is clean", function() return #vim.diagnostic.get(0) == 0 end)
if not vim.deep_equal(original, vim.api.nvim_buf_get_lines(0, 0, -1, false)) then
  fail("the buffer is not what it was")
end

-- Hover on a role: what fills it, as every editor shows it.
vim.cmd("edit " .. vim.env.WORKSPACE .. "/shop/shop.cue")
vim.fn.search([[web: {]])
vim.fn.cursor(vim.fn.line("."), vim.fn.col(".") + 1)
eventually("the server knows the role", function()
  local answers = vim.lsp.buf_request_sync(0, "textDocument/hover", vim.lsp.util.make_position_params(), 20000) or {}
  return vim.inspect(answers):find("filled by component", 1, true)
end)
local shown, window = ""
vim.lsp.buf.hover()
eventually("the role is shown", function()
  for _, win in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(win).relative ~= "" then
      shown, window = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(win), 0, -1, false), "\n"), win
    end
  end
  return window
end)
vim.api.nvim_win_close(window, true)
for _, part in ipairs({ "role of shop", "2 instances with 500m CPU", "serves `entry`, http at port 3000: from entry.inbound", '`parameter.title` = `"Wood & Joints"`, deployment', "declared in" }) do
  if not shown:find(part, 1, true) then
    fail("the hover lacks " .. part .. ": " .. shown)
  end
end
io.stdout:write("hover: " .. #vim.split(shown, "\n") .. " lines of role web\n")
vim.cmd("edit " .. vim.env.WORKSPACE .. "/deploy/deployment.cue")

-- A lens: the solution is written where the user says.
eventually("the lenses are there", function() return #vim.lsp.codelens.get(vim.api.nvim_get_current_buf()) == 3 end)
local target = vim.env.WORKSPACE .. "/out.json"
vim.ui.input = function(o, answer)
  if o.default ~= vim.env.WORKSPACE .. "/deploy/solution.json" then
    fail("the file that is offered is " .. o.default)
  end
  answer(target)
end
vim.ui.select = function(items, o, answer)
  for i, item in ipairs(items) do
    if o.format_item(item):find("compile") then
      answer(item, i)
      return
    end
  end
  fail("there is no lens to compile")
end
vim.fn.cursor(vim.fn.search("^#Deployment:"), 1)
vim.lsp.codelens.run()
eventually("the solution is written", function() return vim.fn.getfsize(target) > 0 end)
local graph = vim.json.decode(vim.fn.system({ vim.env.KUMIKI, "graph", target, "-o", "json" }))
local outline = require("kumiki").outline(graph)
if not outline:find("web (api) → api (rest :8080)  by connector api, lb", 1, true) or not outline:find("role api ×3", 1, true) then
  fail("the topology is " .. outline)
end
vim.cmd("KumikiTopology")
eventually("the topology is shown", function() return vim.bo.filetype == "kumiki" end)
if not vim.deep_equal(vim.split(outline, "\n"), vim.api.nvim_buf_get_lines(0, 0, -1, false)) then
  fail("the topology that is shown is another one")
end
vim.cmd("close")
io.stdout:write("lens: wrote " .. #vim.fn.readfile(target) .. " lines\n")

-- Definitions across packages: from the deployment to the service, and from a
-- role's field to the component that declares it.
local function jump(from, column, to, line)
  vim.fn.search(from)
  vim.fn.cursor(vim.fn.line("."), vim.fn.col(".") + column)
  vim.lsp.buf.definition()
  eventually("from " .. from .. " to " .. to, function()
    return vim.api.nvim_buf_get_name(0) == vim.env.WORKSPACE .. to and vim.api.nvim_get_current_line():find(line)
  end)
  eventually("the server knows the file", function()
    local attached = false
    vim.lsp.for_each_buffer_client(0, function() attached = true end)
    return attached
  end)
end
jump([[shop\.#Artifact]], 6, "/shop/shop.cue", "#Artifact")
jump([[orders: _p\.orders]], 1, "/api/api.cue", "orders: *")
io.stdout:write("definition: " .. vim.api.nvim_buf_get_name(0):sub(#vim.env.WORKSPACE + 1) .. "\n")

-- Completion, where the file is not whole.
local at = vim.fn.search("mapping: {")
vim.api.nvim_buf_set_lines(0, at, at, false, { "env: X: secret: \"" })
vim.api.nvim_win_set_cursor(0, { at + 1, 15 })
local where = vim.lsp.util.make_position_params()
where.position.character = 17
local words = {}
for _, answer in pairs(vim.lsp.buf_request_sync(0, "textDocument/completion", where, 20000) or {}) do
  for _, item in ipairs(vim.lsp.util.text_document_completion_list_to_complete_items(answer.result, "")) do
    table.insert(words, item.word)
  end
end
if words[1] ~= '"dbPassword"' then
  fail("the completions are " .. vim.inspect(words))
end
io.stdout:write("completion: " .. words[1] .. "\n")
io.stdout:write("1 passed, 0 failed\n")
vim.cmd("qall!")
