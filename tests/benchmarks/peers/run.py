"""Compares agents here with those of web players: Node, Wasmoon and Pyodide in Node workers.

Run `python tests/benchmarks/peers/run.py [--quick] [LANGUAGE …]`; it needs Node 20 and npm, and
installs the two runtimes into the user's cache folder. Rounds of both sides alternate; only the
ratios of one run mean anything.

The work is the same on both sides: each call changes one value of a store, and the host ends with
the new text. The peers post the store as an object and write its text in the host.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import shutil
import statistics
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[3]))  # the checkout, for `tests`

from studio_qt.jsontext import JsonValue
from studio_qt.sandbox import AgentLoadError
from studio_qt.sandbox.languages import available_languages
from studio_qt.settings import cache_folder
from tests.benchmarks.peers.ours import Ours
from tests.benchmarks.peers.work import LANGUAGES, SOURCES, stores

PACKAGES = ("wasmoon@1.16.0", "pyodide@314.0.7")
PEERS = {"javascript": "Node", "lua": "Wasmoon", "python": "Pyodide"}
SMALL, LARGE, SINGLE = "200 integers", "100 KB", "100 KB in one"
TARGETS = {  # at most so many times the peer
    ("javascript", SMALL): 1.3,
    ("javascript", LARGE): 1.0,
    ("lua", SMALL): 0.5,
    ("lua", LARGE): 0.5,
    ("python", SMALL): 1.2,
    ("python", LARGE): 0.7,
    ("python", "cold start"): 0.12,
}
KILLED_MS = 150.0
CALLS = {SMALL: 60, LARGE: 12, SINGLE: 12}


class Peers:
    """The Node process with the peers' workers."""

    def __init__(self, packages: Path) -> None:
        script = Path(__file__).with_name("host.mjs")
        self._process = subprocess.Popen(
            ["node", str(script), str(packages)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def ask(self, op: str, **given: JsonValue) -> dict[str, list[float]]:
        """Send a request and return the answer; raises RuntimeError when the peer failed."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"op": op, **given}) + "\n")
        self._process.stdin.flush()
        answer = json.loads(self._process.stdout.readline() or '{"error": "Node has ended"}')
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return dict(answer)

    def close(self) -> None:
        """End the process."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        self._process.wait(30)


def install() -> Path:
    """Return the folder where npm has put the peers' runtimes; installs what is missing."""
    folder = cache_folder() / "peers"
    wanted = " ".join(PACKAGES)
    stamp = folder / "installed.txt"
    if not stamp.is_file() or stamp.read_text() != wanted:
        folder.mkdir(parents=True, exist_ok=True)
        npm = shutil.which("npm")
        if npm is None or shutil.which("node") is None:
            raise SystemExit("The peers run in Node: install Node 20 or newer, with npm.")
        command = [npm, "install", "--prefix", str(folder), "--no-audit", "--no-fund", *PACKAGES]
        subprocess.run(command, check=True)
        stamp.write_text(wanted)
    return folder


async def compare(language: str, peers: Peers, rounds: int, starts: int) -> None:
    """Print the medians of one language and how they stand to the peer's."""
    texts: Mapping[str, str] = stores()
    source = SOURCES[language]
    theirs: dict[str, list[float]] = {}
    ours: dict[str, list[float]] = {}
    async with Ours(language, dict(texts)) as first:
        await first.start(SMALL)  # compiled modules are cached from here on
    for name, text in texts.items():
        peers.ask("store", name=name, text=text)
    for _ in range(starts):
        told = peers.ask("start", language=language, source=source, store=SMALL)
        theirs.setdefault("cold start", []).append(float(told["ms"]))  # type: ignore[arg-type]
        async with Ours(language, dict(texts)) as cold:
            ours.setdefault("cold start", []).append(await cold.start(SMALL))
    async with Ours(language, dict(texts)) as living:
        await living.start(SMALL)
        for number in range(rounds + 1):
            for name in texts:
                told = peers.ask("calls", language=language, store=name, times=CALLS[name])
                mine = await living.calls(name, CALLS[name])
                if number:  # the first round warms both sides up
                    theirs.setdefault(name, []).extend(told["microseconds"])
                    ours.setdefault(name, []).extend(mine)
        kills = [await living.kill(SMALL) for _ in range(starts)]
    for name, samples in ours.items():
        report(language, name, samples, theirs[name])
    report_kill(language, statistics.median(kills))


def report(language: str, name: str, ours: Sequence[float], theirs: Sequence[float]) -> None:
    """Print a line: our median, the peer's, the ratio, and whether it is what we hold."""
    mine, other = statistics.median(ours), statistics.median(theirs)
    unit = "ms" if name == "cold start" else "us"
    target = TARGETS.get((language, name))
    verdict = "" if target is None else f"target {target:<5} {_word(mine / other <= target)}"
    print(
        f"{language:11} {name:13} ours {mine:10.1f} {unit}   {PEERS[language]:8} {other:10.1f} "
        f"{unit}   ratio {mine / other:6.2f}   {verdict}"
    )


def report_kill(language: str, median: float) -> None:
    """Print how long a killed worker took to answer again."""
    verdict = f"target {KILLED_MS:<5g} {_word(median <= KILLED_MS)}"
    print(f"{language:11} {'after a kill':13} ours {median:10.1f} ms {'':40} {verdict}")


def _word(holds: bool) -> str:
    return "holds" if holds else "MISSED"


def reason_to_skip(language: str) -> str | None:
    """Return why a language is left out, None when it runs here."""
    return available_languages().get(language, "it has not landed yet")


async def run(languages: Sequence[str], rounds: int, starts: int) -> None:
    """Compare each language that runs here."""
    async with AsyncExitStack() as stack:
        peers = Peers(install())
        stack.callback(peers.close)
        for language in languages:
            reason = reason_to_skip(language)
            try:
                if reason is None:
                    await compare(language, peers, rounds, starts)
            except AgentLoadError as error:
                reason = str(error)
            if reason is not None:
                print(f"{language:11} skipped: {reason}")


def main() -> None:
    """Compare the languages that are named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, rougher figures")
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE", help=", ".join(LANGUAGES))
    given = parser.parse_args()
    rounds, starts = (4, 3) if given.quick else (20, 7)
    asyncio.run(run(given.languages or LANGUAGES, rounds, starts))


if __name__ == "__main__":
    main()
