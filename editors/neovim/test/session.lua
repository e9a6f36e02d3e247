-- A session in a real editor: open an example, break it, read what Neovim says
-- of it, apply the code action, and be clean again. Arguments in the
-- environment: KUMIKI (the binary) and WORKSPACE (a copy of examples/shop).
local function fail(what)
  io.stderr:write("FAIL " .. what .. "\n")
  vim.cmd("cquit 1")
end

local function eventually(what, f)
  if not vim.wait(20000, f, 20) then
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

local solution = vim.lsp.buf_request_sync(0, "workspace/executeCommand", {
  command = "kumiki.solution",
  arguments = { vim.uri_from_bufnr(0) },
}, 20000)
for _, answer in pairs(solution) do
  local graph = require("kumiki").mermaid(vim.json.decode(answer.result))
  if not graph:find("|api|", 1, true) then
    fail("the topology is " .. graph)
  end
end
io.stdout:write("1 passed, 0 failed\n")
vim.cmd("qall!")
