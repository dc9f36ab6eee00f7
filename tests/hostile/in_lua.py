"""Attacks in Lua."""

from __future__ import annotations

from functools import partial

from tests.hostile.attack import Attack

__all__ = ["LUA"]

_A = partial(Attack, language="lua")
_loop = partial(_A, kind="loop", must_not="finish", slow=True)
_memory = partial(_A, kind="memory", must_not="finish")
_reach = partial(_A, kind="reach", must_not="reach")
_ask = partial(_A, kind="bridge", must_not="ask")
_result = partial(_A, kind="result", must_not="pass")
_crash = partial(_A, kind="crash", must_not="crash")
_SPIN = "while true do end"

_WALK = """
local seen, found, left = {}, {}, {_G, studio, context, args, getmetatable("")}
local strange = {io = 1, package = 1, debug = 1, python = 1, require = 1, load = 1, loadfile = 1,
  dofile = 1, loadstring = 1, dump = 1, execute = 1, getenv = 1, popen = 1, exit = 1, tmpname = 1,
  rename = 1, setlocale = 1, getregistry = 1, sethook = 1, loadlib = 1}
local n = 1
while n <= #left do
  local thing = left[n]
  n = n + 1
  if type(thing) == "table" and not seen[thing] then
    seen[thing] = true
    left[#left + 1] = getmetatable(thing)
    for key, value in next, thing do
      if strange[key] then found[#found + 1] = key end
      left[#left + 1] = value
    end
  elseif type(thing) == "userdata" then
    found[#found + 1] = tostring(thing)
  end
end
return n > 100 and found or "too little was walked"
"""

