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
  -- Show problems while you type, not only once you leave insert mode.
  update_in_insert = true,
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

-- topology shows the deployments of the solution, their roles and what connects them:
-- what `kumiki graph` draws, as lines of text.
function M.topology(uri)
  solution_of(uri, function(text)
    local command = { M.config.cmd[1], "graph", "-", "-o", "json" }
    local drawn = vim.fn.system(command, text)
    if vim.v.shell_error ~= 0 then
      vim.notify(drawn, vim.log.levels.ERROR)
      return
    end
    show(M.outline(vim.json.decode(drawn)), "kumiki")
  end)
end

-- ends are the edges of a kind that lead to or from a node, in words.
local function ends(graph, kind, own, other, id)
  local out = {}
  for _, e in ipairs(graph.edges) do
    if e.kind == kind and e[own] == id then
      local name = e[other]:gsub("^.*/", "")
      if e.label and e.label ~= name then
        name = name .. " (" .. e.label .. ")"
      end
      table.insert(out, name)
    end
  end
  return table.concat(out, ", ")
end

-- outline is a graph, as `kumiki graph -o json` has it, in lines.
function M.outline(graph)
  local out = {}
  for _, box in ipairs(graph.boxes) do
    table.insert(out, vim.trim(box.id .. "  " .. (box.artifact or "")))
    for _, n in ipairs(box.nodes) do
      if n.kind == "role" then
        local count = type(n.instances) == "number" and " ×" .. n.instances or ""
        table.insert(out, "  role " .. n.name .. count .. "  " .. (n.detail or ""))
      end
    end
    for _, n in ipairs(box.nodes) do
      if n.kind == "connector" then
        local from, to = ends(graph, "client", "to", "from", n.id), ends(graph, "server", "from", "to", n.id)
        table.insert(out, "  " .. from .. " → " .. to .. "  by connector " .. n.name .. ", " .. (n.detail or ""))
      end
    end
    for _, e in ipairs(graph.edges) do
      local own = e.from == box.id or vim.startswith(e.from, box.id .. "/")
      if own and (e.kind == "link" or e.kind == "up" or e.kind == "value") then
        table.insert(out, "  " .. e.kind .. " → " .. e.to .. (e.label and e.kind == "link" and "  (" .. e.label .. ")" or ""))
      end
    end
    table.insert(out, "")
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
        vim.diagnostic.config({ update_in_insert = M.config.update_in_insert }, vim.lsp.diagnostic.get_namespace(client.id))
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
