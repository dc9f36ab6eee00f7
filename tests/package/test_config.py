from __future__ import annotations

import json

import pytest

from studio_qt.errors import PackageError
from studio_qt.package import load_package
from tests.package.conftest import Load, js, messages


@pytest.mark.clause("PKG-10")
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{\n "name": "A",\n "agents" []\n}', "line 3: it is not JSON: Expecting ':'"),
        ('{\n "a": NaN}', "line 2: it is not JSON"),
        ("", "line 1: it is not JSON"),
        ("[]", "an object was expected"),
        ('"text"', "an object was expected"),
        ("[" * 100_000, "it is not JSON"),
        ('{"a": ' + "9" * 5000 + "}", "a number has more than 4,000 digits"),
        (b'{"a": 1}\n\xff', "line 2: is not UTF-8"),
        ("{}".encode("utf-16"), "UTF-16"),
    ],
)
def test_a_config_that_is_no_json_object_cannot_be_opened(
    load: Load, text: str | bytes, words: str
) -> None:
    with pytest.raises(PackageError) as caught:
        load({"config.json": text})
    assert "config.json" in str(caught.value)
    assert words in str(caught.value)


@pytest.mark.clause("PKG-10")
def test_a_wrong_type_is_a_problem_with_its_line_and_everything_else_loads(load: Load) -> None:
    config = '{\n"name": 3,\n"version": 1.0,\n"model": [],\n"fileMappings": "x",\n"agents": {}\n}'
    package = load({"config.json": config})
    assert [problem.line for problem in package.problems] == [2, 3, 4, 5, 6]
    assert messages(package)[4] == (
        'error: config.json, line 6: "agents" must be a list; put the names in [ ].'
    )
    assert package.name == "Aria"
    assert package.version is None and package.model is None
    assert package.read_texts().instructions == "Be Aria."


@pytest.mark.clause("PKG-10")
def test_a_broken_entry_is_told_by_its_number_and_the_others_load(load: Load) -> None:
    config = (
        '{"agents": [\n3,\n"my.a",\n{"id": "x"},\n{"id": 4, "implementation": "my.a"},\n"",\nnull]}'
    )
    package = load({"config.json": config, "agents/my.a.js": js("my.a")})
    assert [agent.id for agent in package.agents] == ["my.a"]
    assert [problem.line for problem in package.problems] == [2, 4, 5, 6, 7]
    assert '"agents", entry 3 has no "implementation"' in messages(package)[1]
    assert '"agents", entry 4, "id" must be a name in quotes' in messages(package)[2]


@pytest.mark.clause("PKG-15")
@pytest.mark.parametrize(
    ("config", "name"),
    [({"name": " Aria Müller "}, "Aria Müller"), ({}, "Aria"), ({"name": "  "}, "Aria")],
)
def test_the_name_is_that_of_the_config_or_of_the_folder(
    load: Load, config: dict[str, object], name: str
) -> None:
    assert load(**config).name == name


@pytest.mark.clause("PKG-15")
def test_model_and_version_are_the_authors_or_none(load: Load) -> None:
    package = load(model="some/model", version="1.2")
    assert (package.model, package.version) == ("some/model", "1.2")
    assert load(model=" ", version=" ").version is None
    package = load(model=None)
    assert (package.model, package.version, package.problems) == (None, None, ())


@pytest.mark.clause("PKG-12")
def test_unknown_keys_are_kept_and_no_problem(load: Load) -> None:
    package = load(name="A", theme={"deep": [1, 2]}, agents=[])
    assert package.config["theme"] == {"deep": [1, 2]}
    assert package.problems == ()


@pytest.mark.clause("PKG-11")
def test_a_byte_order_mark_and_crlf_are_read_and_lines_stay_right(load: Load) -> None:
    text = "\ufeff" + '{\r\n"name": "Ärger 世",\r\n"agents": 1\r\n}'
    package = load({"config.json": text})
    assert package.name == "Ärger 世"
    assert package.problems[0].line == 3


def test_a_key_given_twice_is_a_warning_where_it_is_given_again(load: Load) -> None:
    package = load({"config.json": '{"name": "A",\n"agents": [],\n"name": "B"}'})
    assert package.name == "B"
    assert messages(package) == [
        'warning: config.json, line 3: "name" is given twice and the last one counts; take one out.'
    ]


@pytest.mark.clause("PKG-03")
def test_a_key_of_file_mappings_that_is_none_is_a_warning(load: Load) -> None:
    package = load(fileMappings={"Instruction": "x.txt"})
    assert '"Instruction" is no key of fileMappings' in messages(package)[0]
    assert package.problems[0].severity == "warning"


@pytest.mark.clause("PKG-10")
def test_what_is_not_there_cannot_be_opened(tmp_path: object, load: Load) -> None:
    for where in ("", "nowhere", f"{tmp_path}/none.zip", "a\0b", "n" * 5000):
        with pytest.raises(PackageError, match=r"There is no|cannot be opened"):
            load_package(where)


@pytest.mark.clause("PKG-01")
def test_a_folder_without_config_cannot_be_opened(load: Load) -> None:
    root = load().source.root  # type: ignore[attr-defined]
    (root / "config.json").rename(root / "other.json")
    with pytest.raises(PackageError, match=r"Aria has no config\.json"):
        load_package(root)


@pytest.mark.clause("PKG-10")
def test_a_config_that_is_a_folder_cannot_be_opened(load: Load) -> None:
    root = load().source.root  # type: ignore[attr-defined]
    (root / "config.json").unlink()
    (root / "config.json").mkdir()
    with pytest.raises(PackageError, match="is a folder"):
        load_package(root)


@pytest.mark.clause("PKG-04", "PKG-10")
def test_a_config_that_is_a_link_out_is_not_read(load: Load) -> None:
    root = load().source.root  # type: ignore[attr-defined]
    (root.parent / "outside.json").write_text('{"name": "outside"}')
    (root / "config.json").unlink()
    (root / "config.json").symlink_to(root.parent / "outside.json")
    with pytest.raises(PackageError, match="link"):
        load_package(root)


@pytest.mark.clause("PKG-10")
def test_a_config_of_unusual_size_and_depth_still_loads(load: Load) -> None:
    deep: object = 1
    for _ in range(200):
        deep = [deep]
    package = load({"config.json": json.dumps({"name": "A", "extra": deep, "agents": 5})})
    assert package.problems[0].line == 1