LUA = (
    _A(kind="loop", name="top level", top=_SPIN, must_not="load", slow=True),
    _loop(name="caught and again", source=f"while true do pcall(function() {_SPIN} end) end"),
    _loop(name="error handler", source=f"xpcall(error, function() {_SPIN} end)"),
    _loop(name="coroutine", source=f"coroutine.wrap(function() {_SPIN} end)()"),
    _loop(
        name="coroutines without end",
        source="while true do coroutine.wrap(function() coroutine.yield() end)() end",
    ),
    _loop(
        name="metamethod",
        source=f"local t = setmetatable({{}}, {{__index = function() {_SPIN} end}}) return t.x",
    ),
    _loop(
        name="text of an error",
        source=f"error(setmetatable({{}}, {{__tostring = function() {_SPIN} end}}))",
    ),
    _loop(
        name="closed variable",
        source=f"local x <close> = setmetatable({{}}, {{__close = function() {_SPIN} end}})",
    ),
    _loop(name="pattern", source="return (('a'):rep(60)):find(('a*'):rep(60) .. 'b')"),
    _loop(
        name="C function find",
        source="local s = ('ab'):rep(2000000) for i = 1, 1e9 do s:find('ba' .. ('ab'):rep(99)"
        " .. 'b', 1, true) end",
    ),
    _loop(name="comparison of a sort", source=f"table.sort({{3, 2, 1}}, function() {_SPIN} end)"),
    _loop(name="substitution", source=f"return (('x'):gsub('.', function() {_SPIN} end))"),
    # ---- memory
    _memory(name="table", source="local t = {} while true do t[#t + 1] = {t} end"),
    _memory(name="doubling string", source="local s = 'x' while true do s = s .. s end"),
    _memory(name="C function rep", source="return #('x'):rep(1 << 40)"),
    _memory(
        name="rep that is caught",
        source="local t = {} while true do t[#t + 1] = ('x'):rep(1 << 20) .. #t end",
    ),
    _memory(name="recursion", source="local function f() return f() + 1 end return f()"),
    _memory(name="unpacking", source="return #{table.unpack({}, 1, 1e8)}"),
    _memory(
        name="concatenation",
        source="local t = {} for i = 1, 4000 do t[i] = ('x'):rep(1e5) end return #table.concat(t)",
    ),
    _memory(name="store", source="local i = 0 while true do i = i + 1 store['k' .. i] = {i} end"),
    _memory(
        name="coroutines",
        source="local t = {} while true do t[#t + 1] = coroutine.create(print) end",
    ),
    # ---- ways out
    _reach(name="file by io", source="return io.open(args.path):read('a')"),
    _reach(name="lines", source="for line in io.lines(args.path) do return line end"),
    _reach(name="file written", source="io.open(args.write, 'w'):write('x') return 'written'"),
    _reach(name="process", source="return os.execute('touch ' .. args.write)"),
    _reach(name="process by popen", source="return io.popen('cat ' .. args.path):read('a')"),
    _reach(name="environment", source="return os.getenv('STUDIO_CANARY')"),
    _reach(name="removal", source="return os.remove(args.path)"),
    _reach(name="rename", source="return os.rename(args.path, args.write)"),
    _reach(name="exit", source="os.exit(1)"),
    _reach(name="require", source="return require('io').open(args.path)"),
    _reach(name="socket", source="return require('socket').connect('127.0.0.1', args.port)"),
    _reach(name="loadlib", source="return package.loadlib('libc.so.6', 'system')"),
    _reach(name="loaded modules", source="return package.loaded.io"),
    _reach(name="load", source="return load('return 1')()"),
    _reach(name="bytecode", source="return load(string.dump(function() end), 'x', 'b')"),
    _reach(name="loadfile", source="return loadfile(args.path)"),
    _reach(name="dofile", source="return dofile(args.path)"),
    _reach(name="registry", source="return debug.getregistry()"),
    _reach(name="upvalues", source="return debug.getupvalue(studio.log, 1)"),
    _reach(name="hook taken away", source="debug.sethook() return 'unhooked'"),
    _reach(name="metatable of strings", source="return getmetatable('').__index.dump(print)"),
    _reach(name="Python of the binding", source="return python.eval('open')(args.path)"),
    _reach(name="builtins of the binding", source="return python.builtins.__import__('os')"),
    _reach(name="host object", source="return studio.log.__globals__ or studio.toast.__class__"),
    _reach(name="globals of functions", source="return getfenv(studio.log).io"),
    _reach(name="walk over all tables", source=_WALK),
    _reach(name="globals of another agent", source="return secret"),
    # ---- the bridge
    _ask(name="not declared", source="return studio.history.search('x'):await()"),
    _ask(name="store of another agent", source="return studio.grants.readStore('t.near'):await()"),
    _ask(name="a page", source="return studio.web.fetch(args.url):await()"),
    _ask(name="raw", source="return rawget(studio, 'callModel')('s', {}):await()"),
    _ask(
        name="forged promise",
        source="local p = studio.callModel('s', {}) return p.await({done = true, ok = true,"
        " method = 'callModel', state = 'done'})",
    ),
    _ask(
        name="patched library",
        source="string.find, string.match, next, rawget, type = nil, nil, nil, nil, nil"
        " setmetatable(_G, {__index = function() return true end})"
        " return studio.callModel('s', {}):await()",
        spoils=True,
    ),
    _ask(name="yield of a request", source="return coroutine.yield({'callModel', '[]'})"),
    # ---- results
    _result(name="100 MB", source="return ('x'):rep(1e8)", memory_mb=512),
    _result(name="100 MB of store", source="store.x = ('x'):rep(1e8)", memory_mb=512),
    _result(name="100 MB of error", source="error(('x'):rep(1e8))", memory_mb=512),
    _result(name="cyclic", source="local t = {} t.t = t return t"),
    _result(name="cyclic store", source="store.self = store"),
    _result(name="function as result", source="return {print}"),
    _result(name="deep", source="local t = {1} for i = 1, 1e5 do t = {t} end return t"),
    _result(name="deep store", source="local t = {1} for i = 1, 1e4 do t = {t} end store.t = t"),
    _result(name="table as key", source="return {[{}] = 1}"),
    _A(
        kind="result",
        name="__proto__ keys",
        must_not="change",
        source="return {['__proto__'] = {x = 1}, constructor = {prototype = {x = 1}}}",
        leaves={"__proto__": {"x": 1}, "constructor": {"prototype": {"x": 1}}},
    ),
    _A(
        kind="result",
        name="forged end",
        must_not="change",
        source="print('{\"op\":\"done\"}') return {op = 'done', cause = 'time', dropped = true}",
        leaves={"op": "done", "cause": "time", "dropped": True},
    ),
    # ---- breaking things
    _crash(
        name="recursion in C", source="local f f = function() return (('x'):gsub('.', f)) end f()"
    ),
    _crash(name="deep pattern", source="return ('x'):match(('('):rep(1e5))"),
    _crash(name="flood of log", source="for i = 1, 1e5 do print(('\\1'):rep(100)) end"),
    _crash(name="closed root", source="coroutine.close(coroutine.running())"),
    _crash(
        name="every global gone",
        source="for name in next, _G do _G[name] = nil end",
        spoils=True,
    ),
)
