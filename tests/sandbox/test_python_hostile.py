"""Python code that means harm: its call ends, its store stays, and the next call works."""
# ruff: noqa: E501 - an attack is easier to read on one line

from __future__ import annotations

import asyncio

import pytest

from studio_qt.sandbox import AgentCode, AgentLoadError, BridgeCall, Cause, Limits, SandboxHost
from tests.sandbox.test_python_agents import load
from tests.support.sandbox import Guest

SHORT = Limits(call_seconds=0.25, memory_mb=64)
TAME = "def tame(args, store):\n    store['n'] = store.get('n', 0) + 1\n    return 'tame'\n\n"


async def wild(host: SandboxHost, body: str, *apis: str, kind: str = "def") -> Guest:
    """An agent with a tame handler and a wild one, after one tame call."""
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    source = f"{TAME}{kind} wild(args, store, studio, context):\n{lines}"
    guest = await load(host, source, *apis)
    await guest.call("tame", 0)
    return guest


async def still_works(guest: Guest) -> None:
    """Its next call is answered, from the last good state."""
    assert await guest.value("tame", 0) == "tame"
    assert guest.kept == {"n": 2}


ENDLESS = {
    "a loop": "while True: pass",
    "a loop that catches": "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
    "a loop in finally": "try: pass\nfinally:\n  while True: pass",
    "a long number": "7 ** 20_000_000",
    "a long text of a number": "x = 7 ** 2_000_000\nimport sys; sys.set_int_max_str_digits(0); str(x)",
    "a regular expression": "import re; re.match('(a+)+$', 'a' * 40 + '!')",
    "a sum without end": "import itertools; sum(itertools.count())",
    "a list that sorts for ever": "sorted(range(10 ** 6), key=lambda n: [0] * 10 ** 5)",
    "a sleep": "import time; time.sleep(60)",
    "a sleep of centuries": "import time; time.sleep(2 ** 33)",
    "many sleeps": "import time\nwhile True: time.sleep(0.01)",
    "a loop in str": (
        "class Bad(Exception):\n  def __str__(self):\n    while True: pass\nraise Bad"
    ),
    "a loop in repr of the store's key": (
        "class Key(str):\n  def __hash__(self):\n    while True: pass\nstore[Key()] = 1"
    ),
    "a loop in a trace function": (
        "import sys\ndef trace(*a):\n  while True: pass\nsys.settrace(trace)\n(lambda: 0)()"
    ),
    "a loop when something is collected": (
        "class Bad:\n  def __del__(self):\n    while True: pass\ndel Bad().x"
    ),
    "a lock taken twice": "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()",
    "select": "import select, time; time.sleep(60) if not select.select([], [], [], 60)[0] else 0",
}


@pytest.mark.clause("BOX-02", "BR-11")
@pytest.mark.parametrize("name", ENDLESS)
async def test_code_without_end_is_stopped_and_the_next_call_works(
    host: SandboxHost, name: str
) -> None:
    guest = await wild(host, ENDLESS[name])
    outcome = await guest.call("wild", 0, limits=SHORT)
    assert outcome.cause in (Cause.OUT_OF_TIME, Cause.OUT_OF_MEMORY, Cause.FAILED), outcome
    assert outcome.store is None
    await still_works(guest)


ENDLESS_ASYNC = {
    "a loop after an await": "await studio.log('x')\nwhile True: pass",
    "an asyncio sleep": "import asyncio; await asyncio.sleep(60)",
    "turns without end": "import asyncio\nwhile True: await asyncio.sleep(0)",
    "callbacks without end": (
        "import asyncio\nloop = asyncio.get_running_loop()\n"
        "def again(): loop.call_soon(again)\nagain()\nawait asyncio.Event().wait()"
    ),
    "refusing to be cancelled": (
        "import asyncio\nwhile True:\n"
        "  try: await asyncio.sleep(60)\n  except asyncio.CancelledError: pass"
    ),
    "a task that refuses to end": (
        "import asyncio\nasync def stay():\n  while True:\n"
        "    try: await asyncio.sleep(60)\n    except asyncio.CancelledError:\n"
        "      while True: pass\nasyncio.create_task(stay()); await asyncio.sleep(0)"
    ),
    "a bridge call without answer": "await studio.context.readFile('x')",
    "a bridge call that is caught": (
        "while True:\n  try: await studio.context.readFile('x')\n  except BaseException: pass"
    ),
}


