-- What Lua agents see of the language: the portable subset. They never get at a real library table;
-- string methods, coroutines and protected calls go through versions that neither leak addresses nor
-- swallow the time limit. `log` takes a line, `isRoot` tells the coroutine that counts as the main one.
local limits, log, isRoot = ...

local assert, error, next, rawequal, rawget = assert, error, next, rawequal, rawget
local realPcall, realXpcall, realTostring = pcall, xpcall, tostring
local realGetmetatable, realSetmetatable = getmetatable, setmetatable
local select, type = select, type
local concat, pack, unpack = table.concat, table.pack, table.unpack
local find, format, gmatch = string.find, string.format, string.gmatch
local random, randomseed = math.random, math.randomseed
local coresume, costatus, coyield = coroutine.resume, coroutine.status, coroutine.yield
local corunning, coclose, coyieldable = coroutine.running, coroutine.close, coroutine.isyieldable
local rawMetatable = debug.getmetatable
local collect = collectgarbage
local create, pass, TOKEN = limits.create, limits.pass, limits.token

-- ---- texts: numbers stand for addresses
local numbers, nextNumber = realSetmetatable({}, { __mode = "k" }), 0
local function numbered(value, name)
  local number = numbers[value]
  if not number then
    nextNumber = nextNumber + 1
    number = nextNumber
    numbers[value] = number
  end
  return name .. format(": 0x%08x", number)
end
local function text(value)
  local kind = type(value)
  if kind == "string" then return value end -- agents may have given strings a __tostring
  if kind == "number" or kind == "boolean" or kind == "nil" then return realTostring(value) end
  local meta = rawMetatable(value)
  if meta and rawget(meta, "__tostring") ~= nil then return realTostring(value) end
  local name = meta and rawget(meta, "__name")
  return numbered(value, type(name) == "string" and name or kind)
end
-- ---- coroutines: what goes out to the worker's side is passed on by each
local function relay(co, ok, ...)
  if ok and rawequal((...), TOKEN) then
    coyield(...)
    return relay(co, coresume(co))
  end
  return pass(ok, ...)
end
local function resume(co, ...)
  return relay(co, coresume(co, ...))
end
local function unwrap(co, ok, ...)
  if ok then return ... end
  if costatus(co) == "dead" then pass(coclose(co)) end
  error((...), 0)
end

-- ---- the table of globals
local function copy(from, without)
  local to = {}
  for name, value in next, from do
    if name ~= without then to[name] = value end
  end
  return to
end

local function formatted(pattern, ...)
  if type(pattern) ~= "string" or not find(pattern, "%%[^%a%%]*[sp]") then
    return format(pattern, ...)
  end
  local given, at = pack(...), 0
  for flags, letter in gmatch(pattern, "%%([^%a%%]*)([%a%%]?)") do
    if letter ~= "%" then
      at = at + 1
      local kind = type(given[at])
      if letter == "p" then error("string.format does not support '%p' here", 2) end
      if letter == "s" and kind ~= "string" and kind ~= "number" and at <= given.n then
        given[at] = text(given[at])
      end
    end
  end
  return format(pattern, unpack(given, 1, given.n))
end

local env = {
  assert = assert, error = error, ipairs = ipairs, next = next, pairs = pairs,
  rawequal = rawequal, rawget = rawget, rawlen = rawlen, rawset = rawset,
  select = select, tonumber = tonumber, tostring = text, type = type,
  getmetatable = realGetmetatable, _VERSION = _VERSION,
  math = copy(math), string = copy(string, "dump"), table = copy(table), utf8 = copy(utf8),
  os = { time = os.time, date = os.date, clock = os.clock, difftime = os.difftime },
  coroutine = { create = create, resume = resume, status = costatus },
}
env._G = env
env.string.format = formatted
realGetmetatable("").__index = env.string
function env.pcall(f, ...) return pass(realPcall(f, ...)) end
function env.xpcall(f, handler, ...)
  local function handle(problem)
    if limits.expired then return problem end
    return handler(problem)
  end
  return pass(realXpcall(f, handle, ...))
end
function env.setmetatable(value, meta)
  if type(meta) == "table" and rawget(meta, "__gc") ~= nil then
    error("agents cannot have finalizers (__gc)", 2)
  end
  return realSetmetatable(value, meta)
end
function env.print(...)
  local pieces = {}
  for i = 1, select("#", ...) do pieces[i] = text((select(i, ...))) end
  log(concat(pieces, "\t"))
end
function env.collectgarbage(option)
  if option == "count" then return collect("count") end
  error('only collectgarbage("count") is available to agents', 2)
end
function env.math.randomseed(...)
  if select("#", ...) > 0 then return randomseed(...) end
  local a, b = random(0), random(0)
  randomseed(a, b)
  return a, b
end
function env.coroutine.running()
  local co = corunning()
  return co, isRoot(co)
end
function env.coroutine.isyieldable() return not isRoot(corunning()) and coyieldable() end
function env.coroutine.yield(...)
  if isRoot(corunning()) then error("attempt to yield from outside a coroutine", 2) end
  return coyield(...)
end
function env.coroutine.wrap(f)
  local co = create(f)
  return function(...) return unwrap(co, resume(co, ...)) end
end
function env.coroutine.close(co)
  if limits.expired then limits.check() end
  return pass(coclose(co))
end
return env
