"""Mends of agents' files: tags of the manifest, and functions that it promises."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath

from studio_qt.authoring.completing.bridge import signature
from studio_qt.authoring.completing.declarations import declarations
from studio_qt.authoring.completing.manifest import manifest_start
from studio_qt.authoring.mending.bench import Bench, Mend, on_line
from studio_qt.authoring.references import TextEdit, manifest_named
from studio_qt.errors import Fault, Problem
from studio_qt.package.alike import closest
from studio_qt.package.builtins import SUFFIXES
from studio_qt.package.manifest import APIS, HOOKS
from studio_qt.package.model import Language
from studio_qt.sandbox.names import handler_name

__all__ = ["WAYS"]

_OUT = "\n"
_FORMS: Mapping[Language, tuple[str, str, str]] = {
    "javascript": ("/**\n", " * ", " */\n"),
    "typescript": ("/**\n", " * ", " */\n"),
    "python": ('"""\n', "", '"""\n'),
    "lua": ("--[[\n", "", "]]\n"),
}
_NO_NAME = re.compile(r"[^A-Za-z0-9_-]+")


def _tag_unknown(bench: Bench, problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    tag, meant = fault.names
    pattern = re.compile(rf"@{re.escape(tag)}(?![\w-])")
    edit = on_line(problem.line, lambda line: pattern.sub(f"@{meant}", line, count=1))
    yield bench.mend(f"Write @{meant}", (problem.file, edit))
    yield _line_out(bench, problem, f"Take @{tag} out", tag)


def _api_unknown(bench: Bench, problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    (name,) = fault.names
    short = {one.rpartition(".")[2]: one for one in APIS}
    meant = closest(name, APIS) or short.get(closest(name.rpartition(".")[2], short) or "")
    yield from _value(bench, problem, "api", name, meant)


def _hook_unknown(bench: Bench, problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    (name,) = fault.names
    bare = re.sub(r"^on_?", "", name, flags=re.IGNORECASE)
    yield from _value(bench, problem, "hook", name, closest(bare, HOOKS, at_least=0.7))


def _value(
    bench: Bench, problem: Problem, tag: str, name: str, meant: str | None
) -> Iterator[Mend | None]:
    if meant is not None:
        pattern = re.compile(rf"(@{tag}[ \t]+){re.escape(name)}(?![\w.-])")
        edit = on_line(problem.line, lambda line: pattern.sub(rf"\g<1>{meant}", line, count=1))
        yield bench.mend(f"Write @{tag} {meant}", (problem.file, edit))
    yield _line_out(bench, problem, f"Take @{tag} {name}".rstrip() + " out", tag)


def _line_out(bench: Bench, problem: Problem, title: str, tag: str) -> Mend | None:
    """Take the line of a tag out, where nothing but the tag stands on it."""
    alone = re.compile(rf"[ \t]*\*?[ \t]*@{re.escape(tag)}(?![\w-]).*")
    edit = on_line(problem.line, lambda line: _OUT if alone.fullmatch(line) else line)
    return bench.mend(title, (problem.file, edit))


def _lib_unused(bench: Bench, problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    edits = [(problem.file, _without_lib(name)) for name in fault.names]
    yield bench.mend("Take @lib out", *edits)


def _lib_missing(bench: Bench, problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    (name,) = fault.names
    bare = name.removesuffix(".js").removesuffix(".min")
    known = bench.facts.libraries
    meant = bare if bare != name and bare in known else closest(bare, known, at_least=0.6)
    if meant is None and bare != name:
        meant = bare
    yield from _value(bench, problem, "lib", name, meant)


def _lib_module(bench: Bench, _problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    name, file = fault.names
    yield bench.mend(f"Take @lib {name} out of {file}", (file, _without_lib(name)))


def _without_lib(name: str) -> TextEdit:
    line = re.compile(
        rf"^[ \t]*\*?[ \t]*@lib[ \t]+{re.escape(name)}[ \t]*(?:\r\n|\r|\n)", re.MULTILINE
    )

    def edit(text: str) -> str:
        if line.search(text) is None:
            raise ValueError("there is no such line")
        return line.sub("", text, count=1)

    return edit


def _agent_name(bench: Bench, problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    said, wanted = fault.names
    yield bench.mend(f"Write @agent {wanted}", (problem.file, manifest_named(said, wanted)))


def _manifest_missing(bench: Bench, problem: Problem, _fault: Fault) -> Iterator[Mend | None]:
    found = _of_file(problem.file)
    if found is None:
        return
    stem, language = found
    opening, star, closing = _FORMS[language]
    block = f"{opening}{star}@agent {stem}\n{closing}\n"

    def begin(text: str) -> str:
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        body = text.removeprefix("\ufeff")
        first = ""
        if body.startswith("#!"):
            first, _, body = body.partition("\n")
            first += "\n"
        return mark + first + block + body

    yield bench.mend("Begin the file with a manifest", (problem.file, begin))


def _agent_tag_missing(bench: Bench, problem: Problem, _fault: Fault) -> Iterator[Mend | None]:
    found = _of_file(problem.file)
    if found is None:
        return
    stem, language = found
    star = _FORMS[language][1]

    def insert(text: str) -> str:
        start = manifest_start(text, language)
        if start is None:
            raise ValueError("there is no manifest")
        rest = text[start:]
        line = "" if rest.startswith(("\n", "\r\n")) else f"\n{star}"
        return f"{text[:start]}\n{star}@agent {stem}{line}{rest}"

    yield bench.mend(f"Write @agent {stem}", (problem.file, insert))


def _tool_name(bench: Bench, problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    """Write a name that every server takes, where the code has it in quotes too."""
    (name,) = fault.names
    plain = _NO_NAME.sub("_", name).strip("_")[:64]
    if not plain or plain == name:
        return
    tag = re.compile(rf"(@tool[ \t]+){re.escape(name)}(?=\s|$)")
    quoted = re.compile(rf"([\"']){re.escape(name)}\1")

    def rename(text: str) -> str:
        if tag.search(text) is None:
            raise ValueError("there is no such tool")
        text = tag.sub(lambda found: found[1] + plain, text)
        return quoted.sub(lambda found: f"{found[1]}{plain}{found[1]}", text)

    yield bench.mend(f"Call it {plain}", (problem.file, rename))


def _handler_missing(bench: Bench, problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    found = _of_file(problem.file)
    if found is None:
        return
    language = found[1]
    name = handler_name(language, fault.names[0])
    stub = _stub(fault.names[0], language)

    def append(text: str) -> str:
        return f"{text.rstrip()}\n\n{stub}"

    yield bench.mend(f"Write the function {name}", (problem.file, append))


def _stub(name: str, language: Language) -> str:
    """Return a function that does nothing yet; commands take a text."""
    member = declarations()["Handlers"].members.get(name)
    if member is not None:
        called = signature(member, language)
    else:
        called = f"{name}(args, store, studio, context)"
    result = 'return "Nothing was done."' if name == "onToolCall" else ""
    match language:
        case "python":
            if language == "python" and name != "onToolCall":
                result = "return None"
            return f"\ndef {called}:\n    {result}\n"
        case "lua":
            return f"function {called}\n  {result or 'return nil'}\nend\n"
        case "typescript":
            words = re.sub(r"(\w+)(?=[,)])", r"\1: any", called)
            return f"export function {words} {{\n  {result or 'return null;'}\n}}\n"
        case _:
            return f"export function {called} {{\n  {result or 'return null;'}\n}}\n"


def _of_file(path: str) -> tuple[str, Language] | None:
    """Return an agent's name and language by its file."""
    file = PurePosixPath(path)
    language = SUFFIXES.get(file.suffix)
    return None if language is None else (file.name.removesuffix(file.suffix), language)


WAYS: Mapping[str, Callable[[Bench, Problem, Fault], Iterator[Mend | None]]] = {
    "tag-unknown": _tag_unknown,
    "api-unknown": _api_unknown,
    "hook-unknown": _hook_unknown,
    "lib-unused": _lib_unused,
    "lib-missing": _lib_missing,
    "lib-module": _lib_module,
    "agent-name": _agent_name,
    "manifest-missing": _manifest_missing,
    "agent-tag-missing": _agent_tag_missing,
    "tool-name": _tool_name,
    "handler-missing": _handler_missing,
}
"""What can be done for each kind."""
