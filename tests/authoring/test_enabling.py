"""Whether a file is in use, and the entry that puts it to use."""

from __future__ import annotations

import pytest

from studio_qt.authoring.enabling import enabled_config, entry_name, is_enabled

CONFIG = """{
    "name":  "Ada",
    "agents": [
        "studio.memory-store",
        { "id": "ada.marcus", "implementation": "studio.sub-agent",
          "promptFile": "marcus.subagent.md", "private-agents": ["ada.secret"] }
    ],
    "mine": 1.50
}
"""


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("agents/keeper.maps.ts", "keeper.maps"),
        ("agents/keeper.omens.py", "keeper.omens"),
        ("agents/marcus.subagent.md", "marcus.subagent.md"),
        ("agents/lib/dice.js", None),
        ("agents/readme.txt", None),
        ("agents/.subagent.md", None),
        ("notes/keeper.maps.ts", None),
    ],
)
def test_only_what_an_entry_can_name_is_a_file_of_an_agent(path: str, name: str | None) -> None:
    assert entry_name(path) == name


@pytest.mark.clause("STU-07")
def test_a_file_is_in_use_by_its_name_by_an_instance_and_by_a_private_grant() -> None:
    from studio_qt.jsontext import decode_object

    config = decode_object(CONFIG)
    for path in ("studio.memory-store.js", "marcus.subagent.md", "ada.secret.lua"):
        assert is_enabled(config, f"agents/{path}")
    assert not is_enabled(config, "agents/ada.open.py")


@pytest.mark.clause("STU-07", "PKG-12")
def test_enabling_adds_one_entry_and_changes_no_other_letter() -> None:
    text = enabled_config(CONFIG, "agents/ada.open.py")
    assert text.replace(',\n        "ada.open"', "", 1) == CONFIG
    assert enabled_config(text, "agents/ada.open.py") == text


def test_enabling_makes_the_list_where_there_is_none_and_refuses_what_it_cannot_mend() -> None:
    assert '"agents": ["ada.open"]' in enabled_config('{"name": "Ada"}', "agents/ada.open.py")
    for text in ("{", "[]", '{"agents": {}}'):
        with pytest.raises(ValueError):
            enabled_config(text, "agents/ada.open.py")
