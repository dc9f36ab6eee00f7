"""The table of faults fits the code; `python tests/faults/run.py` tells whether tests see them."""

from __future__ import annotations

import pytest

from tests.clauses import clause_groups
from tests.faults.table import ROOT, Fault, FaultError, load_faults

FAULTS = load_faults()
GROUPS = ("PKG SYS MAN EXP BR CTX LOOP PERS CAP CONS LIB LANG BOX").split()


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_fits_the_code_and_changes_it(fault: Fault) -> None:
    text = (ROOT / fault.file).read_text(encoding="utf-8")
    assert fault.seeded(text) != text
    if fault.file.endswith(".py"):
        compile(fault.seeded(text), fault.file, "exec")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_names_clauses_that_exist_and_says_what_goes_wrong(fault: Fault) -> None:
    known = {clause for _, ids in clause_groups().values() for clause in ids}
    assert fault.clauses
    assert set(fault.clauses) <= known
    assert fault.wrong.endswith(".")


def test_every_group_of_clauses_that_is_built_has_a_fault() -> None:
    seeded = {clause.split("-")[0] for fault in FAULTS for clause in fault.clauses}
    assert seeded >= set(GROUPS)


def test_a_fault_whose_place_is_gone_or_not_the_only_one_is_refused() -> None:
    fault = Fault("x", ("PKG-01",), "a.py", "one", "two", "It is wrong.")
    for text in ("three", "one one"):
        with pytest.raises(FaultError, match=r"x: its old text"):
            fault.seeded(text)
