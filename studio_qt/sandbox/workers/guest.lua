-- The guest's half of the channel for Lua agents: the environment that they see, the studio object,
-- and one activity at a time. What this returns is called by the worker alone. Everything that is
-- needed later is saved in locals, and the real globals are emptied, before agent code runs.
-- Strings are joined here, never formatted: "%s" calls what an agent put into their metatable.
-- An agent never gets at a real library table: string methods, coroutines and protected calls go
-- through versions that neither leak addresses nor swallow the time limit.
local config, codec, clock, seedA, seedB = ...

local assert, error, next, rawequal, rawget = assert, error, next, rawequal, rawget
local realPcall, realXpcall, realTostring = pcall, xpcall, tostring
local realGetmetatable, realSetmetatable = getmetatable, setmetatable
local load, select, tonumber, type = load, select, tonumber, type
local concat, pack, sort, unpack = table.concat, table.pack, table.sort, table.unpack
local find, format, gmatch = string.find, string.format, string.gmatch
local gsub, match, sub = string.gsub, string.match, string.sub
local random, randomseed = math.random, math.randomseed
local cocreate, coresume, costatus = coroutine.create, coroutine.resume, coroutine.status
local coyield, corunning, coclose = coroutine.yield, coroutine.running, coroutine.close
local coyieldable = coroutine.isyieldable
local sethook, getinfo = debug.sethook, debug.getinfo
local rawMetatable = debug.getmetatable
local collect = collectgarbage
local osTime, osDate, osClock, osDifftime = os.time, os.date, os.clock, os.difftime

local OUT_OF_MEMORY = "not enough memory" -- what the engine itself says
local LIMIT = "time limit"
local HOOK_INSTRUCTIONS = 2000 -- each can be slow: an allocation near the limit of memory
local LINE_CAP, LOG_BYTES, MESSAGE_CAP = 2000, 120000, 4000
local WRITTEN_CAP = 600000 -- of a result, which may consist of characters that need six bytes
local EXPORTS, NAME_CAP = 2000, 200
local COMPARED = 1 << 20 -- larger stores are not made a second time to find that nothing changed
local chunk = "=" .. config.file

-- ---- the time limit: a hook in every coroutine raises an error, and where one would be caught,
-- the activity is left by yielding, because catching errors deep in nested calls is slow
local TOKEN = {} -- what goes out to the worker's side through all coroutines
local deadline, expired = 0, false
local hook
function hook()
  if expired or clock() > deadline then
    expired = true
    sethook(hook, "", 1) -- what agents do while the error passes ends at once
    error(LIMIT, 0)
  end
end
local function leave()
  expired = true
  if coyieldable() then coyield(TOKEN) end
  error(LIMIT, 0)
end
-- Deep in nested calls no hook can run, so the clock is looked at here as well.
local function unlessExpired(ok, ...)
  if not ok and (expired or clock() > deadline) then leave() end
  return ok, ...
end
config.check = hook -- for the codec, which runs without hooks
local function hooked(f)
  local co = cocreate(f)
  sethook(co, hook, "", HOOK_INSTRUCTIONS)
  return co
end

-- ---- texts
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
local function safeText(value)
  local ok, said = realPcall(text, value)
  if ok then return said end
  if expired or said == OUT_OF_MEMORY then error(said, 0) end
  return "a value without a text"
end

-- Return the first bytes of a text without part of a character at the end.
local function cut(s, length)
  if not find(sub(s, length + 1, length + 1), "[\128-\191]") then return sub(s, 1, length) end
  return (gsub(sub(s, 1, length), "[\192-\255][\128-\191]*$", ""))
end

