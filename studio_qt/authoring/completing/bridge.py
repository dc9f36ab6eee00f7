"""Completions of the bridge in the code of agents: `studio.`, `context.`, `event.`, handlers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from studio_qt.authoring.completing.completion import Completion, Edit, Spot
from studio_qt.authoring.completing.declarations import (
    Declared,
    Member,
    declarations,
    member_type,
)
from studio_qt.authoring.completing.manifest import manifest_start
from studio_qt.package.model import Language
from studio_qt.sandbox.names import handler_name

__all__ = ["bridge_offers", "signature"]

_CHAIN = re.compile(r"(?<![\w$.:])([A-Za-z_$][\w$]*)((?:\??\.\w+)*)\??\.(\w*)$")
_ROOT = re.compile(r"(?<![\w$.:@\"'])([A-Za-z_]\w*)$")
_KEY = re.compile(r"(?<![\w$.])([A-Za-z_]\w*)(?:\[|\.get\()[ \t]*([\"'])(\w*)$")
_WAIT = re.compile(r"\)[ \t]*:(\w*)$")
_DEFINED = re.compile(r"(?:\bfunction|\bdef)[ \t]+(\w*)$")
_HANDLER = re.compile(
    r"(?:\bfunction|\bdef|\bconst|\blet)[ \t]+(\w+)[ \t]*"
    r"(?:=[ \t]*(?:async\b[ \t]*)?(?:function\b[ \t]*)?)?\(([^()]*)\)"
)
_ASSIGNED = re.compile(
    r"\b([A-Za-z_]\w*)[ \t]*=[ \t]*(?:await[ \t]+)?([A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)+)"
)
_EACH = re.compile(
    r"\bfor\b[ \t(]*(?:const|let|var)?[ \t]*(?:\w+,[ \t]*)?([A-Za-z_]\w*)[ \t]+(?:of|in)[ \t]+"
    r"(?:ipairs\([ \t]*)?(?:await[ \t]+)?([A-Za-z_]\w*(?:\??\.[A-Za-z_]\w*)*)"
)
_RIGHT = re.compile(r"\w*")
_QUOTES = re.compile(r"//|--|#|[\"'`]")
_COMMENTS: Mapping[Language, str] = {
    "javascript": "//",
    "typescript": "//",
    "python": "#",
    "lua": "--",
}
_LOOKED_BACK = 16_000
_SNAKE = re.compile(r"(?<=[a-z])([A-Z])")
_USUAL: Mapping[str, str] = {"studio": "Studio", "context": "Context"}
_WORDS = {
    "{ [key: string]: any }": "object",
    "string": "text",
    "boolean": "true or false",
    "number[]": "a list of numbers",
}
_TOLD_ROOTS = {
    "studio": "Studio",
    "context": "Context",
    "store": "Store",
}


def bridge_offers(spot: Spot, language: Language) -> list[Completion]:
    """Return the members that can stand at a place in an agent's code."""
    head = spot.head
    quoted = spot.quoted or _is_quoted(head, language)
    if not quoted and (chain := _CHAIN.search(head)) is not None:
        return list(_members(spot, language, chain))
    if (key := _KEY.search(head)) is not None:
        return list(_keys(spot, language, key))
    if quoted:
        return []
    if language == "lua" and (wait := _WAIT.search(head)) is not None and "studio" in head:
        return [_await(spot, wait[1])]
    if (defined := _DEFINED.search(head)) is not None:
        return list(_handlers(spot, language, defined[1]))
    if (root := _ROOT.search(head)) is not None:
        return list(_roots(spot, language, root[1]))
    return []


def _is_quoted(head: str, language: Language) -> bool:
    """Whether a line ends in a string or a comment that it begins itself.

    Colours come a little after the keys, so that they cannot tell.
    """
    comment = _COMMENTS[language]
    at = 0
    while found := _QUOTES.search(head, at):
        if found[0] == comment:
            return True
        at = found.end()
        if found[0] in "\"'`":
            end = re.compile(rf"(?:[^{found[0]}\\]|\\.)*{found[0]}").match(head, at)
            if end is None:
                return True
            at = end.end()
    return False


