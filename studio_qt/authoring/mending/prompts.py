"""Mends of sub-agents' files: fields of the frontmatter, and the same fields of an entry."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from studio_qt.authoring.completing.words import FIELD_HELP
from studio_qt.authoring.mending.bench import Bench, Entry, Mend, lines_of, on_line
from studio_qt.authoring.references import TextEdit, prompt_contexts
from studio_qt.authoring.scaffolding import scaffold_text
from studio_qt.errors import Fault, Problem
from studio_qt.jsontext import JsonObject, JsonValue, decode
from studio_qt.package.alike import closest
from studio_qt.package.config import CONFIG_FILE
from studio_qt.package.rewrite import rewrite_config
from studio_qt.package.subagents.loading import SUB_AGENT, SUFFIX
from studio_qt.package.subagents.prompt import Field, read_prompt
from studio_qt.package.subagents.scalars import list_items, without_comment
from studio_qt.package.subagents.trees import TreeError, read_tree

__all__ = ["WAYS"]

_HEAD = re.compile(r"""([ \t]*)(["']?)([\w.-]+)(["']?[ \t]*:[ \t]*)""")
_COMMENT = re.compile(r"[ \t]+#.*$")
_OF_HEAD = re.compile(r"#|[ \t]+\S|-[ \t]|[\"']?[A-Za-z_][\w.-]*[\"']?[ \t]*:(?=\s|$)")
_TYPED = frozenset({"maxTokens", "maxRounds", "temperature", "topP", "debug"})
_DESCRIPTION = "Says what this sub-agent knows, and when the model should call it."


def _field_unknown(bench: Bench, problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    name, meant = fault.names

    def rename(text: str) -> str:
        if meant in read_prompt(text).fields:
            raise ValueError("it is there already")
        return on_line(problem.line, lambda line: _renamed(line, name, meant))(text)

    yield bench.mend(f"Write {meant}", (problem.file, rename))
    yield bench.mend(f"Take {name} out", (problem.file, _without(name)))


def _renamed(line: str, name: str, meant: str) -> str:
    found = _HEAD.match(line)
    if found is None or found[3] != name:
        return line
    return f"{found[1]}{found[2]}{meant}{found[4]}{line[found.end() :]}"


def _field_value(bench: Bench, problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    name, *instead = fault.names
    for value in instead:
        title = f"Write {value}"
        if problem.file == CONFIG_FILE:
            typed = decode(value) if name in _TYPED else value
            yield bench.configure(title, fault.place, name, _setting(name, typed))
        else:
            yield bench.mend(title, (problem.file, _with(name, value)))
    title = f"Take {name} out ({FIELD_HELP[name][0]} counts)" if name in FIELD_HELP else ""
    if name == "description":
        return
    if problem.file == CONFIG_FILE:
        yield bench.configure(title, fault.place, name, _unsetting(name))
    else:
        yield bench.mend(title, (problem.file, _without(name)))


def _setting(name: str, value: JsonValue) -> Callable[[Entry], None]:
    def change(entry: Entry) -> None:
        entry.fields[name] = value

    return change


def _unsetting(name: str) -> Callable[[Entry], None]:
    def change(entry: Entry) -> None:
        del entry.fields[name]

    return change


def _field_grants(bench: Bench, problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    """Move grants to the entry, which becomes an object if it is a bare name."""
    (name,) = fault.names
    text = bench.read(problem.file)
    found = read_prompt(text).fields.get(name) if text is not None else None
    granted = _granted(found) if found is not None else None
    without = (problem.file, _without(name))
    if granted and fault.place:

        def move(data: JsonObject) -> None:
            entry = Entry.at(data, fault.place)
            if isinstance(entry.value, str):
                file = entry.value
                entry.put(_object_of(file, text or ""))
            old = entry.fields.get(name)
            kept = old if isinstance(old, list) else []
            entry.fields[name] = [*kept, *(one for one in granted if one not in kept)]

        edit = (CONFIG_FILE, lambda old: rewrite_config(old, move))
        yield bench.mend(f"Move {name} to config.json", without, edit)
    yield bench.mend(f"Take {name} out", without)


def _granted(found: Field) -> list[JsonValue]:
    try:
        value = read_tree(found.lines)
    except TreeError:
        return []
    if isinstance(value, list):
        return [one for one in value if isinstance(one, (str, dict))]
    return [*list_items(found.lines)] if isinstance(value, str) else []


def _object_of(file: str, text: str) -> JsonObject:
    """Return the entry that says the same as a prompt file's bare name."""
    given = read_prompt(text).fields.get("id")
    own = given.lines[0].strip().strip("\"'") if given is not None else ""
    stem = file.rpartition("/")[2].removesuffix(SUFFIX)
    return {"id": own or stem, "implementation": SUB_AGENT, "promptFile": file}


def _description_missing(bench: Bench, problem: Problem, _fault: Fault) -> Iterator[Mend | None]:
    def write(text: str) -> str:
        prompt = read_prompt(text)
        if "description" in prompt.fields:
            return _with("description", _DESCRIPTION)(text)
        lines = lines_of(text)
        fence = _first_fence(lines)
        end = "\r\n" if lines[fence].endswith("\r\n") else "\n"
        lines.insert(fence + 1, f"description: {_DESCRIPTION}{end}")
        return "".join(lines)

    yield bench.mend("Begin a description", (problem.file, write))


def _frontmatter_missing(bench: Bench, problem: Problem, _fault: Fault) -> Iterator[Mend | None]:
    scaffold = read_prompt(scaffold_text("sub-agent.subagent.md", "x"))
    described = f"---\ndescription: {_DESCRIPTION}\n---\n"

    def begin(text: str) -> str:
        mark = "\ufeff" if text.startswith("\ufeff") else ""
        if read_prompt(text).head:
            raise ValueError("it has one by now")
        body = text.removeprefix("\ufeff")
        return mark + described + (body if body.strip() else scaffold.body)

    yield bench.mend("Begin the file with a frontmatter", (problem.file, begin))


def _frontmatter_open(bench: Bench, problem: Problem, _fault: Fault) -> Iterator[Mend | None]:
    """Put the second fence below the last line that reads like part of a frontmatter."""

    def close(text: str) -> str:
        lines = lines_of(text)
        if read_prompt(text).head:
            raise ValueError("it is closed by now")
        first = _first_fence(lines)
        last = first
        for at in range(first + 1, len(lines)):
            if _OF_HEAD.match(lines[at]):
                last = at
            elif lines[at].strip():
                break
        end = "\r\n" if lines[first].endswith("\r\n") else "\n"
        if not lines[last].endswith(("\r", "\n")):
            lines[last] += end
        lines.insert(last + 1, f"---{end}")
        return "".join(lines)

    yield bench.mend("Close the frontmatter with ---", (problem.file, close))


def _first_fence(lines: list[str]) -> int:
    """Return the place of the line that opens the frontmatter; raises ValueError without one."""
    for at, line in enumerate(lines):
        if line.strip("\ufeff \t\r\n") == "---":
            return at
    raise ValueError("it has no frontmatter any more")


def _context_missing(bench: Bench, problem: Problem, fault: Fault) -> Iterator[Mend | None]:
    (name,) = fault.names
    meant = closest(name, [file.name for file in bench.facts.context_files])
    if meant is not None:
        yield _context_edit(bench, f"Write “{meant}”", problem, fault, meant)
    folder = bench.facts.context_folder
    path = f"{folder}/{name}"
    text = scaffold_text("context.txt", "x") if name.endswith((".txt", ".md")) else ""
    yield bench.make(f"Make {path}", path, "{}\n" if name.endswith(".json") else text)
    yield _context_edit(bench, f"Take “{name}” out of the list", problem, fault, None)


def _context_edit(
    bench: Bench, title: str, problem: Problem, fault: Fault, meant: str | None
) -> Mend | None:
    (name,) = fault.names
    if problem.file != CONFIG_FILE:
        return bench.mend(title, (problem.file, prompt_contexts({name: meant})))

    def change(entry: Entry) -> None:
        listed = entry.fields.get("contextFiles")
        if not isinstance(listed, list) or name not in listed:
            raise ValueError("it is not in the list")
        names = [meant if one == name else one for one in listed if one != name or meant]
        entry.fields["contextFiles"] = names

    return bench.configure(title, fault.place, "contextFiles", change)


def _with(name: str, value: str) -> TextEdit:
    """Give a field a value of one line; its comment stays."""

    def edit(text: str) -> str:
        lines, first, last = _lines(text, name)
        head = _HEAD.match(lines[first].lstrip("\ufeff"))
        if head is None:
            raise ValueError("there is no such field")
        line = lines[first].rstrip("\r\n")
        end = lines[first][len(line) :]
        comment = _COMMENT.search(line) if last == first + 1 else None
        told = comment[0] if comment else ""
        start = head[0] if head[0].endswith((" ", "\t")) else f"{head[0]} "
        lines[first:last] = [f"{start}{value}{told}{end}"]
        return "".join(lines)

    return edit


def _without(name: str) -> TextEdit:
    """Take a field out, with the lines that belong to it."""

    def edit(text: str) -> str:
        lines, first, last = _lines(text, name)
        return "".join([*lines[:first], *lines[last:]])

    return edit


def _lines(text: str, name: str) -> tuple[list[str], int, int]:
    found = read_prompt(text).fields.get(name)
    if found is None:
        raise ValueError("there is no such field")
    length = max(
        at for at, line in enumerate(found.lines) if at == 0 or without_comment(line).strip()
    )
    return lines_of(text), found.line - 1, found.line + length


WAYS: Mapping[str, Callable[[Bench, Problem, Fault], Iterator[Mend | None]]] = {
    "field-unknown": _field_unknown,
    "field-value": _field_value,
    "field-grants": _field_grants,
    "description-missing": _description_missing,
    "frontmatter-missing": _frontmatter_missing,
    "frontmatter-open": _frontmatter_open,
    "context-file-missing": _context_missing,
}
"""What can be done for each kind."""
