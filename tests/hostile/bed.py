"""Runs attacks in a session, and looks after each one at everything that it may have reached.

What is looked at is real: a file with a secret, a file that must not appear, an environment
variable, a server on loopback that counts connections, child processes, and another agent of the
same worker with a secret in its store and its globals.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from studio_qt.jsontext import JsonObject, encode
from studio_qt.sandbox import AgentCode, AgentLoadError, Limits, Outcome, SandboxHost
from tests.hostile.attack import MUST_NOT, Attack
from tests.support.sandbox import ROOMY, Guest

__all__ = ["CALL_SECONDS", "GRACE_SECONDS", "SECRETS", "Canaries", "assault"]

CALL_SECONDS = 0.5
GRACE_SECONDS = 0.3
SECRETS = ("7f3a-in-a-file", "7f3a-in-the-environment", "7f3a-of-a-neighbour")
_IN_FILE, _IN_ENVIRONMENT, _OF_NEIGHBOUR = SECRETS
_SUFFIXES = {"javascript": "js", "typescript": "ts", "python": "py", "lua": "lua"}
_LOG_LINES, _LOG_BYTES, _ERROR_BYTES = 502, 1 << 20, 10_000

_JAVASCRIPT = """{top}
export function tame(args, store) {{ store.n = (store.n ?? 0) + 1; return "tame"; }}
export async function wild(args, store, studio, context) {{ store.n = 99; {source}
}}"""
_TYPESCRIPT = """{top}
export function tame(args: any, store: any): string {{
  store.n = (store.n ?? 0) + 1; return "tame";
}}
export async function wild(args: any, store: any, studio: object, context: object): Promise<any> {{
store.n = 99; {source}
}}"""
_LUA = """{top}
function tame(args, store) store.n = (store.n or 0) + 1 return "tame" end
function wild(args, store, studio, context) store.n = 99
do {source} end
end"""
_PYTHON = """{top}
def tame(args, store):
    store["n"] = store.get("n", 0) + 1
    return "tame"

{kind} wild(args, store, studio, context):
    store["n"] = 99
{source}
"""
_NEIGHBOURS = {
    "javascript": "globalThis.secret = '{0}'; var x = secret;",
    "typescript": "(globalThis as any).secret = '{0}';",
    "python": "import builtins\nsecret = builtins.secret = '{0}'",
    "lua": "secret = '{0}'",
}


@dataclass(slots=True)
class Canaries:
    """What attacks try to reach; `reached()` names what they did."""

    path: Path
    write: Path
    port: int = 0
    connections: list[object] = field(default_factory=list)

    def on_connection(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Count a connection to the server, and close it."""
        self.connections.append(writer.get_extra_info("peername"))
        writer.close()

    @property
    def arguments(self) -> JsonObject:
        """What every attack is told."""
        return {
            "path": str(self.path),
            "write": str(self.write),
            "url": f"http://127.0.0.1:{self.port}/x",
            "port": self.port,
            "pid": os.getpid(),
        }

    def reached(self) -> Iterator[str]:
        """Yield what is not as it was."""
        if not self.path.exists() or self.path.read_text() != _IN_FILE:
            yield "the file was changed"
        if self.write.exists():
            yield "a file was written"
        if self.connections:
            yield f"{len(self.connections)} connections came"
        if found := _grandchildren():
            yield f"a worker has started processes: {found}"


async def assault(attacks: Sequence[Attack], folder: Path) -> list[str]:
    """Run attacks of one language in one session; return a sentence for each that got through.

    The environment must hold `STUDIO_CANARY`, the second of `SECRETS`.
    """
    watched = Canaries(folder / "secret.txt", folder / "written.txt")
    watched.path.write_text(_IN_FILE)
    server = await asyncio.start_server(watched.on_connection, "127.0.0.1", 0)
    watched.port = server.sockets[0].getsockname()[1]
    async with server, SandboxHost(grace_seconds=GRACE_SECONDS) as host:
        session = await Session.open(host, attacks[0].language, watched)
        return [fault for attack in attacks for fault in await session.run(attack)]


