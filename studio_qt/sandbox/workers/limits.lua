-- The time limit of Lua agents. A hook in every coroutine raises an error; where one would be caught,
-- the activity is left by yielding instead, because catching errors deep in nested calls is slow.
local clock = ...

local error = error
local cocreate, coyield, coyieldable = coroutine.create, coroutine.yield, coroutine.isyieldable
local sethook = debug.sethook

local MESSAGE = "time limit"
local INSTRUCTIONS = 2000 -- each can be slow: an allocation near the limit of memory

local limits = {
  deadline = 0, -- set by the worker before each turn
  expired = false, -- for good: a state over its limit is thrown away
  token = {}, -- what goes out to the worker's side through all coroutines
}

local hook
local function expire()
  limits.expired = true
  sethook(hook, "", 1) -- what agents do while the error passes ends at once
  error(MESSAGE, 0)
end
function hook()
  if limits.expired or clock() > limits.deadline then expire() end
end

-- Raise the error when the limit has passed.
limits.check = hook

function limits.watch() sethook(hook, "", INSTRUCTIONS) end
function limits.unwatch() sethook() end

-- Make a coroutine that is watched.
function limits.create(f)
  local co = cocreate(f)
  sethook(co, hook, "", INSTRUCTIONS)
  return co
end

-- Pass on what a protected call has returned, unless it caught what nothing may catch. Deep in
-- nested calls no hook can run, so the clock is looked at here as well.
function limits.pass(ok, ...)
  if not ok and (limits.expired or clock() > limits.deadline) then
    limits.expired = true
    if coyieldable() then coyield(limits.token) end
    error(MESSAGE, 0)
  end
  return ok, ...
end

return limits
