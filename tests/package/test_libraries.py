from __future__ import annotations

from pathlib import Path

import pytest

from studio_qt.package.scanning import is_es_module
from tests.package.conftest import Files, Load, js, messages

UMD = "(function (g) { 'use strict'; g.lib = { name: '%s' }; }(globalThis));"

pytestmark = pytest.mark.clause("LIB-01")


def agent_with(*names: str) -> Files:
    return {"agents/my.a.js": js("my.a", *(f"@lib {name}" for name in names))}


def test_a_library_is_found_by_its_name_or_minified(load: Load) -> None:
    files = agent_with("one", "two")
    files |= {"agents/lib/one.js": UMD % "one", "agents/lib/one.min.js": UMD % "no"}
    files |= {"agents/lib/two.min.js": "\ufeff" + UMD % "two"}
    package = load(files, agents=["my.a"])
    assert [(lib.name, lib.file) for lib in package.agents[0].libraries] == [
        ("one", "agents/lib/one.js"),
        ("two", "agents/lib/two.min.js"),
    ]
    assert package.agents[0].libraries[1].source == UMD % "two"
    assert package.problems == ()


def test_a_name_with_its_suffix_gets_a_hint(load: Load) -> None:
    package = load({**agent_with("x.js"), "agents/lib/x.js": UMD}, agents=["my.a"])
    assert 'leave .js off, write "x"' in messages(package)[0]


def test_a_shipped_library_is_the_last_choice(load: Load) -> None:
    package = load(agent_with("weighted-choice"), agents=["my.a"])
    [library] = package.agents[0].libraries
    assert library.file == "studio:agents/lib/weighted-choice.js"
    assert package.problems == ()


def test_a_missing_library_is_a_problem_of_the_agents_file(load: Load) -> None:
    package = load(agent_with("none", "weighted-choice"), agents=["my.a"])
    assert len(package.agents[0].libraries) == 1
    assert messages(package) == [
        'error: agents/my.a.js, line 3: @lib "none" is missing; put the library at '
        "agents/lib/none.js."
    ]


@pytest.mark.clause("PKG-14")
@pytest.mark.parametrize("name", ["../x", "/x", "a/b", "..\\x", "C:x", "a..b"])
def test_a_library_name_never_becomes_a_path(load: Load, name: str) -> None:
    files = {**agent_with(name), "agents/x.js": UMD, "x.js": UMD}
    package = load(files, agents=["my.a"])
    assert package.agents[0].libraries == ()
    assert "is not loaded: the name" in messages(package)[0]


@pytest.mark.clause("PKG-04")
def test_a_library_that_is_a_link_out_is_not_read(load: Load, tmp_path: Path) -> None:
    load({"agents/lib/other.js": UMD})
    (tmp_path / "secret.js").write_text(UMD)
    (tmp_path / "Aria/agents/lib/x.js").symlink_to(tmp_path / "secret.js")
    package = load(agent_with("x"), agents=["my.a"])
    assert package.agents[0].libraries == ()
    assert "link" in messages(package)[0]


def test_an_es_module_is_refused_with_its_file(load: Load) -> None:
    files = {**agent_with("x"), "agents/lib/x.js": "const a = 1;\nexport { a };\n"}
    package = load(files, agents=["my.a"])
    assert package.agents[0].libraries == ()
    assert messages(package) == [
        "error: agents/lib/x.js: is an ES module, which cannot be a library; use its UMD or "
        "browser build."
    ]


@pytest.mark.parametrize(
    "text",
    [
        "export default 1",
        "export{a as b};",
        "a();export*from'x'",
        "export const a = 1",
        "export  async function f() {}",
        "export class A {}",
        "import x from 'y'",
        "import{a}from'y'",
        "import'y'",
        "import * as a from 'y'",
        "import a, {b} from 'y'",
        "/* c */export let a",
        "`${1}`;export var a",
    ],
)
def test_import_and_export_statements_make_an_es_module(text: str) -> None:
    assert is_es_module(text)


@pytest.mark.parametrize(
    "text",
    [
        UMD,
        "module.exports = {}; exports.a = 1;",
        "// export default 1",
        "/* import x from 'y' */",
        "'export default 1'; \"import x from 'y'\"; `export {a}`",
        "const r = /export default/;",
        "a.export = {}; a.import('x'); var exported, imports, export_default;",
        "import('x').then(f); import.meta",
        "({ export: 1, import: 2 })",
        "x = { $export: 1 }; my$export = { a }",
    ],
)
def test_a_script_that_only_speaks_of_modules_is_none(text: str) -> None:
    assert not is_es_module(text)


@pytest.mark.clause("MAN-05")
@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("my.a.py", '"""@agent my.a\n@lib weighted-choice"""'),
        ("my.a.lua", "--[[@agent my.a\n@lib weighted-choice]]"),
    ],
)
def test_python_and_lua_agents_get_a_warning_and_no_library(
    load: Load, file: str, source: str
) -> None:
    package = load({f"agents/{file}": source}, agents=["my.a"])
    assert package.agents[0].libraries == ()
    assert any(
        line.startswith(f"warning: agents/{file}, line 2: declares @lib")
        for line in messages(package)
    )