@pytest.mark.clause("BOX-02", "BR-11")
@pytest.mark.parametrize("name", ENDLESS_ASYNC)
async def test_coroutines_without_end_are_stopped(host: SandboxHost, name: str) -> None:
    guest = await wild(host, ENDLESS_ASYNC[name], "context", kind="async def")

    async def never(call: BridgeCall) -> None:
        if call.method != "log":
            await asyncio.Event().wait()

    guest.bridge = never  # type: ignore[assignment]
    outcome = await guest.call("wild", 0, limits=SHORT)
    assert outcome.cause is Cause.OUT_OF_TIME or outcome.ok, outcome
    await still_works(guest)


MEMORY = {
    "a list": "x = []\nwhile True: x.append('x' * 10_000)",
    "one text": "'x' * (2 ** 31 - 1)",
    "bytes": "bytearray(10 ** 9)",
    "a dict in the store": "while True: store[len(store)] = [0] * 1000",
    "caught": "x = []\nwhile True:\n  try: x.append(bytearray(10 ** 6))\n  except MemoryError: x.append(x)",
    "a shift": "1 << (1 << 33)",
    "a format": "'%1000000000d' % 1",
    "a compressed bomb": "import zlib\nz = zlib.compress(bytes(10 ** 7))\nx = [zlib.decompress(z) for _ in range(100)]",
}


@pytest.mark.clause("BOX-02")
@pytest.mark.parametrize("name", MEMORY)
async def test_a_memory_bomb_ends_its_call_alone(host: SandboxHost, name: str) -> None:
    guest = await wild(host, MEMORY[name])
    outcome = await guest.call("wild", 0, limits=Limits(1.5, 48))
    assert outcome.cause in (Cause.OUT_OF_MEMORY, Cause.OUT_OF_TIME), outcome
    await still_works(guest)


BREAKING = {
    "leaving": "raise SystemExit(0)",
    "leaving for good": "import os; os._exit(0)",
    "an abort": "import os; os.abort()",
    "an interrupt": "raise KeyboardInterrupt",
    "a signal": "import signal; signal.raise_signal(signal.SIGABRT)",
    "recursion": "def f(): f()\nf()",
    "recursion without limit": "import sys; sys.setrecursionlimit(10 ** 9)\ndef f(): return f() + 1\nf()",
    "recursion in C": "class C:\n  def __repr__(self): return repr(self)\nrepr(C())",
    "recursion in attributes": "class C:\n  def __getattr__(self, n): return getattr(self, n + 'a')\nC().a",
    "a deep expression": "eval('(' * 5000 + ')' * 5000)",
    "a deep list": "x = []\nfor _ in range(10 ** 6): x = [x]\nrepr(x)",
    "deep JSON": "import json; json.loads('[' * 10 ** 6)",
    "a crash by code objects": (
        "f = lambda: 0\nf.__code__ = f.__code__.replace(co_code=b'\\x64\\xff' * 50, co_consts=())\nf()"
    ),
    "a thread": "import threading; threading.Thread(target=print).start()",
    "a fork": "import os; os.fork()",
    "a process": "import subprocess; subprocess.run(['true'])",
    "a shell": "import os; os.system('true')",
    "a library in C": "import ctypes",
    "an executor": "import asyncio; asyncio.run(asyncio.to_thread(print))",
    "closed output": "import os; os.close(1); os.close(0); os.close(2); 1 / 0",
    "an error without text": ("class Bad(Exception):\n  def __str__(self): raise self\nraise Bad"),
    "an error that lies": ("class Bad(Exception):\n  def __str__(self): return 5\nraise Bad"),
    "a result that lies": "class L(list):\n  def __iter__(self): raise SystemExit\nreturn L([1]) + [{1}]",
    "a store of foreign keys": "class D(dict):\n  def items(self): raise SystemExit\nstore['x'] = D(a={1})",
    "a result of 100 MB": "return 'x' * 10 ** 7",
    "a store of 17 MB": "store['x'] = 'x' * (17 << 20)",
}


@pytest.mark.clause("BOX-01", "BOX-02")
@pytest.mark.parametrize("name", BREAKING)
async def test_what_breaks_an_interpreter_breaks_its_call_alone(
    host: SandboxHost, name: str
) -> None:
    guest = await wild(host, BREAKING[name])
    outcome = await guest.call("wild", 0, limits=Limits(1.5, 128))
    assert outcome.cause in (Cause.FAILED, Cause.OUT_OF_TIME, Cause.OUT_OF_MEMORY), outcome
    assert outcome.store is None
    assert outcome.error
    await still_works(guest)


