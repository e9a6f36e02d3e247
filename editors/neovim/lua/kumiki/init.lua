-- kumiki in Neovim (0.7 and newer): require("kumiki").setup({})
local M = {}

M.config = {
  cmd = { "kumiki", "lsp" },
  -- A workspace begins where a module does.
  root_files = { "cue.mod", "kmodule.cue" },
  -- Called with the client and the buffer, for key maps.
  on_attach = nil,
  -- Show final values beside the fields, where Neovim can (0.10 and newer).
  inlay_hints = true,
  -- Show lenses above deployments; vim.lsp.codelens.run() runs the one at the cursor.
  code_lenses = true,
}

-- root returns the nearest directory above a file that has one of the names,
-- else the file's own.
function M.root(file)
  local own = vim.fn.fnamemodify(file, ":p:h")
  local dir = own
  while true do
    for _, name in ipairs(M.config.root_files) do
      if vim.loop.fs_stat(dir .. "/" .. name) then
        return dir
      end
    end
    local up = vim.fn.fnamemodify(dir, ":h")
    if up == dir then
      return own
    end
    dir = up
  end
end

-- show opens text in a scratch window.
local function show(text, filetype)
  vim.cmd("new")
  vim.bo.buftype, vim.bo.bufhidden, vim.bo.filetype = "nofile", "wipe", filetype
  vim.api.nvim_buf_set_lines(0, 0, -1, false, vim.split(text, "\n"))
end

-- solution_of asks for the solution of the deployment that a file belongs to, by
-- default that of the current buffer, and passes it on.
local function solution_of(uri, use)
  vim.lsp.buf_request(0, "workspace/executeCommand", {
    command = "kumiki.solution",
    arguments = { uri or vim.uri_from_bufnr(0) },
  }, function(err, result)
    if err then
      vim.notify(err.message, vim.log.levels.ERROR)
    elseif type(result) == "string" then
      use(result)
    end
  end)
end

-- solution shows the solution of the deployment.
function M.solution(uri)
  solution_of(uri, function(text) show(text, "json") end)
end

-- compile writes the solution to a file; without a name, it asks for one.
function M.compile(name, uri)
  local function write(target)
    if not target or target == "" then
      return
    end
    solution_of(uri, function(text)
      local file, err = io.open(vim.fn.expand(target), "w")
      if not file then
        vim.notify(err, vim.log.levels.ERROR)
        return
      end
      file:write(text)
      file:close()
      vim.notify("wrote " .. target)
    end)
  end
  if name and name ~= "" then
    write(name)
    return
  end
  local beside = vim.fn.fnamemodify(uri and vim.uri_to_fname(uri) or vim.api.nvim_buf_get_name(0), ":h")
  vim.ui.input({ prompt = "Write the solution to: ", default = beside .. "/solution.json", completion = "file" }, write)
end

-- The commands of the lenses are the editor's to run.
local function register_commands()
  local function uri(command) return (command.arguments or {})[1] end
  vim.lsp.commands["kumiki.compile"] = function(command) M.compile(nil, uri(command)) end
  vim.lsp.commands["kumiki.showSolution"] = function(command) M.solution(uri(command)) end
  vim.lsp.commands["kumiki.problems"] = function() vim.diagnostic.setloclist() end
  vim.lsp.commands["kumiki.topology"] = function(command) M.topology(uri(command)) end
end

-- topology shows the roles of the deployment and what connects them, read from
-- the solution.
function M.topology(uri)
  solution_of(uri, function(text) show(M.mermaid(vim.json.decode(text)), "mermaid") end)
end

local function sorted(t)
  local keys = vim.tbl_keys(t or {})
  table.sort(keys)
  return keys
end

-- mermaid draws the connectors of a solution.
function M.mermaid(solution)
  local out = { "flowchart LR" }
  for _, name in ipairs(sorted(solution.deployments)) do
    local connectors = (solution.deployments[name].artifact.description or {}).connector
    for _, c in ipairs(sorted(connectors)) do
      for _, client in ipairs(connectors[c].clients or {}) do
        for _, server in ipairs(connectors[c].servers or {}) do
          for _, link in ipairs(server.links or {}) do
            table.insert(out, string.format('  %s.%s["%s %s"] -->|%s| %s.%s["%s %s"]', name, client.role, name, client.role, c, name, link.role, name, link.role))
          end
        end
      end
    end
  end
  return table.concat(out, "\n")
end

-- watch_lenses keeps the lenses of a buffer up to date.
function M.watch_lenses(buf)
  local function refresh()
    if vim.api.nvim_get_current_buf() == buf then
      vim.lsp.codelens.refresh()
    end
  end
  local group = vim.api.nvim_create_augroup("kumiki" .. buf, {})
  vim.api.nvim_create_autocmd({ "BufEnter", "InsertLeave", "DiagnosticChanged", "BufWritePost" }, {
    group = group,
    buffer = buf,
    callback = refresh,
  })
  refresh()
end

local clients = {} -- by root

-- attach starts a server for the buffer's workspace, or joins the one that runs.
function M.attach(buf)
  local file = vim.api.nvim_buf_get_name(buf)
  if file == "" then
    return
  end
  local root = M.root(file)
  local id = clients[root]
  if not id or not vim.lsp.get_client_by_id(id) then
    id = vim.lsp.start_client({
      name = "kumiki",
      cmd = M.config.cmd,
      root_dir = root,
      workspace_folders = { { uri = vim.uri_from_fname(root), name = root } },
      capabilities = vim.lsp.protocol.make_client_capabilities(),
      on_attach = function(client, b)
        vim.bo[b].omnifunc, vim.bo[b].tagfunc = "v:lua.vim.lsp.omnifunc", "v:lua.vim.lsp.tagfunc"
        if M.config.code_lenses then
          M.watch_lenses(b)
        end
        if M.config.inlay_hints and vim.lsp.inlay_hint then
          vim.lsp.inlay_hint.enable(true, { bufnr = b })
        end
        if M.config.on_attach then
          M.config.on_attach(client, b)
        end
      end,
    })
    clients[root] = id
  end
  if id then
    vim.lsp.buf_attach_client(buf, id)
  end
end

function M.setup(options)
  M.config = vim.tbl_extend("force", M.config, options or {})
  register_commands()
  vim.api.nvim_create_autocmd({ "BufRead", "BufNewFile" }, {
    pattern = "*.cue",
    callback = function(event)
      if vim.bo[event.buf].filetype == "" then
        vim.bo[event.buf].filetype = "cue"
      end
      M.attach(event.buf)
    end,
  })
  vim.api.nvim_create_user_command("KumikiCompile", function(o) M.compile(o.args) end, { nargs = "?", complete = "file" })
  vim.api.nvim_create_user_command("KumikiSolution", function() M.solution() end, {})
  vim.api.nvim_create_user_command("KumikiTopology", function() M.topology() end, {})
end

return M
