"""The sample library: an agent declares it and finds it on the global object."""

from __future__ import annotations

import json
from typing import Any

import pytest

from studio_qt.resources import resource_text
from studio_qt.sandbox import AgentCode, BridgeCall, SandboxHost

from .stage import LIMITS

_USER = """
export function run(expression) {
  try { return JSON.stringify(new Function("return " + expression)()); }
  catch (error) { return "Error: " + error.message; }
}
"""


async def _ask(host: SandboxHost, expression: str) -> Any:
    async def no_bridge(call: BridgeCall) -> None:
        raise AssertionError(call)

    library = ("lib/weighted-choice.js", resource_text("agents/lib/weighted-choice.js"))
    agent = await host.load(AgentCode("t", "javascript", "t.js", _USER, (library,)), LIMITS)
    outcome = await agent.call("run", [expression], "{}", no_bridge, LIMITS, context={})
    assert isinstance(outcome.value, str), outcome.error
    return outcome.value if outcome.value.startswith("Error") else json.loads(outcome.value)


def _draws(table: str, n: int = 4000) -> str:
    return f"weightedChoice.pickN({table}, {n})"


@pytest.mark.clause("LIB-01")
async def test_values_come_as_often_as_they_weigh(host: SandboxHost) -> None:
    table = '[{weight: 6, value: "a"}, {weight: 3, value: "b"}, {weight: 1, value: "c"}]'
    drawn = await _ask(host, _draws(table))
    shares = [drawn.count(value) / len(drawn) for value in "abc"]
    assert shares == pytest.approx([0.6, 0.3, 0.1], abs=0.05)


async def test_a_missing_weight_is_one_and_zero_is_never(host: SandboxHost) -> None:
    table = '[{value: "a"}, {weight: "x", value: "b"}, {weight: 0, value: "c"}, {weight: -5}]'
    drawn = await _ask(host, _draws(table))
    assert drawn.count("a") / len(drawn) == pytest.approx(0.5, abs=0.05)
    assert set(drawn) == {"a", "b"}


async def test_pick_gives_one_value_of_any_kind(host: SandboxHost) -> None:
    assert await _ask(host, "weightedChoice.pick([{weight: 2, value: {x: [1]}}])") == {"x": [1]}


@pytest.mark.parametrize(
    ("n", "count"), [("0", 0), ("-3", 0), ('"x"', 0), ("2.9", 2), ("1e9", 10000)]
)
async def test_the_number_of_draws_is_bounded(host: SandboxHost, n: str, count: int) -> None:
    assert len(await _ask(host, f"weightedChoice.pickN([{{value: 1}}], {n})")) == count


@pytest.mark.parametrize(
    "table", ["[]", "null", "{}", "[{weight: 0}]", "[null]", "[{weight: 1/0}]"]
)
async def test_a_table_that_gives_nothing_is_an_error(host: SandboxHost, table: str) -> None:
    assert (await _ask(host, f"weightedChoice.pick({table})")).startswith("Error: weightedChoice:")
