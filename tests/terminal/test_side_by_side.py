"""A project and the zip that is exported from it, played in two processes, ask the same."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from studio_qt.authoring.exporting import build_package, plan_export, write_zip
from studio_qt.package import load_package
from studio_qt.package.projects import template_names
from studio_qt.resources import copy_resources
from tests.support.model_server import ModelServer, Recorded, Reply, text, tool_calls
from tests.terminal.conftest import Studio

_BY_CHANCE = frozenset(
    {"roll_dice", "watch_sea", "tend_lamp", "read_log", "write_log", "sound_horn", "count_boats"}
    | {"read_omens"}
)
"""Tools whose results two runs cannot share."""

_WATCH = "## The light at Graypoint, as it is now"
_TURNS = ("Good evening. Who are you?", "Write down that the rope is at the mill.", "And now?")


def _answer(request: Recorded) -> Reply:
    """Call every tool that is offered once a turn, then answer."""
    if request.messages[-1]["role"] != "user" or not request.tools:
        return text("Aye.")
    calls = [
        (function["name"], _arguments(function["parameters"]))
        for function in (tool["function"] for tool in request.tools)
        if function["name"] not in _BY_CHANCE
    ]
    said = len(request.messages)
    return tool_calls(*calls, ids=[f"call-{said}-{number}" for number in range(len(calls))])


def _still(request: Recorded) -> dict[str, Any]:
    """Return a request without what its agents threw dice for: the weather, and boats at sea."""
    body = request.body
    for message in body["messages"]:
        if _WATCH in str(message["content"]):
            message["content"] = _WATCH
    return body


def _arguments(schema: dict[str, Any]) -> dict[str, Any]:
    """Return the least that fits."""
    properties = schema.get("properties", {})
    return {name: _value(properties.get(name, {})) for name in schema.get("required", [])}


def _value(schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return schema["enum"][0]
    plain = {"string": "the rope", "integer": schema.get("minimum", 1), "boolean": True}
    return plain.get(schema.get("type", "string"), 1)


@pytest.mark.clause("STU-11")
@pytest.mark.parametrize("template", template_names())
def test_the_project_and_its_zip_send_the_same_requests_turn_by_turn(
    template: str, studio: Studio, model: ModelServer, tmp_path: Path
) -> None:
    project, packed = tmp_path / "project", tmp_path / "packed.zip"
    copy_resources(f"templates/{template}", project)
    built = asyncio.run(build_package(plan_export(load_package(project))))
    write_zip(packed, built.files)
    model.always = _answer
    sent = []
    for place in (project, packed):
        model.requests.clear()
        words = ("play", place, "--base-url", model.base_url, "--model", "test-model", "--json")
        run = studio(*words, "--data-dir", tmp_path / f"data-{place.stem}", lines=_TURNS)
        assert run.code == 0, run.err
        sent.append([_still(request) for request in model.requests])
    assert len(sent[0]) > len(_TURNS) or template == "blank"
    assert sent[0] == sent[1]