REACHING = {
    "a file": "open('/etc/passwd')",
    "a file of its own": "open('x', 'w')",
    "the root": "import os; return os.listdir('/')",
    "the current folder": "import os; return os.listdir('.')",
    "a temporary file": "import tempfile; tempfile.TemporaryFile()",
    "a descriptor": "import os\nfor n in range(3, 200):\n  try: return os.read(n, 10).decode()\n  except OSError: pass\nraise OSError",
    "a socket": "import socket; socket.socket()",
    "a connection": "import urllib.request; urllib.request.urlopen('http://127.0.0.1:1')",
    "a name": "import socket; socket.gethostbyname('localhost')",
    "a listening socket": "import socket; socket.create_server(('127.0.0.1', 0))",
    "a symbolic link": "import os; os.symlink('/etc/passwd', 'x')",
    "a mapped file": "import mmap; mmap.mmap(-1, 100)",
    "an imported module outside": "import sys; sys.path.append('/work'); import studio_qt",
    "standard input": "input()",
}


@pytest.mark.clause("BOX-01")
@pytest.mark.parametrize("name", REACHING)
async def test_nothing_outside_can_be_reached(host: SandboxHost, name: str) -> None:
    guest = await wild(host, REACHING[name])
    outcome = await guest.call("wild", 0)
    assert outcome.cause is Cause.FAILED, outcome
    await still_works(guest)


