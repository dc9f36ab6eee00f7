"""Attacks in Python."""

from __future__ import annotations

from functools import partial

from tests.hostile.attack import Attack

__all__ = ["PYTHON"]

_A = partial(Attack, language="python")
_loop = partial(_A, kind="loop", must_not="finish", slow=True)
_memory = partial(_A, kind="memory", must_not="finish")
_reach = partial(_A, kind="reach", must_not="reach")
_ask = partial(_A, kind="bridge", must_not="ask")
_result = partial(_A, kind="result", must_not="pass")
_crash = partial(_A, kind="crash", must_not="crash")

_SUBCLASSES = """
for kind in object.__subclasses__():
    names = getattr(getattr(kind, "__init__", None), "__globals__", {})
    if "system" in names:
        return names["system"]("touch " + args["write"]) == 0 or names["popen"]("env").read()
import os
return os.system("touch " + args["write"]) == 0 or "nothing"
"""
_FRAMES = """
import sys
frame, found = sys._getframe(), []
while frame is not None:
    found += [name for name in frame.f_globals if name in ("wasmtime", "studio_qt", "channel")]
    frame = frame.f_back
return found
"""
_OBJECTS = """
import gc
found = [repr(type(thing)) for thing in gc.get_objects() if "studio_qt" in repr(type(thing))]
return found
"""
_DESCRIPTORS = """
import os
found = []
for number in range(3, 200):
    try:
        found.append(os.read(number, 10).decode())
    except OSError:
        pass
return found
"""
_TOKEN = "import __main__, os\n"

