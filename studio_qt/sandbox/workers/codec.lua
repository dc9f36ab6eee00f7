-- JSON for Lua agents. Text comes in as the text of a table constructor, which the worker has
-- written from JSON (the engine's own parser is several times faster than a decoder in Lua), or as
-- JSON where a constructor would be too deep. Values go out as JSON with the keys in the order in
-- which they came, so that a store that did not change is written as it was.
-- Everything is saved here before agent code runs; no function here calls agent code. Strings are
-- joined, never formatted: "%s" calls what an agent put into their metatable.
local byte, find, format = string.byte, string.find, string.format
local gsub, sub = string.gsub, string.sub
local concat, sort = table.concat, table.sort
local mathtype, tointeger, huge = math.type, math.tointeger, math.huge
local utf8length, utf8char = utf8.len, utf8.char
local error, load, next, rawlen = error, load, next, rawlen
local tonumber, type = tonumber, type
local metatable = debug.getmetatable

local config = ...

local NESTING, SIZE = config.nesting, config.storeCap
local ARRAY, OBJECT = 1, 2
local LEAF = {}

-- ---- in
local marks = {} -- tables that came in as arrays or as empty objects, of this activity
local function markArray(t) marks[t] = ARRAY return t end
local function markObject(t) marks[t] = OBJECT return t end
local surroundings = { A = markArray, O = markObject }

local escapes = {
  ["\\"] = "\\", ['"'] = '"', ["/"] = "/",
  b = "\b", f = "\f", n = "\n", r = "\r", t = "\t",
}
local text, value
local function readString(at)
  local stop = find(text, '"', at, true)
  local piece = sub(text, at, stop - 1)
  if not find(piece, "\\", 1, true) then return piece, stop + 1 end
  local pieces, n = {}, 0
  while true do
    local slash = find(text, '["\\]', at)
    n = n + 1
    pieces[n] = sub(text, at, slash - 1)
    if byte(text, slash) == 34 then return concat(pieces), slash + 1 end
    local code = sub(text, slash + 1, slash + 1)
    at = slash + 2
    n = n + 1
    if code == "u" then
      pieces[n] = utf8char(tonumber(sub(text, at, at + 3), 16))
      at = at + 4
    else
      pieces[n] = escapes[code]
    end
  end
end
local function readObject(at)
  local t = {}
  if byte(text, at + 1) == 125 then return markObject(t), at + 2 end
  repeat
    local key, item
    key, at = readString(at + 2)
    item, at = value(at + 1)
    t[key] = item
  until byte(text, at) ~= 44
  return t, at + 1
end
local function readArray(at)
  local t, n = markArray({}), 0
  if byte(text, at + 1) == 93 then return t, at + 2 end
  repeat
    local item
    item, at = value(at + 1)
    n = n + 1
    t[n] = item
  until byte(text, at) ~= 44
  return t, at + 1
end
value = function(at)
  local first = byte(text, at)
  if first == 34 then return readString(at + 1) end
  if first == 123 then return readObject(at) end
  if first == 91 then return readArray(at) end
  if first == 116 then return true, at + 4 end
  if first == 102 then return false, at + 5 end
  if first == 110 then return nil, at + 4 end
  local stop = find(text, "[^-0-9.eE+]", at) or #text + 1
  return tonumber(sub(text, at, stop - 1)), stop
end

-- Return a function that makes the value anew each time; nil when the text cannot be compiled.
local function compile(constructor)
  return (load(constructor, "=text", "t", surroundings))
end
local function reader(json)
  return function()
    text = json
    local item = value(1)
    text = nil
    return item
  end
end

-- ---- the order of keys
local rank, names, ranks = {}, {}, 0
local trie, nodes = {}, 0
local function learn(key)
  if rank[key] then return end
  ranks = ranks + 1
  rank[key], names[ranks] = ranks, key
end
local function inOrder(keys)
  local fresh, known = nil, {}
  for i = 1, #keys do
    if not rank[keys[i]] then
      fresh = fresh or {}
      fresh[#fresh + 1] = keys[i]
    end
  end
  if fresh then
    sort(fresh)
    for i = 1, #fresh do learn(fresh[i]) end
  end
  for i = 1, #keys do known[i] = rank[keys[i]] end
  sort(known)
  for i = 1, #keys do known[i] = names[known[i]] end
  return known
end

-- ---- out
local controls = { ['"'] = '\\"', ["\\"] = "\\\\", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }
for code = 0, 31 do
  local char = utf8char(code)
  controls[char] = controls[char] or format("\\u%04x", code)
end
local function repaired(s)
  local pieces, n, at = {}, 0, 1
  while at <= #s do
    local length, bad = utf8length(s, at)
    n = n + 1
    if length then
      pieces[n] = sub(s, at)
      break
    end
    pieces[n] = sub(s, at, bad - 1) .. "\u{FFFD}"
    at = bad + 1
  end
  return concat(pieces)
end
local worked = 0 -- the limits hold here by counting: a hook would slow every instruction down
local function look()
  worked = 0
  config.check()
end
local TOO_LARGE = "it is larger than 16 MB"
local function escaped(s)
  if #s > SIZE then error(TOO_LARGE, 0) end
  worked = worked + #s // 256
  if worked > 2000 then look() end
  if find(s, "[\128-\255]") and not utf8length(s) then s = repaired(s) end
  if find(s, '[%c"\\]') then s = gsub(s, '[%c"\\]', controls) end
  return s
end
local function quoted(s) return '"' .. escaped(s) .. '"' end

local plain, plains = {}, 0 -- short strings that need no escapes
local function body(s)
  if #s > SIZE then error(TOO_LARGE, 0) end
  if find(s, "[^ !#-%[%]-~]") then return escaped(s) end
  if #s <= 40 and plains < 4096 then
    plains = plains + 1
    plain[s] = true
  end
  return s
end

local oddNumbers = false
local spelled, spellings = {}, 0 -- fractions
local function spell(number)
  local known = spelled[number]
  if known then return known end
  local whole = tointeger(number)
  if whole then return whole end
  if number ~= number or number == huge or number == -huge then
    oddNumbers = true
    return "null"
  end
  if number >= -1e21 and number <= 1e21 and number % 1 == 0 then return format("%.0f", number) end
  local short = format("%.15g", number)
  if tonumber(short) ~= number then short = format("%.16g", number) end
  if tonumber(short) ~= number then short = format("%.17g", number) end
  if spellings < 4096 then
    spellings = spellings + 1
    spelled[number] = short
  end
  return short
end

local out, path = {}, {}
local original, shadow -- what makes the store anew as it came in, and the store so made
local function wasArray(depth)
  if not original then return false end
  if not shadow then
    local own = marks
    marks = {}
    shadow = { root = original(), marks = marks }
    marks = own
  end
  local t = shadow.root
  for i = 1, depth - 1 do
    if type(t) ~= "table" then return false end
    t = t[path[i]]
  end
  return shadow.marks[t] == ARRAY
end
local function refuse(kind, depth)
  local where = {}
  for i = 1, depth do
    where[i] = "[" .. (mathtype(path[i]) and spell(path[i]) or quoted(path[i])) .. "]"
  end
  local place = sub(concat(where), 1, 200)
  error("a " .. kind .. " cannot be written as JSON (at " .. place .. ")", 0)
end

local put
-- All of these write the pieces of a value into `out` behind position n and return the new n;
-- `depth` is that of the table, whose place is path[1] to path[depth - 1].
local function putItems(t, length, depth, n)
  for i = 1, length do
    local item = t[i]
    n = n + 1
    if plain[item] then
      out[n] = (i == 1 and '["' or ',"') .. item .. '"'
    else
      out[n] = i == 1 and "[" or ","
      path[depth] = i
      n = put(item, depth, n)
    end
  end
  out[n + 1] = "]"
  return n + 1
end
local function putArray(t, length, depth, n)
  if plain[t[1]] then
    for i = 2, length do
      if not plain[t[i]] then return putItems(t, length, depth, n) end
    end
    out[n + 1] = '["' .. concat(t, '","', 1, length) .. '"]'
    return n + 1
  end
  for i = 1, length do
    if mathtype(t[i]) ~= "integer" then return putItems(t, length, depth, n) end
  end
  out[n + 1] = "[" .. concat(t, ",", 1, length) .. "]"
  return n + 1
end

local function putFields(t, leaf, depth, n)
  local keys, heads, quotedHeads = leaf.keys, leaf.heads, leaf.quotedHeads
  for i = 1, #keys do
    local item = t[keys[i]]
    local kind = type(item)
    if kind == "string" then
      out[n + 1] = quotedHeads[i]
      out[n + 2] = plain[item] and item or body(item)
      n = n + 3
      out[n] = '"'
    elseif kind == "number" then
      out[n + 1] = heads[i]
      n = n + 2
      out[n] = mathtype(item) == "integer" and item or spell(item)
    else
      n = n + 1
      out[n] = heads[i]
      path[depth] = keys[i]
      n = put(item, depth, n)
    end
  end
  out[n + 1] = "}"
  return n + 1
end
local function leafOf(t)
  local keys = {}
  for key in next, t do keys[#keys + 1] = key end
  keys = inOrder(keys)
  local heads, quotedHeads = {}, {}
  for i = 1, #keys do
    heads[i] = (i == 1 and "{" or ",") .. quoted(keys[i]) .. ":"
    quotedHeads[i] = heads[i] .. '"'
  end
  return { keys = keys, heads = heads, quotedHeads = quotedHeads }
end

-- A table with keys that are not all strings, or with holes.
local function putMixed(t, array, depth, n)
  local highest, named = 0, {}
  for key, item in next, t do
    if mathtype(key) == "integer" and key > 0 then
      if key > highest then highest = key end
    else
      array = false
    end
    if type(key) == "number" then
      key = "" .. spell(key)
      if t[key] == nil then named[key] = item end
    elseif type(key) == "string" then
      named[key] = item
    else
      path[depth] = "?"
      refuse(type(key) .. " as a key", depth)
    end
  end
  if not array then return putFields(named, leafOf(named), depth, n) end
  if highest * 2 > SIZE then error("the array is too large", 0) end
  for i = 1, highest do
    n = n + 1
    out[n] = i == 1 and "[" or ","
    path[depth] = i
    n = put(t[i], depth, n)
  end
  out[n + 1] = "]"
  return n + 1
end

local function putObject(t, mark, depth, n)
  local node, count = trie, 0
  for key in next, t do
    local below = node[key]
    count = count + 1
    if below == nil then
      if type(key) ~= "string" then
        return putMixed(t, mark == ARRAY or (mark == nil and wasArray(depth)), depth, n)
      end
      if count > 32 then break end
      below = {}
      node[key] = below
      nodes = nodes + 1
    end
    node = below
  end
  if count > 32 then
    for key in next, t do
      if type(key) ~= "string" then return putMixed(t, false, depth, n) end
    end
    return putFields(t, leafOf(t), depth, n)
  end
  local leaf = node[LEAF]
  if not leaf then
    leaf = leafOf(t)
    node[LEAF] = leaf
  end
  return putFields(t, leaf, depth, n)
end

local function withoutMetatable(t)
  local copy = {}
  for key, item in next, t do copy[key] = item end
  return copy
end
-- Return the length of a table whose keys are exactly 1 to n, else nil.
local function lengthOf(t)
  local count, inOrder = 0, true
  for key in next, t do
    count = count + 1
    if key ~= count then inOrder = false end
  end
  if inOrder then return count end
  if rawlen(t) ~= count then return nil end
  for i = 1, count do
    if t[i] == nil then return nil end
  end
  return count
end
local function putTable(t, depth, n)
  if depth > NESTING then
    error(format("it is nested more than %d deep, or contains itself", NESTING), 0)
  end
  worked = worked + 1
  if worked > 2000 then look() end
  local mark = marks[t]
  if metatable(t) then t = withoutMetatable(t) end
  local first = next(t)
  if first == nil then
    out[n + 1] = (mark == ARRAY or (mark == nil and wasArray(depth))) and "[]" or "{}"
    return n + 1
  end
  if type(first) == "number" then
    local length = lengthOf(t)
    if length then return putArray(t, length, depth, n) end
    return putMixed(t, mark == ARRAY or (mark == nil and wasArray(depth)), depth, n)
  end
  return putObject(t, mark, depth, n)
end
put = function(item, depth, n)
  local kind = type(item)
  if kind == "table" then return putTable(item, depth + 1, n) end
  n = n + 1
  if kind == "string" then
    out[n] = '"' .. (plain[item] and item or body(item)) .. '"'
  elseif kind == "number" then
    out[n] = mathtype(item) == "integer" and item or spell(item)
  elseif kind == "boolean" then
    out[n] = item and "true" or "false"
  elseif kind == "nil" then
    out[n] = "null"
  else
    refuse(kind, depth)
  end
  return n
end

-- Return JSON text, and whether it holds null for numbers that JSON has not.
-- `source` makes the value as it came in, for the places that were arrays then.
local function write(item, source)
  out, path, original, shadow, oddNumbers = {}, {}, source, nil, false
  local n = put(item, 0, 0)
  local written = concat(out, "", 1, n)
  out, original, shadow = {}, nil, nil
  return written, oddNumbers
end

local function begin()
  marks = {}
  if nodes > 4096 then trie, nodes = {}, 0 end
  if plains >= 4096 then plain, plains = {}, 0 end
  if spellings >= 4096 then spelled, spellings = {}, 0 end
  if ranks > 65536 then rank, names, ranks, trie, nodes = {}, {}, 0, {}, 0 end
end

return {
  begin = begin, compile = compile, reader = reader, learn = learn,
  write = write, markArray = markArray, quoted = quoted, TOO_LARGE = TOO_LARGE,
}
