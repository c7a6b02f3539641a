-- What Neovim 0.7 and later do with the server: run headless by StandardStreamsTest, which sets the environment.
local report = {}
local function note(line)
  table.insert(report, line)
end
local function await(what, reached)
  assert(vim.wait(60000, reached, 50), "nothing came of " .. what)
end

local function run()
  vim.cmd("edit " .. vim.env.REMAT_MODEL)
  local client = vim.lsp.start_client({
    name = "remat",
    cmd = vim.split(vim.env.REMAT_SERVER, "\n"),
    root_dir = vim.fn.fnamemodify(vim.env.REMAT_MODEL, ":h"),
  })
  vim.lsp.buf_attach_client(0, client)
  await("the mistake", function()
    return #vim.diagnostic.get(0) == 1
  end)
  local found = vim.diagnostic.get(0)[1]
  note("found " .. found.lnum .. ":" .. found.col .. " " .. found.message:gsub("\n", "; "))
  local text = vim.api.nvim_buf_get_lines(0, found.lnum, found.lnum + 1, true)[1]
  vim.api.nvim_buf_set_lines(0, found.lnum, found.lnum + 1, true, { (text:gsub("drpout", "dropout")) })
  await("its end", function()
    return #vim.diagnostic.get(0) == 0
  end)
  note("no mistake is left")
  local function ask(method, params)
    params.textDocument = vim.lsp.util.make_text_document_params()
    local answers = assert(vim.lsp.buf_request_sync(0, method, params, 60000))
    return answers[client].result
  end
  local at = { line = found.lnum, character = 2 }
  note("hover " .. ask("textDocument/hover", { position = at }).contents.value:gsub("\n", "; "))
  note("completion " .. #ask("textDocument/completion", { position = { line = found.lnum, character = 6 } }))
  local edit = ask("textDocument/rename", { position = at, newName = "noisy" })
  vim.lsp.util.apply_workspace_edit(edit, "utf-16")
  note("renamed " .. vim.api.nvim_buf_get_lines(0, found.lnum, found.lnum + 1, true)[1])
  local edits = ask("textDocument/formatting", { options = { tabSize = 2, insertSpaces = true } })
  vim.lsp.util.apply_text_edits(edits, 0, "utf-16")
  note("formatted " .. vim.api.nvim_buf_get_lines(0, 2, 3, true)[1])
  vim.lsp.stop_client(client)
  await("the server's end", function()
    return vim.lsp.get_client_by_id(client) == nil
  end)
  note("ended")
end

local done, problem = pcall(run)
if not done then
  note("failed: " .. tostring(problem))
end
vim.fn.writefile(report, vim.env.REMAT_REPORT)
vim.cmd("qa!")