def signature(member: Member, language: Language) -> str:
    """Return a member as it is written in a language: "search(query)", "title"."""
    name = member.name
    if member.parameters is None:
        return name
    words = [one if one in member.needed else f"{one}?" for one in member.parameters]
    if language in ("python", "lua") and name.startswith("on"):
        name, words = handler_name(language, name), [_snake(one) for one in words]
    return f"{name}({', '.join(words)})"


def _members(spot: Spot, language: Language, chain: re.Match[str]) -> Iterator[Completion]:
    root, middle, typed = chain[1], chain[2], chain[3]
    names = _names(spot, language)
    kind = names.get(root) or _given(spot, names).get(root)
    between = _links(middle)
    declared = member_type(between, kind) if kind is not None else None
    if declared is None:
        return
    start, end = spot.at - len(typed), spot.at + len(_right(spot.tail))
    for member in declared.members.values():
        shown = signature(member, language)
        is_method = member.parameters is not None
        yield Completion(
            member.name,
            member.name,
            start,
            end,
            "method" if is_method else "property",
            shown[len(member.name) :] if is_method else _type(member.type),
            _told(member, (root, *between), language),
            eager=True,
            also=_declaring(spot, language, member),
        )


def _keys(spot: Spot, language: Language, key: re.Match[str]) -> Iterator[Completion]:
    kind = _names(spot, language).get(key[1])
    declared = declarations().get(kind) if kind is not None and kind != "Studio" else None
    if declared is None:
        return
    start, end = spot.at - len(key[3]), spot.at + len(_right(spot.tail))
    for member in declared.members.values():
        told = _told(member, (key[1],), language)
        shown = _type(member.type)
        yield Completion(member.name, member.name, start, end, "property", shown, told, eager=True)


def _await(spot: Spot, typed: str) -> Completion:
    start, end = spot.at - len(typed), spot.at + len(_right(spot.tail))
    more = "" if spot.tail[end - spot.at :].startswith("(") else "()"
    told = "Waits for the answer of the bridge, and gives it; fails where it is a refusal."
    return Completion("await", f"await{more}", start, end, "method", "()", told, eager=True)


def _handlers(spot: Spot, language: Language, typed: str) -> Iterator[Completion]:
    start, right = spot.at - len(typed), _right(spot.tail)
    end = spot.at + len(right)
    for member in declarations()["Handlers"].members.values():
        name = handler_name(language, member.name)
        if not spot.anything and re.search(rf"\b{name}\b", _without_line(spot)):
            continue
        written = signature(member, language)
        follows = "" if spot.tail[len(right) :].lstrip().startswith("(") else written[len(name) :]
        yield Completion(
            name,
            name + follows,
            start,
            end,
            "handler",
            written[len(name) :],
            member.help,
            eager=bool(typed),
        )


def _roots(spot: Spot, language: Language, typed: str) -> Iterator[Completion]:
    """Offer the parameters themselves; only when asked, since any word may begin like them."""
    start, end = spot.at - len(typed), spot.at + len(_right(spot.tail))
    for name, kind in {**_TOLD_ROOTS, **_names(spot, language)}.items():
        told = declarations()[kind].help
        yield Completion(name, name, start, end, "property", _type(kind), told)
    if spot.anything:
        yield from _handlers(spot, language, typed)


def _names(spot: Spot, language: Language) -> Mapping[str, str]:
    """Return the interfaces of names: the usual ones, and those of the handler around the place."""
    near = spot.before[-_LOOKED_BACK:]
    handlers = {
        handler_name(language, name): member
        for name, member in declarations()["Handlers"].members.items()
    }
    for found in reversed(list(_HANDLER.finditer(near))):
        if (member := handlers.get(found[1])) is not None:
            return {**_USUAL, **_parameters(found[2], member)}
    return _USUAL


