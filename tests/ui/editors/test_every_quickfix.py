"""Every kind of quick fix, chosen in the window by keys: the problem is gone afterwards."""

from __future__ import annotations

import json

import pytest

from studio_qt.authoring.mending import KINDS
from studio_qt.errors import Fault, PackageError, Problem
from studio_qt.package import load_package
from tests.authoring.test_mending import CASES, CODE, FILES, SUB
from tests.ui.editors.conftest import Bench
from tests.ui.editors.test_quickfix import Mender

pytestmark = [
    pytest.mark.qt_loop,
    pytest.mark.clause("STU-08"),
    pytest.mark.qt_log_ignore("This plugin does not support"),  # a menu without a display
]

BROKEN = '{"name": "Ada", "agents": ["t.own"],}'
Case = tuple[str, dict[str, str], str]


def config(agents: list[object], **more: object) -> str:
    return json.dumps({"name": "Ada", "agents": agents or ["t.own", SUB], **more}, indent=2)


def cases() -> dict[str, Case]:
    """Return for each kind what the package's files are, and the title of the mend."""
    found: dict[str, Case] = {}
    for kind, files, agents, title, _words in CASES:
        found.setdefault(kind, (config(agents), files, title))
    wrong = config([], fileMappings={"instruction": "instructions.txt"})
    found["mapping-unknown"] = (wrong, {}, "Write “Instructions”")
    gone = config([], fileMappings={"Introduction": "intor.txt"})
    texts = {"texts/intro.txt": "Hi"}
    found["mapping-missing"] = (gone, texts, "Write “texts/intro.txt”")
    deaf = {"agents/t.own.js": CODE.replace("export function onToolCall() { return 1; }\n", "")}
    found["handler-missing"] = (config([]), deaf, "")
    comma = "Take the comma out that is too many"
    found["config-broken"] = (BROKEN, {}, comma)
    return found


def problems_of(bench: Bench, kind: str) -> list[Problem]:
    """Return what is wrong of that kind, as the window is told: some only a player finds."""
    try:
        found = load_package(bench.root).problems
    except PackageError as error:
        return [Problem("error", "config.json", error.line, str(error), Fault("config-broken"))]
    if kind == "handler-missing" and "onToolCall" not in bench.read("agents/t.own.js"):
        fault = Fault("handler-missing", ("onToolCall",))
        return [Problem("error", "agents/t.own.js", 1, "onToolCall is not exported.", fault)]
    return [one for one in found if one.fault is not None and one.fault.kind == kind]


def test_there_is_a_case_of_every_kind() -> None:
    assert set(cases()) == KINDS


@pytest.mark.parametrize("kind", sorted(KINDS))
async def test_a_quick_fix_takes_its_problem_away(bench: Bench, kind: str) -> None:
    whole, files, title = cases()[kind]
    for path, text in {**FILES, "config.json": whole, **files}.items():
        bench.write(path, text)
    problem = problems_of(bench, kind)[0]
    await bench.open(problem.file)
    bench.page.show_problems([problem])
    bench.place(problem.line or 1, 1)
    mender = Mender(bench)
    offered = await mender.offered()
    wanted = title or offered[0]
    assert wanted in offered
    await mender.choose(wanted)
    await bench.documents.save_all()
    assert problem not in problems_of(bench, kind)
