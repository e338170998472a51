-- One page of the site, for pandoc: links between Markdown pages become links between HTML pages,
-- the first heading becomes the title, and tables and figures may scroll on their own.
--   TAPALAB_PAGE     the page's path from the root of the repository
--   TAPALAB_PAGES    a file: "SOURCE<tab>OUTPUT" for every page and for every folder of pages
--   TAPALAB_FAULTS   a file to which broken links are appended
-- Runs in the root of the repository.
local page = os.getenv("TAPALAB_PAGE")
local outputs = {}
for line in io.lines(os.getenv("TAPALAB_PAGES")) do
  local source, output = line:match("^(.-)\t(.*)$")
  outputs[source] = output
end

local function fault(text)
  local file = io.open(os.getenv("TAPALAB_FAULTS"), "a")
  file:write(page, ": ", text, "\n")
  file:close()
end

local function folder(path) return path:match("^(.*)/[^/]*$") or "" end

-- a/b/../c -> a/c
local function normal(path)
  local parts = {}
  for part in path:gmatch("[^/]+") do
    if part == ".." then table.remove(parts) elseif part ~= "." then parts[#parts + 1] = part end
  end
  return table.concat(parts, "/")
end

local up = folder(outputs[page]):gsub("[^/]+/?", "../")

local function exists(path)
  local file = io.open(path, "r")
  if file then file:close() end
  return file ~= nil
end

-- The address of a target from this page; "" where the site does not hold it.
local function address(target)
  if target:match("^%a[%w+.-]*:") then return target end  -- another site
  local path, anchor = target:match("^([^#]*)(#?.*)$")
  if path == "" then return anchor end
  local source = normal(folder(page) .. "/" .. path)
  if outputs[source] then return up .. outputs[source] .. anchor end
  if not exists(source) then
    fault("broken link: " .. target)
    return ""
  end
  if source:match("^docs/.*%.") then return up .. source:gsub("^docs/", "") .. anchor end
  return ""
end

local links = {
  Link = function(link)
    link.target = address(link.target)
    if link.target == "" then return link.content end
    return link
  end,
  Image = function(image)
    image.src = address(image.src)
    return image
  end,
}

-- Tables of four columns and more that hold sentences: on a phone each row stands as a block, with
-- the headings before its cells.
local function stacked(table)
  if #table.colspecs < 4 then return false end
  local longest = 0
  table:walk({ Block = function(block) longest = math.max(longest, #pandoc.utils.stringify(block)) end })
  return longest > 80
end

local function label_cells(table)
  local names = {}
  for i, cell in ipairs(table.head.rows[1].cells) do names[i] = pandoc.utils.stringify(cell.contents) end
  for _, body in ipairs(table.bodies) do
    for _, row in ipairs(body.body) do
      for i, cell in ipairs(row.cells) do cell.attr = { ["data-label"] = names[i] } end
    end
  end
  return table
end

local shape = {
  Code = function(code)  -- no line break after the hyphens of an option
    if #code.text <= 24 then code.classes:insert("short") end
    return code
  end,
  Table = function(table)
    if stacked(table) then return pandoc.Div({ label_cells(table) }, { class = "wide stack" }) end
    return pandoc.Div({ table }, { class = "wide" })
  end,
  Para = function(para)
    local image = para.content[1]
    if #para.content == 1 and image.t == "Image" then
      return pandoc.Div({ pandoc.Plain({ pandoc.Link({ image }, image.src) }) }, { class = "figure" })
    end
  end,
}

function Pandoc(document)
  local blocks, sections = pandoc.List(), 0
  for _, block in ipairs(document.blocks) do
    if block.t == "Header" and block.level == 1 and not document.meta.title then
      document.meta.title = pandoc.MetaInlines(block.content)
      document.meta.titleid = block.identifier
      document.meta.pagetitle = pandoc.utils.stringify(block.content)
    else
      if block.t == "Header" and block.level == 2 then sections = sections + 1 end
      blocks:insert(block)
    end
  end
  if not document.meta.title then fault("no heading of the first level") end
  document.meta.contents = sections >= 4
  document.meta.base = up
  document.blocks = blocks
  return document:walk(links):walk(shape)
end