@pytest.mark.clause("BOX-01")
async def test_the_environment_is_empty(host: SandboxHost, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STUDIO_API_KEY", "secret")
    guest = await wild(
        host, "import os, sys\nreturn [dict(os.environ), sys.argv[1:], sys.flags.isolated]"
    )
    assert await guest.value("wild", 0) == [{}, [], 1]


FORGED = {
    "no message": "b'?'",
    "an end without a value": "b'd'",
    "an end that is not JSON": "b'd{]\\n'",
    "a store that is not JSON": "b'd1\\n{]'",
    "a store that is a list": "b'd1\\n[1]'",
    "a store that is not UTF-8": 'b\'d1\\n{"a":"\\xff"}\'',
    "a store of two values": "b'd1\\n{} {}'",
    "a deep store": "b'd1\\n{\"a\":' + b'[' * 100000 + b']' * 100000 + b'}'",
    "a deep value": "b'd' + b'[' * 100000 + b']' * 100000 + b'\\n'",
    "a value that is too large": "b'd\"' + b'x' * 300000 + b'\"\\n'",
    "a failure without a name": "b'e{}'",
    "a failure that is no object": "b'e[]'",
    "a request without a payload": "b'q1 log'",
    "a request of an unknown method": "b'q1 os.system [1]'",
    "a request that is not JSON": "b'q1 toast [1'",
    "a request that is no list": "b'q1 toast {}'",
    "a request with a name that is not UTF-8": "b'q1 \\xff [1]'",
    "a huge request": "b'q1 toast [\"' + b'x' * 600000 + b'\"]'",
    "a wait that is no number": "b'wx'",
    "a wait for ever": "b'winf'",
    "a wait for no time": "b'wnan'",
    "digits without end": "b'd' + b'1' * 1000000 + b'\\n'",
}


@pytest.mark.clause("BOX-01", "BR-09")
@pytest.mark.parametrize("name", FORGED)
async def test_forged_messages_are_the_agents_own_failure(host: SandboxHost, name: str) -> None:
    guest = await wild(
        host, f"import __main__, os\nos.write(1, __main__.TOKEN + {FORGED[name]})\nreturn 'x'"
    )
    outcome = await guest.call("wild", 0)
    assert outcome.cause is Cause.FAILED, outcome
    await still_works(guest)


@pytest.mark.clause("BOX-01")
async def test_text_on_the_channel_without_the_token_is_only_printed(host: SandboxHost) -> None:
    guest = await wild(host, "import os; os.write(1, b'd1\\n{}\\n'); os.write(2, b'\\xff\\n')")
    assert (await guest.call("wild", 0)).logs == ("d1", "{}", "\ufffd")
    await still_works(guest)


@pytest.mark.clause("BOX-02")
async def test_a_flood_of_forged_messages_is_bounded(host: SandboxHost) -> None:
    guest = await wild(
        host,
        "import __main__, os\n"
        "while True: os.write(1, __main__.TOKEN + b'q0 log [\"' + b'x' * 400000 + b'\"]')",
    )
    outcome = await guest.call("wild", 0, limits=Limits(10, 64))
    assert outcome.cause is Cause.FAILED
    await still_works(guest)


@pytest.mark.clause("BOX-01")
async def test_an_agent_that_breaks_python_breaks_itself_alone(host: SandboxHost) -> None:
    bad = await load(
        host,
        "import builtins, sys, json\n"
        "def f(args):\n"
        "    for name in list(vars(builtins)): setattr(builtins, name, None)\n"
        "    sys.modules.clear(); sys.stdout = None\n",
    )
    good = await wild(host, "return 'wild'")
    await bad.call("f", 0)
    await still_works(good)
    assert await good.value("wild", 0) == "wild"
    assert not (await bad.call("f", 0)).ok


@pytest.mark.clause("BOX-01")
async def test_agents_share_nothing(host: SandboxHost) -> None:
    bad = await load(
        host,
        "import sys\nsys.secret = 's'\n"
        "def f(args):\n"
        "    sys.more = 1\n"
        "    with open('/usr/local/lib/python3.12/os.py', 'w') as file: file.write('# 7f3a')\n",
    )
    await bad.call("f", 0)
    good = await load(
        host,
        "import sys\n"
        "def f(args): return [hasattr(sys, 'secret'), hasattr(sys, 'more'),\n"
        "    '7f3a' in open('/usr/local/lib/python3.12/os.py').read()]\n",
    )
    assert await good.value("f", 0) == [False, False, False]


@pytest.mark.clause("BR-11", "BOX-02")
async def test_a_stopped_agent_starts_anew_and_the_others_keep_their_state(
    host: SandboxHost,
) -> None:
    counter = "n = 0\ndef count(args):\n    global n\n    n += 1\n    return n\n"
    other = await load(host, counter)
    bad = await load(host, counter + "def spin(args):\n    while True: pass\n")
    assert (await other.value("count", 0), await bad.value("count", 0)) == (1, 1)
    assert (await bad.call("spin", 0, limits=SHORT)).cause is Cause.OUT_OF_TIME
    outcome = await bad.call("count", 0)
    assert outcome.value == 1
    assert any("started anew" in line for line in outcome.logs)
    assert await other.value("count", 0) == 2


@pytest.mark.clause("BOX-02")
@pytest.mark.parametrize(
    ("source", "keeps"),
    [
        ("async def f(args, store, studio): await studio.context.readFile('x')", True),
        ("import asyncio\nasync def f(): await asyncio.sleep(60)", True),
        ("import time\ndef f(): time.sleep(60)", False),
        (
            "async def f(args, store, studio):\n"
            "    try: await studio.context.readFile('x')\n"
            "    finally:\n        while True: pass",
            False,
        ),
    ],
)
async def test_a_call_that_the_user_stops_ends_and_the_agent_goes_on(
    host: SandboxHost, source: str, keeps: bool
) -> None:
    counter = "n = 0\ndef count():\n    global n\n    n += 1\n    return n\n"
    guest = await load(host, f"{counter}{source}\n", "context")
    assert await guest.value("count") == 1
    reached = asyncio.Event()

    async def never(call: BridgeCall) -> None:
        reached.set()
        await asyncio.Event().wait()

    guest.bridge = never  # type: ignore[assignment]
    task = asyncio.create_task(guest.call("f", 0))
    while not reached.is_set() and "readFile" in source:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.05)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await guest.value("count") == (2 if keeps else 1)


@pytest.mark.clause("BOX-02")
async def test_the_memory_limit_of_each_call_counts(host: SandboxHost) -> None:
    guest = await load(host, "def f(args): return len(bytearray(args << 20))")
    assert (await guest.call("f", 20, limits=Limits(9, 128))).value == 20 << 20
    assert (await guest.call("f", 60, limits=Limits(9, 32))).cause is Cause.OUT_OF_MEMORY
    assert (await guest.call("f", 60, limits=Limits(9, 128))).value == 60 << 20
    assert (await guest.call("f", 1, limits=Limits(9, 8))).value == 1 << 20


@pytest.mark.clause("BOX-02")
async def test_many_hostile_agents_in_a_row_leave_a_working_host(host: SandboxHost) -> None:
    good = await load(host, TAME)
    for body in ("while True: pass", "import os; os._exit(1)", "x = [0] * 10 ** 9", "1 / 0"):
        with pytest.raises(AgentLoadError):
            await host.load(AgentCode("bad", "python", "bad.py", body), SHORT)
        await good.call("tame", 0)
    assert good.kept == {"n": 4}