def _given(spot: Spot, names: Mapping[str, str]) -> Mapping[str, str]:
    """Return the interfaces of variables that hold what the bridge gave, or one of a list of it."""
    near = spot.before[-_LOOKED_BACK:]
    kinds: dict[str, str] = {}
    for found in _ASSIGNED.finditer(near):
        if kind := _kind_of(found[2], {**kinds, **names}):
            kinds[found[1]] = kind
    for found in _EACH.finditer(near):
        kind = _kind_of(found[2], {**kinds, **names})
        if kind.endswith("[]"):
            kinds[found[1]] = kind.removesuffix("[]")
    return kinds


def _kind_of(chain: str, names: Mapping[str, str]) -> str:
    """Return the type of a chain of members, or of what its last method gives; "" for none."""
    root, *links = _links(chain)
    if not links:
        return names.get(root, "")
    declared = member_type(tuple(links[:-1]), names.get(root, ""))
    member = declared.members.get(links[-1]) if declared is not None else None
    return "" if member is None else member.given


def _links(chain: str) -> tuple[str, ...]:
    return tuple(name for name in re.split(r"\??\.", chain) if name)


def _parameters(text: str, member: Member) -> Mapping[str, str]:
    own = [re.split(r"[:=]", one)[0].strip().lstrip("*") for one in text.split(",")]
    kinds = {"studio": "Studio", "context": "Context", "store": "Store"}
    kinds["event"] = f"{member.name.removeprefix('on')}Event"
    wanted = [kinds.get(name, "") for name in member.parameters or ()]
    return {
        name: kind
        for name, kind in zip(own, wanted, strict=False)
        if name and kind in declarations()
    }


def _declaring(spot: Spot, language: Language, member: Member) -> tuple[Edit, ...]:
    """Return what adds the @api line that a method needs, where the manifest has none."""
    if not member.api or not spot.whole:
        return ()
    start = manifest_start(spot.before, language)
    if start is None:
        return ()
    closer = {"python": spot.before[start - 3 : start], "lua": "]]"}.get(language, "*/")
    end = spot.before.find(closer, start)
    block = spot.before[start:end] if end >= 0 else ""
    declared = re.search(rf"@api[ \t]+{re.escape(member.api)}(?![\w.])", block)
    if "@agent" not in block or declared is not None:
        return ()
    lines = list(re.finditer(r"^([ \t]*\*?[ \t]*)@(api|agent)\b[^\n]*$", block, re.MULTILINE))
    if not lines:
        return ()
    after = next((one for one in reversed(lines) if one[2] == "api"), lines[-1])
    return (Edit(start + after.end(), f"\n{after[1]}@api {member.api}"),)


def _told(member: Member, chain: tuple[str, ...], language: Language) -> str:
    """Return the help of a member, with how it is called and what has to be declared."""
    parts = []
    if member.parameters is not None:
        call = f"{'.'.join(chain)}.{signature(member, language)}".replace("?", "")
        if member.waits:
            call = f"{call}:await()" if language == "lua" else f"await {call}"
        parts.append(f"`{call}`" + (f" gives {_type(member.given)}." if member.waits else ""))
    parts.append(member.help)
    said = [f"`{name}`: {told}" for name, told in (member.parameters or {}).items() if told]
    if said:
        parts.append("\n".join(said))
    if member.api:
        parts.append(f"Needs the line `@api {member.api}` in the manifest.")
    return "\n\n".join(part for part in parts if part)


def _type(text: str) -> str:
    """Return a type in words that are the same in every language."""
    declared: Declared | None = declarations().get(text.removesuffix("[]"))
    if declared is not None and text.endswith("[]"):
        return f"a list of {declared.name}"
    if declared is not None and text.startswith("Studio"):
        return ", ".join(declared.members)
    words = [_WORDS.get(one, one.strip('"')) for one in text.split(" | ")]
    return " or ".join(words)


def _without_line(spot: Spot) -> str:
    near = spot.before[-_LOOKED_BACK:]
    return near[: near.rfind("\n") + 1] + spot.after.partition("\n")[2]


def _snake(name: str) -> str:
    return _SNAKE.sub(lambda found: f"_{found[1].lower()}", name)


def _right(tail: str) -> str:
    found = _RIGHT.match(tail)
    return found[0] if found else ""
