-- The guest's half of the channel for Lua agents: the studio object, and one activity at a time. What
-- this returns is called by the worker alone. Everything that is needed later is saved in locals, and
-- the real globals are emptied, before agent code runs.
-- Strings are joined here, never formatted: "%s" calls what an agent put into their metatable.
local config, codec, limits, environment, seedA, seedB = ...

local assert, error, next, rawequal, rawget = assert, error, next, rawequal, rawget
local realPcall, realXpcall, setmetatable = pcall, xpcall, setmetatable
local load, tonumber, type = load, tonumber, type
local concat, sort, unpack = table.concat, table.sort, table.unpack
local find, format, gmatch = string.find, string.format, string.gmatch
local gsub, match, sub = string.gsub, string.match, string.sub
local cocreate, coresume, coyield = coroutine.create, coroutine.resume, coroutine.yield
local getinfo, rawMetatable = debug.getinfo, debug.getmetatable

local OUT_OF_MEMORY = "not enough memory" -- what the engine itself says
local LINE_CAP, LOG_BYTES, MESSAGE_CAP = 2000, 120000, 4000
local WRITTEN_CAP = 600000 -- of a result, which may consist of characters that need six bytes
local EXPORTS, NAME_CAP = 2000, 200
local COMPARED = 1 << 20 -- larger stores are not made a second time to find that nothing changed
local TOKEN = limits.token
local chunk = "=" .. config.file
config.check = limits.check -- for the codec, which runs without hooks

-- ---- texts
local text -- as agents are shown values
local function safeText(value)
  local ok, said = realPcall(text, value)
  if ok then return said end
  if limits.expired or said == OUT_OF_MEMORY then error(said, 0) end
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
  line = gsub(line, "[\0-\8\11-\31]", "\u{FFFD}") -- each would take six bytes in a message
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
local records = setmetatable({}, { __mode = "k" })
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
  local promise = setmetatable({}, promiseMeta)
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
      if limits.expired or written == OUT_OF_MEMORY then error(written, 0) end
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
local env = environment(limits, log, function(co) return co == root end)
text = env.tostring
local builtins = {}
for name, value in next, env do builtins[name] = value end

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
  if limits.expired or problem == OUT_OF_MEMORY then error(problem, 0) end
  return "failed", describe(problem)
end
local function plainFailure(problem)
  failedAt = nil
  return fail(problem)
end
local function refuse(what, problem)
  if limits.expired or problem == OUT_OF_MEMORY then error(problem, 0) end
  return plainFailure(what .. problem)
end
local function unchanged(written)
  if written == heldIn or written == same then return true end
  if same or #written > COMPARED then return false end
  same = codec.write(makers.store())
  return written == same
end
local function finish(value, store)
  limits.unwatch()
  local huge = type(value) == "string" and #value > config.resultCap -- writing it would take long
  local ok, written = realPcall(codec.write, huge and "" or value)
  if not ok then return refuse("the returned value is not JSON: ", written) end
  if huge or (type(value) ~= "string" and #written > config.resultCap) then
    return plainFailure(
      format("the returned value is larger than %d KB", config.resultCap // 1024))
  end
  if #written > WRITTEN_CAP then
    return plainFailure("the returned value is too large as JSON")
  end
  local saved, new, odd = realPcall(codec.write, store, makers.store)
  local large = saved and #new > config.storeCap or new == codec.TOO_LARGE
  if large then return plainFailure("the store is larger than 16 MB and was not saved") end
  if not saved then return refuse("the store cannot be saved as JSON: ", new) end
  if new == "[]" then new = "{}" end
  if sub(new, 1, 1) ~= "{" then
    return plainFailure("the store cannot be saved: it must be an object, with names as keys")
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
  limits.watch()
  local ok, value = realXpcall(handler, locate, unpack(given, 1, arguments + 3))
  limits.check()
  if not ok then return fail(value) end
  return finish(value, store)
end
local function runChunk(source)
  local f, problem = load(source, chunk, "t", env)
  if not f then return plainFailure(problem) end
  limits.watch()
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
  if limits.expired then return report("time") end
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

math.randomseed(seedA, seedB)
local loaded, globals = package.loaded, _G
for _, t in next, { loaded, globals } do
  for name in next, t do t[name] = nil end -- fields may be removed while one goes through them
end

return function(operation, deadline, ...)
  limits.deadline = deadline
  return operations[operation](...)
end
