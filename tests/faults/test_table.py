"""The table of faults fits the code; `python tests/faults/run.py` tells whether tests see them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.clauses import clause_groups
from tests.faults.table import ROOT, Fault, FaultError, load_faults

BUILT = {
    "PKG",
    "SYS",
    "MAN",
    "EXP",
    "BR",
    "CTX",
    "LOOP",
    "PERS",
    "CAP",
    "CONS",
    "LIB",
    "LANG",
    "BOX",
    "HOOK",
    "SUB",
    "STU",
}


def test_every_fault_fits_the_code_and_changes_it() -> None:
    misfits = []
    for fault in load_faults():
        try:
            path = fault.find(ROOT)
            whole = path.read_text(encoding="utf-8")
            assert fault.seeded(whole) != whole, fault.name
            if path.suffix == ".py":
                compile(fault.seeded(whole), path, "exec")
        except (FaultError, SyntaxError) as error:
            misfits.append(str(error))
    assert misfits == []


def test_every_fault_names_clauses_that_exist_and_says_what_goes_wrong() -> None:
    known = {clause for _, ids in clause_groups().values() for clause in ids}
    for fault in load_faults():
        assert fault.clauses, fault.name
        assert set(fault.clauses) <= known, fault.name
        assert fault.wrong.endswith("."), fault.name


def test_every_group_of_clauses_that_is_built_has_a_fault() -> None:
    seeded = {clause.split("-")[0] for fault in load_faults() for clause in fault.clauses}
    assert seeded >= BUILT


@pytest.mark.parametrize("texts", [("three",), ("one one",), ("one", "one")])
def test_a_fault_whose_place_is_gone_or_not_the_only_one_is_refused(
    tmp_path: Path, texts: tuple[str, ...]
) -> None:
    for number, text in enumerate(texts):
        (tmp_path / f"{number}.py").write_text(text)
    with pytest.raises(FaultError, match=r"x: its old text"):
        Fault("x", ("PKG-01",), ".", "one", "two", "It is wrong.").find(tmp_path)