class Session:
    """A host with a well-behaved agent in it, whose neighbours the attacks are."""

    def __init__(self, host: SandboxHost, near: Guest, watched: Canaries) -> None:
        self._host = host
        self._near = near
        self._watched = watched
        self._calls = 0

    @classmethod
    async def open(cls, host: SandboxHost, language: str, watched: Canaries) -> Session:
        """Load the neighbour and let it store its secret."""
        top = _NEIGHBOURS[language].format(_OF_NEIGHBOUR)
        code = _code(Attack(language=language, kind="", name="near", top=top), "t.near")
        near = Guest(await host.load(code, ROOMY), encode({"secret": _OF_NEIGHBOUR}))
        return cls(host, near, watched)

    async def run(self, attack: Attack) -> list[str]:
        """Run one attack, and return what is wrong afterwards."""
        try:
            faults = [fault async for fault in self._run(attack)]
        except Exception as error:  # noqa: BLE001 - whatever it is, it is told with the attack's name
            faults = [f"the host raised {error!r}"]
        faults += self._watched.reached()
        faults += await self._neighbour_faults()
        return [f"{attack}: {fault}" for fault in faults]

    async def _run(self, attack: Attack) -> AsyncIterator[str]:
        limits = Limits(_seconds(attack), attack.memory_mb)
        if attack.must_not == "load":
            if fault := await self._load_fault(attack, limits):
                yield fault
            return
        agent = await self._host.load(_code(attack, "t.wild"), ROOMY)
        guest = Guest(agent)
        well = Limits(ROOMY.call_seconds, attack.memory_mb)
        await guest.call("tame", {}, limits=well)
        outcome = await guest.call("wild", self._watched.arguments, limits=limits)
        if not MUST_NOT[attack.must_not](attack, outcome):
            yield f"it did {attack.must_not}: {str(outcome)[:300]}"
        for fault in _telltale(outcome):
            yield fault
        if asked := [call for call in guest.bridge.calls if call.method not in ("log", "toast")]:
            yield f"the host heard {asked}"
        if not attack.spoils:
            expected = 100 if outcome.ok else 2
            again = await guest.call("tame", {}, limits=well)
            if again.value != "tame" or guest.kept["n"] != expected:
                yield f"it does not answer any more, or lost its state: {again} {guest.store[:80]}"
        await agent.unload()

    async def _load_fault(self, attack: Attack, limits: Limits) -> str | None:
        try:
            await self._host.load(_code(attack, "t.wild"), limits)
        except AgentLoadError as error:
            return None if "7f3a" not in str(error) else f"it told a secret: {error}"
        return "it was loaded"

    async def _neighbour_faults(self) -> list[str]:
        self._calls += 1
        outcome = await self._near.call("tame", {})
        kept = {"secret": _OF_NEIGHBOUR, "n": self._calls}
        if outcome.value == "tame" and self._near.kept == kept:
            return []
        return [f"its neighbour does not answer, or lost its state: {outcome}"]


def _seconds(attack: Attack) -> float:
    """Return the time limit: longer where a busy machine must not end what has to end by itself."""
    if attack.slow:
        return CALL_SECONDS
    return 2.0 if attack.must_not in ("finish", "pass", "crash") else 8.0


def _telltale(outcome: Outcome) -> Iterator[str]:
    told = f"{outcome.value} {outcome.error} {outcome.logs} {outcome.store}"
    if found := [secret for secret in SECRETS if secret in told]:
        yield f"it told {found}"
    size = sum(len(line) for line in outcome.logs)
    if len(outcome.logs) > _LOG_LINES or size > _LOG_BYTES:
        yield f"it left {len(outcome.logs)} log lines of {size} characters"
    if len(outcome.error or "") > _ERROR_BYTES:
        yield "its error is too long"


def _code(attack: Attack, agent_id: str) -> AgentCode:
    parts = {"top": attack.top, "source": attack.source}
    if attack.language == "python":
        lines = (attack.source or "pass").splitlines()
        parts["source"] = "".join(f"    {line}\n" for line in lines)
        parts["kind"] = "async def" if "await " in attack.source else "def"
    form = {
        "javascript": _JAVASCRIPT,
        "typescript": _TYPESCRIPT,
        "python": _PYTHON,
        "lua": _LUA,
    }[attack.language]
    return AgentCode(
        agent_id,
        attack.language,
        f"{agent_id}.{_SUFFIXES[attack.language]}",
        form.format(**parts),
        namespaces=frozenset(f"studio.{api}" for api in attack.apis),
    )


def _grandchildren() -> list[str]:
    """Return the processes that workers have started."""
    found = []
    for worker in psutil.Process().children():
        try:
            found += [str(child) for child in worker.children(recursive=True)]
        except psutil.NoSuchProcess:
            continue
    return found
