"""Sources and strategies for the tests of the sub-agent form."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

from hypothesis import strategies as st

from studio_qt.authoring.subagentform import SubAgentForm

__all__ = ["FakeSource", "forms", "source_of"]

PATH = "agents/marcus.subagent.md"


@dataclass
class FakeSource:
    """Files in memory."""

    files: dict[str, bytes] = field(default_factory=dict)
    name: str = "ada"

    def exists(self, path: str) -> bool:
        return path in self.files

    def read_bytes(self, path: str) -> bytes:
        if path not in self.files:
            raise FileNotFoundError(path)
        return self.files[path]

    def list_folder(self, path: str) -> tuple[str, ...]:
        inside = (one.removeprefix(f"{path}/") for one in self.files if one.startswith(f"{path}/"))
        return tuple(sorted(name for name in inside if "/" not in name))

    def put(self, texts: dict[str, str]) -> FakeSource:
        """Take what was written."""
        self.files.update({path: text.encode("utf-8") for path, text in texts.items()})
        return self


def source_of(prompt: str | None = None, *entries: object, **files: str) -> FakeSource:
    """Return a character with one prompt file."""
    texts = {"config.json": json.dumps({"agents": list(entries)}, indent=2), **files}
    if prompt is not None:
        texts[PATH] = prompt
    return FakeSource().put(texts)


# What a file can hold: neither NUL nor half a pair; Qt and Python alike take \r for a line end.
_texts = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0\r"), max_size=60)
_lines = st.lists(_texts, max_size=4).map("\n".join)
_names = st.from_regex(r"\.?[A-Za-z][\w. ,#:'-]{0,8}[\w]", fullmatch=True)
_ids = st.from_regex(r"[a-z]{1,5}(\.[a-z-]{1,6}[a-z])?", fullmatch=True)
_json = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**6), 10**6) | _texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(_texts, inner, max_size=2),
    max_leaves=4,
)
_composed = st.fixed_dictionaries(
    {"id": _ids, "implementation": _ids}, optional={"contextFile": _names, "more": _json}
)

forms = st.builds(
    SubAgentForm,
    name=_ids,
    description=_lines.map(str.strip),
    body=_lines.map(lambda text: text.lstrip("\ufeff")),
    history=st.sampled_from(("none", "full")) | st.integers(1, 999).map("recent:{}".format),
    context_files=st.lists(_names, max_size=3).map(tuple),
    model=st.sampled_from(("worker", "main")),
    max_tokens=st.integers(-10, 20_000),
    max_rounds=st.integers(-10, 20),
    temperature=st.none() | st.floats(-1, 3, allow_nan=False),
    top_p=st.none() | st.floats(-1, 3, allow_nan=False),
    debug=st.booleans(),
    shared=st.lists(_ids, max_size=3).map(tuple),
    private=st.lists(_ids | _composed, max_size=3).map(tuple),
)
"""Any form that the form can express, right or wrong."""
