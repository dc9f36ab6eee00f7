"""What an interpreter needs to boot is not counted against the agent that waits for it."""

from __future__ import annotations

import pytest

from studio_qt.sandbox.workers import python


class _EnoughError(Exception):
    """The fake has seen what it waited for."""


class _Interpreter:
    """Boots for 5 seconds on a clock of its own, and tells the deadline that it is given."""

    now = 100.0
    deadline = 0.0
    sleeping = None

    def take(self) -> _Interpreter:
        self.now += 5.0
        return self

    def refill(self) -> None:
        """Have nothing ready."""

    def post(self, message: bytes) -> None:
        """Take a message."""

    def resume(self, deadline: float, memory_mb: int) -> None:
        self.deadline = deadline
        raise _EnoughError

    def monotonic(self) -> float:
        return self.now


@pytest.mark.clause("BR-11")
def test_the_time_of_loading_counts_from_the_moment_the_interpreter_is_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    fake = _Interpreter()
    monkeypatch.setattr(python, "time", fake)
    agent = python.PythonAgent({"file": "t.py", "source": ""}, fake)  # type: ignore[arg-type]
    with pytest.raises(_EnoughError):
        agent.load(0.4, 64)
    assert fake.deadline == pytest.approx(105.4)