-- ---- log lines and requests, which wait for the worker to fetch them
local lines, lineBytes, linesLost = {}, 0, false
local function log(line)
  if #lines >= config.logLines or lineBytes > LOG_BYTES then
    if not linesLost then lines[#lines + 1] = "(more lines were dropped)" end
    linesLost = true
    return
  end
  if #line > LINE_CAP then line = cut(line, LINE_CAP) .. "…" end
  line = gsub(line, "[%z\1-\8\11-\31]", "\u{FFFD}") -- each would take six bytes in a message
  lineBytes = lineBytes + #line + 1
  lines[#lines + 1] = line
end

local outbox, nextRequest, requests, said, open = {}, 1, 0, 0, 0
local waiting, activity = {}, 0
local function post(id, method, payload)
  local asked = '{"id":' .. id .. ',"method":"' .. method .. '","payload":'
  outbox[#outbox + 1] = asked .. codec.quoted(payload) .. "}"
end

-- ---- promises: a record for each, which agents cannot reach
local records = realSetmetatable({}, { __mode = "k" })
local function await(promise)
  local record = records[promise]
  if not record then
    error("await belongs to what studio returns: write studio.x(...):await()", 2)
  end
  while not record.done do
    if record.activity ~= activity then error("the call that asked this has ended", 0) end
    coyield(TOKEN, record)
  end
  if record.ok then return record.value end
  error(record.value, 0)
end
local promiseMeta = { __index = { await = await }, __name = "promise", __metatable = false }
local function promised(record)
  local promise = realSetmetatable({}, promiseMeta)
  records[promise] = record
  return promise
end
local function refused(reason) return promised({ done = true, ok = false, value = reason }) end

local function request(method, arity, ...)
  local needed = config.methods[method]
  if needed and not config.namespaces[needed] then
    local line = '"@api ' .. needed .. '"'
    return refused("studio." .. method .. " needs the line " .. line .. " in the agent's manifest")
  end
  requests = requests + 1
  if requests > config.requestCap then return refused("too many bridge calls in one call") end
  local given, payloads = { ... }, {}
  for i = 1, arity do
    if method == "callModel" and i == 2 and type(given[i]) == "table" then
      codec.markArray(given[i])
    end
    local ok, written = realPcall(codec.write, given[i])
    if not ok then
      if expired or written == OUT_OF_MEMORY then error(written, 0) end
      return refused("the arguments of studio." .. method .. " are not JSON: " .. written)
    end
    payloads[i] = written
  end
  local payload = "[" .. concat(payloads, ",") .. "]"
  if #payload > config.argumentCap then
    return refused("the arguments of studio." .. method .. " are too large")
  end
  local record = { done = false, activity = activity }
  waiting[nextRequest] = record
  post(nextRequest, method, payload)
  nextRequest = nextRequest + 1
  open = open + 1
  return promised(record)
end
local function tell(method, message)
  said = said + 1
  if said > config.logLines then
    if said == config.logLines + 1 then
      log("(more calls of studio." .. method .. " were dropped)")
    end
  else
    post(0, method, "[" .. codec.quoted(cut(text(message), 64000)) .. "]")
  end
  return promised({ done = true, ok = true })
end
local function newStudio()
  local studio = {}
  for method, arity in next, config.arities do
    local space, name = match(method, "^(%a+)%.(%a+)$")
    local home = studio
    if space then
      studio[space] = studio[space] or {}
      home = studio[space]
    end
    if arity == 0 then
      home[method] = function(message) return tell(method, message) end
    else
      home[name or method] = function(...) return request(method, arity, ...) end
    end
  end
  return studio
end

-- ---- the environment of the agent
local root -- the coroutine of the activity

local function relay(co, ok, ...)
  if ok and rawequal((...), TOKEN) then
    coyield(...)
    return relay(co, coresume(co))
  end
  return unlessExpired(ok, ...)
end
local function resume(co, ...)
  return relay(co, coresume(co, ...))
end
local function unwrap(co, ok, ...)
  if ok then return ... end
  if costatus(co) == "dead" then unlessExpired(coclose(co)) end
  error((...), 0)
end

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
  os = { time = osTime, date = osDate, clock = osClock, difftime = osDifftime },
  coroutine = { create = hooked, resume = resume, status = costatus },
}
env._G = env
env.string.format = formatted
realGetmetatable("").__index = env.string
function env.pcall(f, ...) return unlessExpired(realPcall(f, ...)) end
function env.xpcall(f, handler, ...)
  local function handle(problem)
    if expired then return problem end
    return handler(problem)
  end
  return unlessExpired(realXpcall(f, handle, ...))
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
  return co, co == root
end
function env.coroutine.isyieldable() return corunning() ~= root and coyieldable() end
function env.coroutine.yield(...)
  if corunning() == root then error("attempt to yield from outside a coroutine", 2) end
  return coyield(...)
end
function env.coroutine.wrap(f)
  local co = hooked(f)
  return function(...) return unwrap(co, resume(co, ...)) end
end
function env.coroutine.close(co)
  if expired then error(LIMIT, 0) end
  return unlessExpired(coclose(co))
end
local builtins = copy(env)

-- ---- errors: the place is found when they are raised, the text is read afterwards
local failedAt
local function locate(problem)
  failedAt = nil
  for level = 2, 40 do
    local info = getinfo(level, "Sl")
    if not info then break end
    if info.source == chunk then
      failedAt = info.currentline
      break
    end
  end
  return problem
end
local shown = getinfo(assert(load("return 1", chunk, "t")), "S").short_src
local function describe(problem)
  local line, message = failedAt, nil
  if type(problem) == "table" and not rawMetatable(problem) then
    local field = rawget(problem, "message")
    message = type(field) == "string" and field or "an error object without a message"
  elseif problem == nil then
    message = "an error without a message"
  else
    message = safeText(problem)
  end
  if sub(message, 1, #shown + 1) == shown .. ":" then
    local number, rest = match(message, "^(%d+): (.*)$", #shown + 2)
    if number then line, message = tonumber(number), rest end
  end
  return cut(message, MESSAGE_CAP), line
end

-- ---- one activity at a time; all of it runs in the root coroutine, inside the limits
local heldIn, same -- the text of the store as it came, and as it is written when unchanged
local makers = {}
local function fail(problem)
  if expired or problem == OUT_OF_MEMORY then error(problem, 0) end
  return "failed", describe(problem)
end
local function plainFailure(problem)
  failedAt = nil
  return fail(problem)
end
local function refuse(what, problem)
  if expired or problem == OUT_OF_MEMORY then error(problem, 0) end
  return plainFailure(what .. problem)
end
local function unchanged(written)
  if written == heldIn or written == same then return true end
  if same or #written > COMPARED then return false end
  same = codec.write(makers.store())
  return written == same
end
local function finish(value, store)
  sethook()
  local ok, written = realPcall(codec.write, value)
  if not ok then return refuse("the returned value is not JSON: ", written) end
  if #(type(value) == "string" and value or written) > config.resultCap then
    return plainFailure(
      format("the returned value is larger than %d KB", config.resultCap // 1024))
  end
  if #written > WRITTEN_CAP then
    return plainFailure("the returned value is too large as JSON")
  end
  local saved, new, odd = realPcall(codec.write, store, makers.store)
  if not saved then return refuse("the store cannot be saved as JSON: ", new) end
  if new == "[]" then new = "{}" end
  if sub(new, 1, 1) ~= "{" then
    return plainFailure("the store cannot be saved: it must be an object, with names as keys")
  end
  if #new > config.storeCap then
    return plainFailure("the store is larger than 16 MB and was not saved")
  end
  if odd then
    log("The store held NaN or Infinity; JSON has no such numbers, null was saved instead.")
  end
  if unchanged(new) then return "finished", written, false end
  return "finished", written, new
end
local function runHandler(name, arguments)
  local handler = rawget(env, name)
  if type(handler) ~= "function" then
    return plainFailure('there is no global function named "' .. name .. '"')
  end
  local head = makers.head()
  local store = makers.store()
  local given = head.arguments
  given[arguments + 1], given[arguments + 2], given[arguments + 3] = store, newStudio(), head.context
  sethook(hook, "", HOOK_INSTRUCTIONS)
  local ok, value = realXpcall(handler, locate, unpack(given, 1, arguments + 3))
  if expired then error(LIMIT, 0) end
  if not ok then return fail(value) end
  return finish(value, store)
end
local function runChunk(source)
  local f, problem = load(source, chunk, "t", env)
  if not f then return plainFailure(problem) end
  sethook(hook, "", HOOK_INSTRUCTIONS)
  local ok, value = realXpcall(f, locate)
  if not ok then return fail(value) end
  return "finished"
end

local awaited
local function report(state, a, b)
  local asked = "[" .. concat(outbox, ",") .. "]"
  outbox = {}
  if state == "open" then return state, nil, nil, open, asked, "[]" end
  local told = lines
  lines, lineBytes, linesLost, root = {}, 0, false, nil
  for i = 1, #told do told[i] = codec.quoted(told[i]) end
  return state, a, b, open, asked, "[" .. concat(told, ",") .. "]"
end
local function advance(...)
  local ok, first, a, b = coresume(root, ...)
  if expired then return report("time") end
  if not ok then
    if first == OUT_OF_MEMORY then return report("memory") end
    failedAt = nil
    return report("failed", type(first) == "string" and first or "an error", nil)
  end
  if rawequal(first, TOKEN) then
    awaited = a
    return report("open")
  end
  return report(first, a, b)
end
local function start(f, ...)
  activity, waiting, outbox = activity + 1, {}, {}
  open, requests, said, failedAt = 0, 0, 0, nil
  codec.begin()
  root = cocreate(f)
  return advance(...)
end

local operations = {}
function operations.load(source) return start(runChunk, source) end
function operations.exports()
  local names = {}
  for name, value in next, env do
    if type(name) == "string" and type(value) == "function" and builtins[name] ~= value then
      if #name <= NAME_CAP and #names < EXPORTS then names[#names + 1] = codec.quoted(name) end
    end
  end
  sort(names)
  return "[" .. concat(names, ",") .. "]"
end
-- Take a value for the next turn; false when it must be given as JSON instead.
function operations.give(slot, constructor)
  makers[slot] = codec.compile(constructor)
  return makers[slot] ~= nil
end
function operations.giveJson(slot, json) makers[slot] = codec.reader(json) end
-- Take the text of the store that makers.store makes; `ours` tells that codec.write wrote it.
function operations.hold(json, ours)
  heldIn = json
  same = ours and json or nil
end
function operations.learn(names)
  for name in gmatch(names, "[^\n]+") do codec.learn(name) end
end
function operations.run(name, arguments) return start(runHandler, name, arguments) end
function operations.reply(id, ok)
  local record = waiting[id]
  if not record then return operations.look() end
  waiting[id] = nil
  open = open - 1
  record.done, record.ok, record.value = true, ok, makers.reply()
  if awaited ~= record then return operations.look() end
  return advance()
end
function operations.look() return "open", nil, nil, open, "[]", "[]" end
function operations.abandon()
  root, waiting, open = nil, {}, 0
  return report("stopped")
end

randomseed(seedA, seedB)
local loaded, globals = package.loaded, _G
for name in next, copy(loaded) do loaded[name] = nil end
for name in next, copy(globals) do globals[name] = nil end

return function(operation, until_, ...)
  deadline = until_
  return operations[operation](...)
end
