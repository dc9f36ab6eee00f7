"""The files of a package from its plan: TypeScript compiled, call ids taken out of defaults."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from studio_qt.authoring.exporting.plan import ExportPlan, Fields, PlannedFile
from studio_qt.errors import PackageError
from studio_qt.jsontext import JsonObject, decode, encode_pretty
from studio_qt.package.config import CONFIG_FILE
from studio_qt.package.defaults import without_tool_call_ids
from studio_qt.package.rewrite import rewrite_config
from studio_qt.resources import resource_path
from studio_qt.sandbox import compile_typescript

__all__ = ["Built", "build_package"]

_BUILT_IN = "studio:"


@dataclass(frozen=True, slots=True)
class Built:
    """The content of the package's files by path, and of the sources' zip."""

    files: dict[str, bytes]
    sources: dict[str, bytes]


async def build_package(
    plan: ExportPlan, told: Callable[[PlannedFile], None] = lambda _file: None
) -> Built:
    """Read and make every file of a plan; `told` is called before each one.

    Raises PackageError, naming the file, for what cannot be read or compiled, AgentLoadError for
    TypeScript that is none, and nothing for a project that has errors: look at `plan.faults`.
    """
    files: dict[str, bytes] = {}
    sources: dict[str, bytes] = {}
    for file in plan.files:
        told(file)
        data = await asyncio.to_thread(_content, plan, file)
        if file.compiles:
            sources[file.origin] = data
            compiled = await compile_typescript(_text(data, file.origin), file.origin)
            data = compiled.js.encode()
        files[file.path] = data
    return Built(files, sources)


def _content(plan: ExportPlan, file: PlannedFile) -> bytes:
    if file.origin.startswith(_BUILT_IN):
        return resource_path(file.origin.removeprefix(_BUILT_IN)).read_bytes()
    try:
        data = plan.package.source.read_bytes(file.origin)
    except OSError as error:
        raise PackageError(f"{file.origin} cannot be packed: {error}.", file=file.origin) from error
    if file.kind == "default":
        return _without_calls(data)
    if file.kind == "config":
        return _with_fields(data, plan.fields)
    return data


def _without_calls(data: bytes) -> bytes:
    """Return a default store without the ids of calls that only one conversation knows."""
    try:
        value = decode(data)
    except ValueError:
        return data  # a problem of the package tells of it
    bare = without_tool_call_ids(value)
    return data if bare == value else encode_pretty(bare).encode()


def _with_fields(data: bytes, fields: Fields) -> bytes:
    given = {"author": fields.author, "version": fields.version, "license": fields.license}
    wanted = {name: value for name, value in given.items() if value is not None}

    def change(config: JsonObject) -> None:
        for name, value in wanted.items():
            if value:
                config[name] = value
            else:
                config.pop(name, None)

    try:
        return rewrite_config(data.decode("utf-8"), change).encode() if wanted else data
    except ValueError as error:
        raise _changed(CONFIG_FILE) from error


def _text(data: bytes, path: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise _changed(path) from error


def _changed(path: str) -> PackageError:
    """Return what to say of a file that could be read a moment ago."""
    return PackageError(f"{path} was changed meanwhile and cannot be read; try again.", file=path)
