"""Form to files and back, and files to form and back: nothing is lost (STU-06)."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from studio_qt.authoring.subagentform import (
    Opened,
    SubAgentForm,
    form_of_text,
    new_form,
    path_of,
    read_form,
)
from studio_qt.authoring.subagentsaving import config_without, write_form
from studio_qt.errors import StudioError
from studio_qt.jsontext import JsonObject
from studio_qt.package.subagents import Overrides, effective_meta, read_prompt
from studio_qt.package.subagents.prompt import KNOWN
from studio_qt.package.subagents.writing import unknown_value
from tests.authoring.forms import PATH, FakeSource, forms, source_of

pytestmark = pytest.mark.clause("STU-06")


def entry_of(source: FakeSource, index: int = 0) -> object:
    return json.loads(source.files["config.json"])["agents"][index]


def saved(source: FakeSource, **changes: object) -> FakeSource:
    """Open the sub-agent, change the form, and save it."""
    opened = read_form(source, PATH)
    return source.put(write_form(replace(opened.form, **changes), source, opened))


def meaning(source: FakeSource, path: str = PATH) -> object:
    """What an engine makes of a prompt file, alone and under its first entry."""
    prompt = read_prompt(source.files[path].decode())
    alone, _ = effective_meta("it", prompt, path)
    instance = read_form(source, path).instance
    entry = instance.entry if instance is not None and isinstance(instance.entry, dict) else {}
    under, _ = effective_meta("it", prompt, path, Overrides(entry))
    unknown = {name: unknown_value(one) for name, one in prompt.fields.items() if name not in KNOWN}
    agent_id = read_form(source, path).agent_id
    return alone, under, prompt.body, unknown, agent_id


# Form to files to form


@given(forms)
def test_any_form_survives_a_save(form: SubAgentForm) -> None:
    source = source_of()
    source.put(write_form(form, source, new_form()))
    assert read_form(source, path_of(form.name)).form == form


@given(forms, forms)
def test_any_form_survives_a_save_over_overrides_of_another(
    first: SubAgentForm, second: SubAgentForm
) -> None:
    entry = {"id": "eve.marcus", "implementation": "studio.sub-agent"}
    fields = {"history": first.history, "model": first.model, "maxTokens": first.max_tokens}
    fields |= {"temperature": first.temperature, "debug": first.debug, "note": "kept"}
    fields |= {"contextFiles": list(first.context_files)}
    source = source_of(
        "---\ndescription: x\ntemperature: 0.3\nmaxTokens: 70\n---\nBody",
        {**entry, "promptFile": "marcus.subagent.md", **fields},
    )
    form = replace(second, name="marcus")
    saved(source, **{name: getattr(form, name) for name in form.__slots__})
    assert read_form(source, PATH).form == form
    assert entry_of(source)["note"] == "kept"


@given(forms)
def test_a_second_save_changes_nothing(form: SubAgentForm) -> None:
    source = source_of()
    source.put(write_form(form, source, new_form()))
    before = dict(source.files)
    opened = read_form(source, path_of(form.name))
    assert source.put(write_form(opened.form, source, opened)).files == before


# Files to form to files

_VALUES = (
    "recent:10",
    "recent: 7 # the last ones",
    "full",
    "FULL",
    "none",
    "~",
    "worker",
    '"main"',
    "gpt-9",
    "400",
    '"400"',
    "9000",
    "0",
    "1_000",
    "1.0",
    ".2",
    "2e-1",
    "lots",
    "yes",
    "off",
    "[.a.txt, '.b c.txt']",
    '\n  - .a.txt # first\n  - ".b"',
    ".a.txt, .b.txt",
    ">\n  Finds a name\n  that is free.\n\n  Ask it. # 1",
    "|+\n  Keeps\n   lines\n\n",
    "Finds: a #1 name",
    "'it''s'",
    '"a\\tb\\u00e9"',
    '{"type": "object", "properties": {"q": {"type": "string"}}}',
    "\n  type: object\n  properties:\n    q: {type: string}",
    "",
)
_KEYS = (*KNOWN, '"description"', "'maxTokens'", "x-own", "shared-agents", "maxtokens", "# model")
_heads = st.lists(
    st.tuples(st.sampled_from(_KEYS), st.sampled_from(_VALUES))
    | st.sampled_from(("# a comment", "", "junk", "  - stray", "\t# tabbed")),
    max_size=9,
)
_bodies = st.text(st.sampled_from("aé \n\r\t-#%✨\u2028\u00a0:"), max_size=40) | st.sampled_from(
    ("---\nnot a head\n---\n", "no end", "\r\n", "%%STORE:x%%\r\n---", "\ufeffmark")
)


def hand_written(head: list[object], body: str, *, mark: bool, end: str) -> str:
    lines = [one if isinstance(one, str) else f"{one[0]}: {one[1]}" for one in head]
    text = "\n".join(["---", *lines, "---", ""]).replace("\n", end)
    return ("\ufeff" if mark else "") + text + body


@given(_heads, _bodies, st.booleans(), st.sampled_from(("\n", "\r\n", "\r")))
@example([("description", "x"), ("id", "eve.marcus")], "\r\n", True, "\r\n")
def test_any_file_survives_open_and_save_without_a_change_of_meaning(
    head: list[object], body: str, mark: bool, end: str
) -> None:
    text = hand_written([("description", "x"), *head], body, mark=mark, end=end)
    source = source_of(text, "marcus.subagent.md")
    before = meaning(source)
    assume(before[0] is not None)
    saved(source)
    assert meaning(source) == before
    assert source.files[PATH].startswith(b"\xef\xbb\xbf") == mark
    assert source.files[PATH].endswith(body.encode())


@given(_heads, st.sampled_from(("marcus", "eve.marcus")), st.dictionaries(
    st.sampled_from(("history", "model", "contextFiles", "maxTokens", "note", "topP")),
    st.sampled_from(("main", "recent:3", [".a.txt"], 70, None, 0.5)),
))  # fmt: skip
def test_an_entry_survives_open_and_save_without_a_change_of_meaning(
    head: list[object], agent_id: str, fields: JsonObject
) -> None:
    entry = {"id": agent_id, "implementation": "studio.sub-agent", **fields}
    entry["promptFile"] = "marcus.subagent.md"
    text = hand_written([("description", "x"), *head], "Be.", mark=False, end="\n")
    source = source_of(text, entry)
    before = meaning(source)
    assume(before[1] is not None)
    saved(source)
    assert meaning(source)[1:] == before[1:]


_SIGNS = st.sampled_from("-:#\n\r \t'\"[]{}|>%,&*!")
_ANYTHING = st.text(st.characters(exclude_categories=("Cs",)) | _SIGNS, max_size=80)
_FRAMES = st.sampled_from(("---\n{}\n---\n{}", "{}{}", "\ufeff---\r\n{}\r\n---{}"))


@given(_ANYTHING, _ANYTHING, _FRAMES)
def test_any_text_opens_and_saves_or_is_refused_with_a_reason(
    head: str, body: str, frame: str
) -> None:
    source = source_of(frame.format(head, body), "marcus.subagent.md")
    try:
        opened = read_form(source, PATH)
    except StudioError as error:
        assert "Mend it in the editor" in str(error)
        return
    raw = read_prompt(source.files[PATH].decode())
    source.put(write_form(opened.form, source, opened))
    again = read_form(source, PATH)
    assert again.form == opened.form
    assert read_prompt(source.files[PATH].decode()).body == raw.body.removeprefix(
        "" if raw.head else "\ufeff"
    )


def test_the_body_is_kept_to_the_byte_and_an_edited_one_keeps_its_line_ends() -> None:
    source = source_of(
        "---\r\ndescription: x\r\n---\r\none\r\ntwo\nthree\r\n", "marcus.subagent.md"
    )
    saved(source, description="Asks.")
    assert source.files[PATH].endswith(b"description: Asks.\r\n---\r\none\r\ntwo\nthree\r\n")
    saved(source, body="one\nnew\ntwo\nthree\n")
    assert source.files[PATH].endswith(b"---\r\none\r\nnew\r\ntwo\nthree\r\n")


def test_a_file_without_frontmatter_becomes_one_with_its_text_as_the_body() -> None:
    source = source_of("You are Marcus.\n")
    saved(source, description="Speaks as Marcus.")
    assert source.files[PATH] == b"---\ndescription: Speaks as Marcus.\n---\nYou are Marcus.\n"


@pytest.mark.parametrize("text", ["---\ndescription: x\n", f"---\nx: {'y' * 33_000}\n---\nBe."])
def test_a_head_that_a_form_could_not_keep_is_not_opened(text: str) -> None:
    with pytest.raises(StudioError, match=r"marcus.*Mend it in the editor"):
        read_form(source_of(text), PATH)


def test_a_field_that_cannot_be_read_is_named_and_mended_by_a_save() -> None:
    source = source_of("---\ndescription: x\nmaxTokens: lots\n---\n", "marcus.subagent.md")
    opened = read_form(source, PATH)
    assert [name for name, _ in opened.mended] == ["maxTokens"]
    saved(source)
    assert source.files[PATH] == b"---\ndescription: x\n---\n"


def test_a_model_that_nobody_may_name_is_told_and_becomes_worker() -> None:
    source = source_of("---\ndescription: x\nmodel: gpt-9\n---\n", "marcus.subagent.md")
    opened = read_form(source, PATH)
    assert opened.form.model == "worker"
    assert "gpt-9" in dict(opened.mended)["model"]


def test_a_new_sub_agent_never_takes_the_file_of_another() -> None:
    source = source_of("---\ndescription: x\n---\n")
    with pytest.raises(StudioError, match="there by now"):
        write_form(SubAgentForm("marcus", "Speaks."), source, new_form())


# Entries: the graduation rule


def test_a_new_sub_agent_without_wiring_is_listed_by_its_file_alone() -> None:
    source = source_of(None, "test.roller")
    source.put(write_form(SubAgentForm("marcus", "Speaks."), source, new_form()))
    assert json.loads(source.files["config.json"])["agents"] == [
        "test.roller",
        "marcus.subagent.md",
    ]


@pytest.mark.clause("SUB-03")
def test_grants_make_an_object_and_taking_them_away_a_bare_name_again() -> None:
    source = source_of("---\ndescription: x\n---\nBe.", "marcus.subagent.md")
    saved(source, shared=("studio.history-search",), private=("studio.memory-store",))
    assert entry_of(source) == {
        "id": "marcus",
        "implementation": "studio.sub-agent",
        "promptFile": "marcus.subagent.md",
        "shared-agents": ["studio.history-search"],
        "private-agents": ["studio.memory-store"],
    }
    saved(source, shared=(), private=())
    assert entry_of(source) == "marcus.subagent.md"


def test_an_id_of_its_own_keeps_the_object_and_the_file_may_give_it() -> None:
    entry = {"id": "eve.marcus", "implementation": "studio.sub-agent"}
    entry["promptFile"] = "marcus.subagent.md"
    source = source_of("---\ndescription: x\n---\n", entry)
    saved(source)
    assert entry_of(source) == entry
    source = source_of("---\ndescription: x\nid: eve.marcus\n---\n", entry)
    saved(source)
    assert entry_of(source) == "marcus.subagent.md"


@pytest.mark.clause("SUB-03")
def test_an_edit_of_an_overridden_field_stays_with_its_instance() -> None:
    entry = {"id": "eve.marcus", "implementation": "studio.sub-agent", "model": "main"}
    entry |= {"promptFile": "marcus.subagent.md", "maxTokens": 300}
    source = source_of("---\ndescription: x\nmaxTokens: 100\n---\n", entry)
    saved(source, max_tokens=200, history="full")
    assert entry_of(source) == {**entry, "maxTokens": 200}
    assert b"maxTokens: 100" in source.files[PATH]
    assert b"history: full" in source.files[PATH]
    saved(source, max_tokens=100)  # what the file says anyway
    assert "maxTokens" not in entry_of(source)


def test_a_chosen_instance_is_edited_and_the_others_stay() -> None:
    first = {"id": "eve.one", "implementation": "studio.sub-agent"}
    first |= {"promptFile": "marcus.subagent.md", "description": "One."}
    second = {**first, "id": "eve.two", "description": "Two."}
    source = source_of("---\ndescription: x\n---\n", first, second)
    opened = read_form(source, PATH, 1)
    assert (opened.agent_id, opened.form.description) == ("eve.two", "Two.")
    assert [one.agent_id for one in opened.instances] == ["eve.one", "eve.two"]
    source.put(write_form(replace(opened.form, description="2."), source, opened))
    assert (entry_of(source), entry_of(source, 1)) == (first, {**second, "description": "2."})


def test_composed_private_agents_and_unknown_keys_are_kept_to_the_letter() -> None:
    private = '{ "id" : "swords",  "implementation":"studio.context-access", "n": 1.50 }'
    config = (
        '{\n\t"agents": [\n\t\t{ "id": "marcus", "x": 1e2, "implementation": "studio.sub-agent",'
        f' "promptFile": "marcus.subagent.md", "private-agents": [{private}] }}\n\t]\n}}\n'
    )
    source = source_of("---\ndescription: x\n---\nBe.")
    source.put({"config.json": config})
    saved(source, description="Asks.")
    assert source.files["config.json"].decode() == config
    opened = read_form(source, PATH)
    more = (*opened.form.private, "studio.memory-store")
    written = write_form(replace(opened.form, private=more), source, opened)["config.json"]
    assert private in written
    assert '"x": 1e2' in written


def test_an_entry_that_moved_since_it_was_opened_is_found_again() -> None:
    source = source_of("---\ndescription: x\n---\n", "marcus.subagent.md")
    opened = read_form(source, PATH)
    source.put({"config.json": '{"agents": ["test.roller", "marcus.subagent.md"]}'})
    written = write_form(replace(opened.form, shared=("test.roller",)), source, opened)
    agents = json.loads(written["config.json"])["agents"]
    assert agents[0] == "test.roller"
    assert agents[1]["shared-agents"] == ["test.roller"]
    assert len(agents) == 2


def test_a_file_that_is_not_listed_is_by_a_save() -> None:
    source = source_of("---\ndescription: x\n---\n")
    saved(source)
    assert entry_of(source) == "marcus.subagent.md"


def test_a_whole_text_prefills_a_new_form_and_its_other_fields_are_kept() -> None:
    text = '---\nid: eve.poet\ndescription: Rhymes.\nparams: {"type": "object"}\nx: 1\n---\nRhyme.'
    opened = form_of_text(text)
    assert (opened.form.name, opened.form.body, opened.is_new) == ("eve.poet", "Rhyme.", True)
    source = source_of()
    source.put(write_form(opened.form, source, opened))
    written = source.files["agents/eve.poet.subagent.md"].decode()
    assert 'params: {"type": "object"}' in written
    assert "x: 1" in written
    assert "id:" not in written


def test_deleting_takes_out_every_instance() -> None:
    entry = {"id": "b", "implementation": "studio.sub-agent", "promptFile": "marcus.subagent.md"}
    source = source_of("---\n---\n", "marcus.subagent.md", "test.roller", entry)
    assert json.loads(config_without(source, PATH)) == {"agents": ["test.roller"]}


def test_a_broken_config_is_named() -> None:
    source = source_of("---\ndescription: x\n---\n")
    source.put({"config.json": "{ no"})
    with pytest.raises(StudioError, match=r"config\.json cannot be read"):
        read_form(source, PATH)
    with pytest.raises(StudioError, match=r"config\.json cannot be changed"):
        write_form(SubAgentForm("a", "b"), source, Opened(SubAgentForm()))
