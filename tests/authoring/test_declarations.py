"""The shipped declaration file: what it says, and that agents are given just that."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from studio_qt.authoring.completing.declarations import declarations, member_type
from studio_qt.authoring.completing.words import API_HELP, HOOK_HELP, TAG_HELP
from studio_qt.engine.session import hook_handler
from studio_qt.package.manifest import APIS, HOOKS, parse_manifest
from studio_qt.resources import resource_text
from studio_qt.sandbox import compile_typescript
from studio_qt.sandbox.bridge import METHODS
from studio_qt.sandbox.names import handler_name
from tests.engine.conftest import MakePlayer, make_player  # noqa: F401  (a fixture)
from tests.languages.conftest import Play, language, play  # noqa: F401  (fixtures)
from tests.languages.peers import Peer
from tests.support.model_server import ModelServer, text, tool_call

LISTER = Peer(
    id="t.lister",
    tools={"tell": {}},
    tags="\n".join([*(f"@api {api}" for api in sorted(APIS)), *(f"@hook {one}" for one in HOOKS)]),
    javascript="""
const names = (value, before = "") => Reflect.ownKeys(value).flatMap((name) =>
  typeof value[name] === "function" ? [before + name] : names(value[name], `${before}${name}.`));
const hear = (what) => (event, store) => { store[what] = Object.keys(event).sort(); };
export const onConversationStart = hear("conversationStart");
export const onBeforeResponse = hear("beforeResponse");
export const onAfterResponse = hear("afterResponse");
export const onAfterToolCall = hear("afterToolCall");
export const onAfterUserEdit = hear("afterUserEdit");
export function onToolCall(tool, args, store, studio, context) {
  return { studio: names(studio), context: Object.keys(context) };
}
""",
    typescript="""
const names = (value: any, before = ""): string[] => Reflect.ownKeys(value).flatMap((name: any) =>
  typeof value[name] === "function" ? [before + name] : names(value[name], `${before}${name}.`));
const hear = (what: string) => (event: object, store: any) => {
  store[what] = Object.keys(event).sort();
};
export const onConversationStart = hear("conversationStart");
export const onBeforeResponse = hear("beforeResponse");
export const onAfterResponse = hear("afterResponse");
export const onAfterToolCall = hear("afterToolCall");
export const onAfterUserEdit = hear("afterUserEdit");
export function onToolCall(tool: string, args: {}, store: {}, studio: {}, context: {}) {
  return { studio: names(studio), context: Object.keys(context) };
}
""",
    python="""
def names(value, before=""):
    for name in dir(value):
        if not name.startswith("_"):
            member = getattr(value, name)
            yield from [before + name] if callable(member) else names(member, f"{before}{name}.")

def hear(what):
    def handler(event, store):
        store[what] = sorted(event)
    return handler

on_conversation_start = hear("conversationStart")
on_before_response = hear("beforeResponse")
on_after_response = hear("afterResponse")
on_after_tool_call = hear("afterToolCall")
on_after_user_edit = hear("afterUserEdit")

def on_tool_call(tool, args, store, studio, context):
    return {"studio": list(names(studio)), "context": list(context)}
""",
    lua="""
local function names(value, before, found)
  for name, member in pairs(value) do
    if type(member) == "function" then found[#found + 1] = before .. name
    else names(member, before .. name .. ".", found) end
  end
  return found
end
local function keys(value)
  local found = {}
  for name in pairs(value) do found[#found + 1] = name end
  table.sort(found)
  return found
end
local function hear(what) return function(event, store) store[what] = keys(event) end end
on_conversation_start = hear("conversationStart")
on_before_response = hear("beforeResponse")
on_after_response = hear("afterResponse")
on_after_tool_call = hear("afterToolCall")
on_after_user_edit = hear("afterUserEdit")
function on_tool_call(tool, args, store, studio, context)
  return { studio = names(studio, "", {}), context = keys(context) }
end
""",
)
OTHER = """/**
 * @agent t.other
 * @tool other
 */
export function onToolCall() { return "done"; }
"""


def declared(root: str = "Studio", before: str = "") -> Iterator[str]:
    for member in declarations()[root].members.values():
        if member.parameters is not None:
            yield before + member.name
        else:
            yield from declared(member.type, f"{before}{member.name}.")


@pytest.mark.clause("BR-10", "STU-08")
async def test_agents_are_given_what_is_declared_and_nothing_more(play: Play) -> None:  # noqa: F811
    player = await play(LISTER)
    told = json.loads(await player.call_tool("tell", {}))
    assert sorted(told["studio"]) == sorted(declared())
    context = declarations()["Context"].members
    assert {*told["context"], "toolCallId"} == {*context}


@pytest.mark.clause("HOOK-00", "STU-08")
async def test_events_hold_what_is_declared(play: Play, model: ModelServer) -> None:  # noqa: F811
    player = await play(LISTER, files={"agents/t.other.js": OTHER})
    model.script(tool_call("other"), text("Done."))
    await player.send("Do it.")
    await player.delete(1)
    store = player.store("t.lister")
    for event in HOOKS:
        interface = declarations()[f"{event[0].upper()}{event[1:]}Event"]
        assert store.get(event) == sorted(interface.members), event


@pytest.mark.clause("EXP-04", "HOOK-00")
def test_every_handler_is_declared_under_the_name_that_is_called() -> None:
    handlers = declarations()["Handlers"].members
    assert {*handlers} == {"onLoad", "onToolCall", *map(hook_handler, HOOKS)}
    for name in handlers:
        assert handler_name("python", name) != name


@pytest.mark.clause("BR-09")
def test_every_method_says_which_namespace_it_needs() -> None:
    for path, needed in METHODS.items():
        *chain, name = path.split(".")
        interface = member_type(tuple(chain), "Studio")
        assert interface is not None
        assert interface.members[name].api == (needed or "")


def test_everything_that_is_declared_is_explained_and_every_word_of_a_manifest_too() -> None:
    for interface in declarations().values():
        assert interface.help, interface.name
        for member in interface.members.values():
            assert member.help, member.name
    assert {*API_HELP} == APIS
    assert {*HOOK_HELP} == HOOKS
    tags = "\n".join(f" * @{tag} x y" for tag in TAG_HELP)
    _, problems = parse_manifest(f"/**\n{tags}\n */", "javascript", "a.js")
    assert not [one for one in problems if "is no tag" in one.message]


async def test_the_file_is_typescript_that_the_compiler_takes() -> None:
    compiled = await compile_typescript(resource_text("types/studio.d.ts"), "studio.d.ts")
    assert "interface" not in compiled.js
