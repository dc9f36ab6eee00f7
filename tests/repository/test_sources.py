"""What holds for the sources as a whole."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pkgutil
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

import studio_qt

ROOT = Path(__file__).resolve().parents[2]
MODULES = sorted(
    info.name
    for info in pkgutil.walk_packages(studio_qt.__path__, "studio_qt.")
    if not info.name.endswith(".__main__")
)


@pytest.mark.parametrize("name", MODULES)
def test_each_module_lists_its_public_names_truly(name: str) -> None:
    module = importlib.import_module(name)
    public = getattr(module, "__all__", None)
    if public is None:
        defined = [
            thing
            for key, thing in vars(module).items()
            if not key.startswith("_") and getattr(thing, "__module__", None) == name
        ]
        assert not defined, f"{name} has no __all__, but {defined}"
        return
    assert len(public) == len(set(public))
    assert [key for key in public if not hasattr(module, key)] == []


@pytest.mark.parametrize("name", MODULES)
def test_every_public_method_has_a_docstring_unless_it_overrides_one(name: str) -> None:
    classes = vars(importlib.import_module(name)).values()
    bare = [
        f"{owner.__name__}.{key}"
        for owner in classes
        if isinstance(owner, type) and owner.__module__ == name and owner.__name__[0] != "_"
        for key, method in vars(owner).items()
        if inspect.isfunction(method) and key[0] != "_" and not method.__doc__
        if not any(hasattr(base, key) for base in owner.__mro__[1:])
    ]
    assert bare == []


def test_importing_the_library_and_its_engine_loads_no_qt() -> None:
    code = (
        "import sys, json, studio_qt, studio_qt.engine.player, studio_qt.terminal.play;"
        "print(json.dumps([m for m in sys.modules if m.split('.')[0] in"
        " ('PySide6', 'shiboken6', 'qasync')]))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert json.loads(run.stdout) == []


def test_the_version_is_told_once_and_in_the_changes() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {studio_qt.__version__}" in changes


def _imported(path: Path) -> Iterator[str]:
    """Yield the top names of everything that a source imports, lazily or not."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield node.module.split(".")[0]


def test_what_the_program_imports_is_a_declared_dependency() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = {re.split(r"[>=<; ]", name)[0].lower() for name in project["dependencies"]}
    homes = packages_distributions()
    imported = {name for path in (ROOT / "studio_qt").rglob("*.py") for name in _imported(path)}
    foreign = imported - set(sys.stdlib_module_names) - {"studio_qt"}
    undeclared = {
        name
        for name in foreign
        if not declared & {home.lower().replace("_", "-") for home in homes.get(name, ())}
    }
    assert undeclared == set()


def test_every_dependency_has_a_lower_bound_and_a_row_in_the_handbook() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    table = (ROOT / "resources" / "handbook" / "dependencies.md").read_text(encoding="utf-8")
    extras = [name for group in project["optional-dependencies"].values() for name in group]
    for requirement in (*project["dependencies"], *extras):
        name, bound = re.match(r"([\w-]+)(>=|==)?", requirement).groups()
        assert bound, requirement
        assert f"| {name} |" in table, f"{name} has no row in dependencies.md"