PYTHON = (
    _A(kind="loop", name="top level", top="while True: pass", must_not="load", slow=True),
    _loop(
        name="caught and again",
        source="while True:\n  try:\n    while True: pass\n  except BaseException: pass",
    ),
    _loop(name="coroutine", source="await studio.log('x')\nwhile True: pass"),
    _loop(
        name="tasks",
        source="import asyncio\nasync def f():\n  while True: await asyncio.sleep(0)\n"
        "await asyncio.gather(*(f() for _ in range(20)))",
    ),
    _loop(
        name="task that refuses to end",
        source="import asyncio\nwhile True:\n  try: await asyncio.sleep(60)\n"
        "  except BaseException: pass",
    ),
    _loop(
        name="dunder method",
        source="class C:\n  def __getattr__(self, n):\n    while True: pass\nreturn C().x",
    ),
    _loop(
        name="text of an error",
        source="class E(Exception):\n  def __str__(self):\n    while True: pass\nraise E",
    ),
    _loop(name="regular expression", source="import re; re.match('(a+)+$', 'a' * 40 + '!')"),
    _loop(name="C function pow", source="return 7 ** 20_000_000"),
    _loop(name="C function sum", source="import itertools; return sum(itertools.count())"),
    _loop(
        name="sort by evil keys",
        source="return sorted(range(10 ** 6), key=lambda n: [0] * 10 ** 5)",
    ),
    _loop(name="sleep", source="import time; time.sleep(60)"),
    # ---- memory
    _memory(name="list", source="x = []\nwhile True: x.append('x' * 10_000)"),
    _memory(name="text", source="return len('x' * (2 ** 31 - 1))"),
    _memory(name="bytes", source="return len(bytearray(10 ** 9))"),
    _memory(name="store", source="while True: store[len(store)] = [0] * 1000"),
    _memory(
        name="memory error that is caught",
        source="x = []\nwhile True:\n  try: x.append(bytearray(10 ** 6))\n"
        "  except MemoryError: x.append(x)",
    ),
    _memory(name="shift", source="return 1 << (1 << 33)"),
    _memory(name="format", source="return '%1000000000d' % 1"),
    _memory(name="recursion", source="def f(): return f() + 1\nreturn f()"),
    _memory(
        name="recursion without limit",
        source="import sys; sys.setrecursionlimit(10 ** 9)\ndef f(): return f() + 1\nreturn f()",
    ),
    # ---- ways out
    _reach(name="file", source="return open(args['path']).read()"),
    _reach(name="file by io", source="import io; return io.FileIO(args['path']).read().decode()"),
    _reach(
        name="file by os", source="import os; return os.read(os.open(args['path'], 0), 9).decode()"
    ),
    _reach(
        name="file by pathlib",
        source="from pathlib import Path; return Path(args['path']).read_text()",
    ),
    _reach(name="file written", source="open(args['write'], 'w').write('x'); return 'written'"),
    _reach(
        name="file by logging",
        source="import logging; logging.FileHandler(args['write']); return 'x'",
    ),
    _reach(name="database", source="import sqlite3; return str(sqlite3.connect(args['write']))"),
    _reach(name="folders", source="import os; return os.listdir('/')"),
    _reach(name="process files", source="return open('/proc/self/environ').read()"),
    _reach(name="link", source="import os; os.symlink(args['path'], 'x'); return open('x').read()"),
    _reach(name="removal", source="import os; os.remove(args['path']); return 'removed'"),
    _reach(name="descriptors", source=_DESCRIPTORS),
    _reach(name="environment", source="import os; return os.environ['STUDIO_CANARY']"),
    _reach(
        name="process", source="import subprocess; return subprocess.check_output(['env']).decode()"
    ),
    _reach(name="spawn", source="import os; return os.posix_spawn('/bin/sh', ['sh'], {})"),
    _reach(name="fork", source="import os; return os.fork() or 'child'"),
    _reach(
        name="process by asyncio",
        source="import asyncio; p = await asyncio.create_subprocess_exec('env'); return p.pid",
    ),
    _reach(name="pool", source="import multiprocessing as m; return m.Pool(1).apply(int)"),
    _reach(name="signal to the host", source="import os; os.kill(args['pid'], 9); return 'killed'"),
    _reach(name="thread", source="import _thread; return _thread.start_new_thread(print, ())"),
    _reach(
        name="socket",
        source="import socket; s = socket.create_connection(('127.0.0.1', args['port']), 1)\n"
        "return 'connected'",
    ),
    _reach(
        name="address",
        source="import urllib.request as u; return u.urlopen(args['url']).read().decode()",
    ),
    _reach(
        name="connection by asyncio",
        source="import asyncio; await asyncio.open_connection('127.0.0.1', args['port'])\n"
        "return 'connected'",
    ),
    _reach(name="server", source="import socket; return str(socket.create_server(('', 0)))"),
    _reach(name="library in C", source="import ctypes; return str(ctypes.CDLL(None).getpid())"),
    _reach(name="memory map", source="import mmap; return len(mmap.mmap(-1, 4096))"),
    _reach(
        name="module of the host",
        source="import sys, importlib; sys.path += ['/', args['path']]\n"
        "return importlib.import_module('studio_qt').__file__",
    ),
    _reach(name="subclasses", source=_SUBCLASSES),
    _reach(name="frames", source=_FRAMES),
    _reach(name="all objects", source=_OBJECTS),
    _reach(
        name="globals of another agent",
        source="import builtins as b; return getattr(b, 'secret', None) or globals().get('secret')",
    ),
    _reach(name="keyboard", source="return input()"),
    # ---- the bridge
    _ask(name="not declared", source="return await studio.history.search('x')"),
    _ask(name="store of another agent", source="return await studio.grants.readStore('t.near')"),
    _ask(
        name="gate opened inside",
        source="import __main__ as m\nm.NEEDS = dict.fromkeys(m.NEEDS)\n"
        "m.namespaces = frozenset(f'studio.{n}' for n in ('history', 'model', 'grants', 'web'))\n"
        "return await studio.history.search('x')",
    ),
    _ask(
        name="request written by hand",
        source=_TOKEN + "os.write(1, __main__.TOKEN + b'q1 callModel [\"s\",[]]')",
    ),
    _ask(
        name="request for a page by hand",
        source=_TOKEN + "os.write(1, __main__.TOKEN + b'q7 web.fetch [\"' +"
        " args['url'].encode() + b'\"]')",
    ),
    _ask(
        name="method that is none",
        source=_TOKEN + "os.write(1, __main__.TOKEN + b'q1 os.system [\"touch x\"]')",
    ),
    _A(
        kind="bridge",
        name="forged end",
        must_not="pass",
        source=_TOKEN + "os.write(1, __main__.TOKEN + b'd1\\n{]'); return 1",
    ),
    _A(
        kind="bridge",
        name="two ends",
        must_not="crash",
        source=_TOKEN + "os.write(1, __main__.TOKEN + b'd1\\n'); return 2",
    ),
    _A(
        kind="bridge",
        name="end with a deep store",
        must_not="pass",
        source=_TOKEN + "os.write(1, __main__.TOKEN + b'd1\\n{\"a\":' + b'[' * 10 ** 5 + b'}')",
    ),
    _A(
        kind="bridge",
        name="frame of the channel",
        must_not="change",
        leaves="told",
        source="import os; os.write(1, bytes(8) + b'{\"op\":\"done\"}'); return 'told'",
    ),
    # ---- results
    _result(name="100 MB", source="return 'x' * 10 ** 8", memory_mb=512),
    _result(name="100 MB of store", source="store['x'] = 'x' * 10 ** 8", memory_mb=512),
    _result(name="100 MB of error", source="raise ValueError('x' * 10 ** 8)", memory_mb=512),
    _result(name="cyclic", source="x = []; x.append(x); return x"),
    _result(name="cyclic store", source="store['self'] = store"),
    _result(name="set", source="return {1, 2}"),
    _result(name="deep", source="x = 1\nfor _ in range(10 ** 5): x = [x]\nreturn x"),
    _result(
        name="list that lies",
        source="class L(list):\n  def __iter__(self): raise SystemExit\nreturn L([1]) + [{1}]",
    ),
    _A(
        kind="result",
        name="__proto__ keys",
        must_not="change",
        source="return {'__proto__': {'x': 1}, 'constructor': {'prototype': {'x': 1}}}",
        leaves={"__proto__": {"x": 1}, "constructor": {"prototype": {"x": 1}}},
    ),
    _A(
        kind="result",
        name="numbers that are none",
        must_not="change",
        source="return [float('nan'), float('inf'), 10 ** 30]",
        leaves=[None, None, 10**30],
    ),
    # ---- breaking things
    _crash(name="exit", source="import os; os._exit(0)"),
    _crash(name="abort", source="import os; os.abort()"),
    _crash(name="system exit", source="raise SystemExit(0)"),
    _crash(
        name="forged code object",
        source="f = lambda: 0\nf.__code__ = f.__code__.replace(co_code=b'\\x64\\xff' * 50,"
        " co_consts=())\nf()",
    ),
    _crash(name="closed channel", source="import os; os.close(1); os.close(0)"),
    _crash(name="deep expression", source="eval('(' * 5000 + ')' * 5000)"),
    _crash(name="flood of print", source="for _ in range(10 ** 5): print('x' * 100)"),
    _crash(
        name="builtins gone",
        source="import builtins, sys\nfor n in list(vars(builtins)): setattr(builtins, n, None)",
        spoils=True,
    ),
)
