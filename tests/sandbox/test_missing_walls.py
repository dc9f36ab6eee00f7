"""A wall that does not stand is told, never silently missing."""

from __future__ import annotations

import pytest

from studio_qt.sandbox.workers import linux, walls


@pytest.mark.clause("BOX-01")
@pytest.mark.parametrize(
    ("landlock", "seccomp", "told"),
    [
        (0, True, "Missing: this kernel has no Landlock."),
        (3, True, "Landlock (version 3) refuses it every file."),
        (4, True, "Landlock (version 4) refuses it every file and connection."),
        (4, False, "Missing: no seccomp filter is known for this machine."),
        (OSError(1, "no"), True, "Missing: the kernel refused Landlock ([Errno 1] no)."),
        (4, OSError(1, "no"), "Missing: the kernel refused seccomp ([Errno 1] no)."),
    ],
)
def test_a_wall_of_the_kernel_that_is_missing_is_told(
    monkeypatch: pytest.MonkeyPatch, landlock: object, seccomp: object, told: str
) -> None:
    def give(answer: object) -> object:
        if isinstance(answer, OSError):
            raise answer
        return answer

    monkeypatch.setattr(linux, "forbid_files", lambda: give(landlock))
    monkeypatch.setattr(linux, "forbid_calls", lambda: give(seccomp))
    found = walls._close_the_kernel()
    assert told in found
    assert len(found) == 2
