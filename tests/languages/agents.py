"""The table: what an agent does, written in each of the four languages."""

from __future__ import annotations

from tests.languages.peers import APIS, Peer

__all__ = [
    "ASKER",
    "BRIEF",
    "CALLER",
    "HOLDER",
    "LISTENER",
    "NAMER",
    "PRUNER",
    "RETURNER",
    "RUNNER",
    "SPEAKER",
]

_KIND = {"kind": {"type": "string"}}

RETURNER = Peer(
    tools={"give": _KIND},
    javascript="""
export function onToolCall(name, args, store) {
  store.calls = (store.calls ?? 0) + 1;
  switch (args.kind) {
    case "text": return `from ${name}`;
    case "number": return 42;
    case "fraction": return 2.5;
    case "truth": return true;
    case "list": return [1, "two", [3]];
    case "object": return {a: {b: "ü"}};
    case "nothing": return;
  }
  store.lost = true;
  throw new Error("the handler gave up");
}
""",
    typescript="""
type Kind = "text" | "number" | "fraction" | "truth" | "list" | "object" | "nothing" | "throw";
interface Args { kind: Kind }
const VALUES: Partial<Record<Kind, unknown>> = {
  number: 42, fraction: 2.5, truth: true, list: [1, "two", [3]], object: {a: {b: "ü"}},
};
export function onToolCall(name: string, { kind }: Args, store: Record<string, any>): unknown {
  store.calls = (store.calls ?? 0) + 1;
  if (kind === "text") return `from ${name}`;
  if (kind !== "throw") return VALUES[kind];
  store.lost = true;
  throw new Error("the handler gave up");
}
""",
    python="""
def on_tool_call(name, args, store):
    store["calls"] = store.get("calls", 0) + 1
    match args["kind"]:
        case "text":
            return f"from {name}"
        case "number":
            return 42
        case "fraction":
            return 2.5
        case "truth":
            return True
        case "list":
            return [1, "two", [3]]
        case "object":
            return {"a": {"b": "ü"}}
        case "nothing":
            return None
    store["lost"] = True
    raise ValueError("the handler gave up")
""",
    lua="""
local values = {
  number = 42, fraction = 2.5, truth = true, list = {1, "two", {3}}, object = {a = {b = "ü"}},
}
function on_tool_call(name, args, store)
  store.calls = (store.calls or 0) + 1
  if args.kind == "text" then return "from " .. name end
  if args.kind ~= "throw" then return values[args.kind] end
  store.lost = true
  error("the handler gave up")
end
""",
)
"""Returns a value of the kind asked for; "throw" changes the store and fails."""

SPEAKER = Peer(
    commands={
        "@note": "keepNote",
        "@refuse": "refuse_it",
        "@fail": "fail",
        "@odd": "odd",
        "@hush": "hush",
        "@say": "say",
    },
    tags="@preload true",
    javascript="""
export const onLoad = async (store) => store.said ? `I was told: ${store.said}` : null;
export async function keepNote(args, store, studio, context) {
  store.said = args; store.by = context.invokedBy;
}
export const refuse_it = (args) => `Usage: @refuse something, not ${args}`;
export function fail(args, store) { store.lost = true; throw new Error("no command today"); }
export const odd = () => 7;
export const hush = () => "";
export function say(args, store, studio) { studio.log(`log: ${args}`); studio.toast("toast"); }
""",
    typescript="""
type Store = { said?: string; by?: string; lost?: boolean };
interface Studio { log(message: string): void; toast(message: string): void }
export const onLoad = async (store: Store): Promise<string | null> =>
  store.said ? `I was told: ${store.said}` : null;
export async function keepNote(args: string, store: Store, _: Studio, context: any) {
  store.said = args; store.by = context.invokedBy;
}
export const refuse_it = (args: string): string => `Usage: @refuse something, not ${args}`;
export function fail(_: string, store: Store): never {
  store.lost = true; throw new Error("no command today");
}
export const odd = (): number => 7;
export const hush = (): string => "";
export function say(args: string, _: Store, studio: Studio): void {
  studio.log(`log: ${args}`); studio.toast("toast");
}
""",
    python="""
async def on_load(store):
    return f"I was told: {store['said']}" if "said" in store else None
async def keepNote(args, store, studio, context):
    store["said"] = args
    store["by"] = context["invokedBy"]
def refuse_it(args):
    return f"Usage: @refuse something, not {args}"
def fail(args, store):
    store["lost"] = True
    raise RuntimeError("no command today")
odd = lambda: 7
def hush():
    return ""
def say(args, store, studio):
    studio.log(f"log: {args}")
    studio.toast("toast")
""",
    lua="""
function on_load(store)
  return store.said and "I was told: " .. store.said
end
function keepNote(args, store, studio, context)
  store.said = args
  store.by = context.invokedBy
end
function refuse_it(args) return "Usage: @refuse something, not " .. args end
function fail(args, store) store.lost = true; error({message = "no command today"}) end
function odd() return 7 end
function hush() return "" end
function say(args, store, studio) studio.log("log: " .. args); studio.toast("toast") end
""",
)
"""Commands that succeed, refuse, fail and speak, and a preload of what was noted."""

BRIEF = Peer(
    tools={"brief": {}},
    commands={"@bare": "bare", "@whole": "whole"},
    tags="@preload true",
    javascript="""
export const onLoad = () => "nothing asked";
export const onToolCall = (name) => `only ${name}`;
export const bare = () => undefined;
export function whole(...all) { return `${all.length} ${all[0]} ${typeof all[3].agentId}`; }
""",
    typescript="""
export const onLoad = (): string => "nothing asked";
export const onToolCall = (name: string): string => `only ${name}`;
export const bare = (): void => undefined;
export function whole(...all: any[]): string {
  return `${all.length} ${all[0]} ${typeof all[3].agentId}`;
}
""",
    python="""
def on_load(): return "nothing asked"
def on_tool_call(name): return f"only {name}"
def bare(): pass
def whole(*all): return f"{len(all)} {all[0]} {'string' if type(all[3].agentId) is str else 0}"
""",
    lua="""
function on_load() return "nothing asked" end
function on_tool_call(name) return "only " .. name end
function bare() end
function whole(...)
  return select("#", ...) .. " " .. (...) .. " " .. type(select(4, ...).agentId)
end
""",
)
"""Handlers that leave trailing parameters out, and one that takes them all."""

HOLDER = Peer(
    tools={"hold": _KIND},
    javascript="""
const WAYS = {
  nest(store) { store.deep = {list: [{n: 1}]}; store.deep.list.push({n: 2, half: 5 / 2}); },
  change(store) { store.deep.list[0].n += 10; store.deep.list[1].whole = 10 / 2;
    delete store.old; },
  text(store) { store.text = "日本 – \\u2028 \\"quoted\\" \\\\ \\u0001"; },
  cycle(store) { store.own = store; },
  function(store) { store.own = 10n; },
  nan(store) { store.nan = NaN; store.list = [Infinity, 1]; },
  empty(store) { store.list = []; },
  drop(store) { store.list.pop(); },
  swap(store) { store.list = {}; store.seen = Object.keys(store).length; },
};
export function onToolCall(name, args, store) {
  store.touched = args.kind;
  WAYS[args.kind](store);
  return "held";
}
""",
    typescript="""
type Store = { [key: string]: any };
const WAYS: Record<string, (store: Store) => void> = {
  nest(store) { store.deep = {list: [{n: 1}]}; store.deep.list.push({n: 2, half: 5 / 2}); },
  change(store) { store.deep.list[0].n += 10; store.deep.list[1].whole = 10 / 2;
    delete store.old; },
  text(store) { store.text = "日本 – \\u2028 \\"quoted\\" \\\\ \\u0001" as string; },
  cycle(store) { store.own = store; },
  function(store) { store.own = BigInt(10); },
  nan(store) { store.nan = NaN; store.list = [Infinity, 1] satisfies number[]; },
  empty(store) { store.list = [] as never[]; },
  drop(store) { store.list!.pop(); },
  swap(store) { store.list = {}; store.seen = Object.keys(store).length; },
};
export function onToolCall(_: string, args: { kind: string }, store: Store): string {
  store.touched = args.kind;
  WAYS[args.kind](store);
  return "held";
}
""",
    python="""
def nest(store):
    store["deep"] = {"list": [{"n": 1}]}
    store["deep"]["list"].append({"n": 2, "half": 5 / 2})
def change(store):
    store["deep"]["list"][0]["n"] += 10
    store["deep"]["list"][1]["whole"] = 10 / 2
    del store["old"]
def text(store): store["text"] = '日本 – \\u2028 "quoted" \\\\ \\x01'
def cycle(store): store["own"] = store
def function(store): store["own"] = {1, 2}
def nan(store): store.update(nan=float("nan"), list=[float("inf"), 1])
def empty(store): store["list"] = []
def drop(store): store["list"].pop()
def swap(store):
    store["list"] = {}
    store["seen"] = len(store)
def on_tool_call(name, args, store):
    assert type(store) is dict
    store["touched"] = args["kind"]
    globals()[args["kind"]](store)
    return "held"
""",
    lua="""
local ways = {}
function ways.nest(store)
  store.deep = {list = {{n = 1}}}
  table.insert(store.deep.list, {n = 2, half = 5 / 2})
end
function ways.change(store)
  store.deep.list[1].n = store.deep.list[1].n + 10
  store.deep.list[2].whole = 10 / 2
  store.old = nil
end
function ways.text(store) store.text = '日本 – \\u{2028} "quoted" \\\\ \\1' end
function ways.cycle(store) store.own = store end
ways["function"] = function(store) store.own = print end
function ways.nan(store) store.nan = 0 / 0; store.list = {math.huge, 1} end
function ways.empty(store) store.list = {} end
function ways.drop(store) table.remove(store.list) end
function ways.swap(store)
  store.list = {}
  store.seen = 0
  for _ in pairs(store) do store.seen = store.seen + 1 end
end
function on_tool_call(name, args, store)
  store.touched = args.kind
  ways[args.kind](store)
  return "held"
end
""",
)
"""Does to its store what is asked: valid changes, and what is not JSON."""

CALLER = Peer(
    tools={"ask": _KIND, "find": {"q": {"type": "string"}}},
    commands={"@ask": "viaCommand"},
    tags=APIS,
    javascript="""
const ASKS = {
  search: (studio) => studio.history.search("x"),
  range: (studio, context) => studio.history.range(0, context.conversationLength),
  part: (studio) => studio.history.range(-3, 2),
  read: (studio) => studio.context.readFile(".hidden.txt"),
  absent: async (studio) => (await studio.context.readFile("nosuch.txt")) === null,
  model: (studio) => studio.callModel("sys", [{role: "user", content: "u"}, {role: "tool",
    content: "dropped"}], 99999, {model: "main", temperature: 0.5, topP: 0.9}),
  worker: (studio) => studio.callModel("sys", []),
  grants: (studio) => studio.grants.readStore("any"),
  web: (studio) => studio.web.fetch("https://example.org/", {maxChars: 600}),
};
export async function onToolCall(name, args, store, studio, context) {
  if (name.startsWith("find")) return studio.history.search(args.q);
  try {
    if (args.kind !== "two") return await ASKS[args.kind](studio, context);
    const both = ["a.txt", "b.txt"].map((file) => studio.context.readFile(file));
    return (await Promise.all(both)).join(" and ");
  } catch (error) {
    return `caught: ${error.message}`;
  }
}
export async function viaCommand(args, store, studio) {
  store.said = await studio.callModel("sys", []);
}
""",
    typescript="""
type Ask = (studio: any, context: { conversationLength: number }) => Promise<unknown>;
const ASKS: Record<string, Ask> = {
  search: (studio) => studio.history.search("x"),
  range: (studio, context) => studio.history.range(0, context.conversationLength),
  part: (studio) => studio.history.range(-3, 2),
  read: (studio) => studio.context.readFile(".hidden.txt"),
  absent: async (studio) => (await studio.context.readFile("nosuch.txt")) === null,
  model: (studio) => studio.callModel("sys", [{role: "user", content: "u"}, {role: "tool",
    content: "dropped"}], 99999, {model: "main", temperature: 0.5, topP: 0.9}),
  worker: (studio) => studio.callModel("sys", []),
  grants: (studio) => studio.grants.readStore("any"),
  web: (studio) => studio.web.fetch("https://example.org/", {maxChars: 600}),
};
export async function onToolCall(
  name: string, args: { kind: string; q: string }, _: object, studio: any, context: any,
): Promise<unknown> {
  if (name.startsWith("find")) return studio.history.search(args.q);
  try {
    if (args.kind !== "two") return await ASKS[args.kind](studio, context);
    const both = ["a.txt", "b.txt"].map((file): Promise<string> => studio.context.readFile(file));
    return (await Promise.all(both)).join(" and ");
  } catch (error) {
    return `caught: ${(error as Error).message}`;
  }
}
export async function viaCommand(_: string, store: { said?: string }, studio: any) {
  store.said = await studio.callModel("sys", []);
}
""",
    python="""
async def ask(kind, studio, context):
    if kind == "search": return await studio.history.search("x")
    if kind == "range": return await studio.history.range(0, context["conversationLength"])
    if kind == "part": return await studio.history.range(-3, 2)
    if kind == "read": return await studio.context.readFile(".hidden.txt")
    if kind == "absent": return await studio.context.readFile("nosuch.txt") is None
    if kind == "model":
        return await studio.callModel("sys", [{"role": "user", "content": "u"}, {"role": "tool",
            "content": "dropped"}], 99999, {"model": "main", "temperature": 0.5, "topP": 0.9})
    if kind == "worker": return await studio.callModel("sys", [])
    if kind == "grants": return await studio.grants.readStore("any")
    if kind == "web": return await studio.web.fetch("https://example.org/", {"maxChars": 600})
    both = [studio.context.readFile(file) for file in ("a.txt", "b.txt")]
    return " and ".join([await one for one in both])
async def on_tool_call(name, args, store, studio, context):
    if name.startswith("find"):
        return await studio.history.search(args["q"])
    try:
        return await ask(args["kind"], studio, context)
    except Exception as error:
        return f"caught: {error}"
async def viaCommand(args, store, studio):
    store["said"] = await studio.callModel("sys", [])
""",
    lua="""
local asks = {}
function asks.search(studio) return studio.history.search("x"):await() end
function asks.range(studio, context)
  return studio.history.range(0, context.conversationLength):await()
end
function asks.part(studio) return studio.history.range(-3, 2):await() end
function asks.read(studio) return studio.context.readFile(".hidden.txt"):await() end
function asks.absent(studio) return studio.context.readFile("nosuch.txt"):await() == nil end
function asks.model(studio)
  return studio.callModel("sys", {{role = "user", content = "u"}, {role = "tool",
    content = "dropped"}}, 99999, {model = "main", temperature = 0.5, topP = 0.9}):await()
end
function asks.worker(studio) return studio.callModel("sys", {}):await() end
function asks.grants(studio) return studio.grants.readStore("any"):await() end
function asks.web(studio)
  return studio.web.fetch("https://example.org/", {maxChars = 600}):await()
end
function asks.two(studio)
  local a, b = studio.context.readFile("a.txt"), studio.context.readFile("b.txt")
  return a:await() .. " and " .. b:await()
end
function on_tool_call(name, args, store, studio, context)
  if name:sub(1, 4) == "find" then return studio.history.search(args.q):await() end
  local ok, said = pcall(asks[args.kind], studio, context)
  if ok then return said end
  return "caught: " .. tostring(said)
end
function viaCommand(args, store, studio)
  store.said = studio.callModel("sys", {}):await()
end
""",
)
"""Asks one bridge method after the other, and gives back the answer or what it caught."""

ASKER = Peer(
    tools={"probe": {}},
    javascript="""
export function onToolCall(name, args, store, studio) {
  return [typeof studio.conversation?.collapse, typeof studio.callModel, typeof studio.web?.fetch,
    typeof studio.history.search, typeof studio.context.writeFile].map((it) => it === "function");
}
""",
    typescript="""
export function onToolCall(_: string, __: object, ___: object, studio: any): boolean[] {
  return [studio.conversation?.collapse, studio.callModel, studio.web?.fetch,
    studio.history.search, studio.context.writeFile].map((it) => typeof it === "function");
}
""",
    python="""
def on_tool_call(name, args, store, studio):
    return [hasattr(studio, "conversation"), hasattr(studio, "callModel"),
            hasattr(studio.web, "fetch"), callable(getattr(studio.history, "search", None)),
            hasattr(studio.context, "writeFile")]
""",
    lua="""
function on_tool_call(name, args, store, studio)
  return {studio.conversation ~= nil, studio.callModel ~= nil, studio.web.fetch ~= nil,
          studio.history.search ~= nil, studio.context.writeFile ~= nil}
end
""",
)
"""Tests for methods that are there and others that are not."""

NAMER = Peer(
    tools={"look": {}},
    commands={"@look": "direct"},
    tags="@preload true\n@hook beforeResponse",
    javascript="""
export const onLoad = (store, studio, context) => JSON.stringify(context);
export const onToolCall = (name, args, store, studio, context) => ({name, ...context});
export function direct(args, store, studio, context) { store.direct = context; }
export function onBeforeResponse(event, store, studio, context) { store.hook = context; }
""",
    typescript="""
interface Context { invokedBy: "model" | "direct" | "preload" | "hook"; [key: string]: unknown }
export const onLoad = (s: object, _: object, context: Context) => JSON.stringify(context);
export const onToolCall = (name: string, a: object, s: object, _: object, context: Context) =>
  ({name, ...context});
export function direct(a: string, store: { direct?: Context }, _: object, context: Context) {
  store.direct = context;
}
export function onBeforeResponse(e: object, store: { hook?: Context }, _: object, c: Context) {
  store.hook = c;
}
""",
    python="""
import json
def on_load(store, studio, context):
    return json.dumps(context)
def on_tool_call(name, args, store, studio, context):
    return {"name": name, **context}
def direct(args, store, studio, context):
    store["direct"] = context
def on_before_response(event, store, studio, context):
    store["hook"] = context
""",
    lua="""
function on_load(store, studio, context)
  local parts = {}
  for key, value in pairs(context) do
    local spelled = type(value) == "number" and value or '"' .. tostring(value) .. '"'
    if type(value) == "table" then spelled = "{}" end
    parts[#parts + 1] = '"' .. key .. '":' .. spelled
  end
  return "{" .. table.concat(parts, ",") .. "}"
end
function on_tool_call(name, args, store, studio, context)
  local seen = {name = name}
  for key, value in pairs(context) do seen[key] = value end
  return seen
end
function direct(args, store, studio, context) store.direct = context end
function on_before_response(event, store, studio, context) store.hook = context end
""",
)
"""Gives back the context object of every kind of call."""

LISTENER = Peer(
    tools={"go": {"bad": {"type": "boolean"}}},
    tags="@preload true\n"
    + "\n".join(
        f"@hook {event}"
        for event in (
            "conversationStart",
            "beforeResponse",
            "afterResponse",
            "afterToolCall",
            "afterUserEdit",
        )
    ),
    javascript="""
const keep = (name) => (event, store, studio, context) => {
  (store.seen ??= []).push([name, event, context.invokedBy]);
  return "ignored";
};
export const onConversationStart = keep("start");
export const onBeforeResponse = keep("before");
export const onAfterResponse = keep("after");
export const onAfterToolCall = keep("tool");
export const onAfterUserEdit = keep("edit");
export function onLoad(store) {
  store.loads = (store.loads ?? 0) + 1;
  return `${store.seen.length}`;
}
export function onToolCall(name, args) { if (args.bad) throw new Error("bad"); return "went"; }
""",
    typescript="""
type Store = { seen?: [string, unknown, string][]; loads?: number };
function keep(name: string) {
  return (event: unknown, store: Store, _: unknown, context: { invokedBy: string }): string => {
    (store.seen ??= []).push([name, event, context.invokedBy]);
    return "ignored";
  };
}
export const onConversationStart = keep("start");
export const onBeforeResponse = keep("before");
export const onAfterResponse = keep("after");
export const onAfterToolCall = keep("tool");
export const onAfterUserEdit = keep("edit");
export function onLoad(store: Store): string {
  store.loads = (store.loads ?? 0) + 1;
  return `${store.seen!.length}`;
}
export function onToolCall(_: string, args: { bad: boolean }): string {
  if (args.bad) throw new Error("bad");
  return "went";
}
""",
    python="""
def keep(name):
    def handler(event, store, studio, context):
        store.setdefault("seen", []).append([name, event, context.invokedBy])
        return "ignored"
    return handler
on_conversation_start = keep("start")
on_before_response = keep("before")
async def on_after_response(event, store, studio, context):
    keep("after")(event, store, studio, context)
on_after_tool_call = keep("tool")
on_after_user_edit = keep("edit")
def on_load(store):
    store["loads"] = store.get("loads", 0) + 1
    return str(len(store["seen"]))
def on_tool_call(name, args):
    if args["bad"]:
        raise ValueError("bad")
    return "went"
""",
    lua="""
local function keep(name)
  return function(event, store, studio, context)
    store.seen = store.seen or {}
    table.insert(store.seen, {name, event, context.invokedBy})
    return "ignored"
  end
end
on_conversation_start = keep("start")
on_before_response = keep("before")
on_after_response = keep("after")
on_after_tool_call = keep("tool")
on_after_user_edit = keep("edit")
function on_load(store)
  store.loads = (store.loads or 0) + 1
  return tostring(#store.seen)
end
function on_tool_call(name, args)
  if args.bad then error("bad") end
  return "went"
end
""",
)
"""Notes every event in its store."""

PRUNER = Peer(
    tools={"note": {"text": {"type": "string"}}},
    tags="@preload true\n@hook afterUserEdit",
    javascript="""
export const onLoad = (store) => (store.notes ?? []).map((note) => note.text).join(", ") || null;
export function onToolCall(name, args, store, studio, context) {
  (store.notes ??= []).push({text: args.text, toolCallId: context.toolCallId ?? null});
  return "noted";
}
export function onAfterUserEdit(event, store) {
  store.notes = store.notes.filter((note) => !event.deletedToolCallIds.includes(note.toolCallId));
}
""",
    typescript="""
interface Note { text: string; toolCallId: number | null }
type Store = { notes?: Note[] };
export const onLoad = (store: Store) => store.notes?.map((note) => note.text).join(", ") || null;
export function onToolCall(
  _: string, args: { text: string }, store: Store, __: unknown, context: { toolCallId?: number },
): string {
  (store.notes ??= []).push({text: args.text, toolCallId: context.toolCallId ?? null});
  return "noted";
}
export function onAfterUserEdit(event: { deletedToolCallIds: number[] }, store: Store): void {
  store.notes = store.notes!.filter((it) => !event.deletedToolCallIds.includes(it.toolCallId!));
}
""",
    python="""
def on_load(store):
    return ", ".join(note["text"] for note in store.get("notes", [])) or None
def on_tool_call(name, args, store, studio, context):
    note = {"text": args["text"], "toolCallId": getattr(context, "toolCallId", None)}
    store.setdefault("notes", []).append(note)
    return "noted"
def on_after_user_edit(event, store):
    gone = set(event["deletedToolCallIds"])
    store["notes"] = [note for note in store["notes"] if note["toolCallId"] not in gone]
""",
    lua="""
function on_load(store)
  local texts = {}
  for _, note in ipairs(store.notes or {}) do texts[#texts + 1] = note.text end
  return #texts > 0 and table.concat(texts, ", ") or nil
end
function on_tool_call(name, args, store, studio, context)
  store.notes = store.notes or {}
  table.insert(store.notes, {text = args.text, toolCallId = context.toolCallId})
  return "noted"
end
function on_after_user_edit(event, store)
  for _, gone in ipairs(event.deletedToolCallIds) do
    for at = #store.notes, 1, -1 do
      if store.notes[at].toolCallId == gone then table.remove(store.notes, at) end
    end
  end
end
""",
)
"""Keeps notes with the id of the call that made them, and drops those whose call was removed."""

RUNNER = Peer(
    tools={"run": _KIND},
    javascript="""
let calls = 0;
const spin = (ms) => { const end = Date.now() + ms; while (Date.now() < end); };
export async function onToolCall(name, args, store) {
  calls += 1;
  store.n = (store.n ?? 0) + 1;
  if (args.kind === "spin") for (;;);
  if (args.kind === "caught") for (;;) try { for (;;); } catch { } finally { for (;;); }
  if (args.kind === "hog") for (const all = []; ;) all.push(new Array(1e5).fill(calls));
  if (args.kind === "deep") return (function down(n) { return down(n + 1) + 1; })(0);
  if (args.kind === "hard") "a".repeat(2e6).indexOf("a".repeat(1e6) + "b");
  if (args.kind === "while") spin(600);
  return `${store.n} of ${calls}`;
}
""",
    typescript="""
let calls: number = 0;
const spin = (ms: number): void => { const end = Date.now() + ms; while (Date.now() < end); };
export async function onToolCall(
  _: string, { kind }: { kind: string }, store: { n?: number },
): Promise<string | number> {
  calls += 1;
  store.n = (store.n ?? 0) + 1;
  if (kind === "spin") for (;;);
  if (kind === "caught") for (;;) try { for (;;); } catch { } finally { for (;;); }
  if (kind === "hog") for (const all: number[][] = []; ;) all.push(new Array(1e5).fill(calls));
  if (kind === "deep") return (function down(n: number): number { return down(n + 1) + 1; })(0);
  if (kind === "hard") "a".repeat(2e6).indexOf("a".repeat(1e6) + "b");
  if (kind === "while") spin(600);
  return `${store.n} of ${calls}`;
}
""",
    python="""
import time
calls = 0
def down(n):
    return down(n + 1) + 1
async def on_tool_call(name, args, store):
    global calls
    calls += 1
    store["n"] = store.get("n", 0) + 1
    kind, kept = args["kind"], []
    while kind == "spin":
        pass
    while kind == "caught":
        try:
            while True:
                pass
        except BaseException:
            continue
    while kind == "hog":
        kept.append([calls] * 100_000)
    if kind == "deep":
        return down(0)
    if kind == "hard":
        time.sleep(60)
    if kind == "while":
        time.sleep(0.6)
    return f"{store['n']} of {calls}"
""",
    lua="""
local calls = 0
local function down(n) return down(n + 1) + 1 end
function on_tool_call(name, args, store)
  calls = calls + 1
  store.n = (store.n or 0) + 1
  local kind, kept = args.kind, {}
  while kind == "spin" do end
  while kind == "caught" do pcall(function() while true do end end) end
  while kind == "hog" do kept[#kept + 1] = ("x"):rep(100000) .. #kept end
  if kind == "deep" then return down(0) end
  if kind == "hard" then string.find(("a"):rep(500), ("a*"):rep(30) .. "b") end
  if kind == "while" then
    local stop = os.clock() + 0.6
    while os.clock() < stop do end
  end
  return store.n .. " of " .. calls
end
""",
)
"""Runs without end, or out of memory, as asked; else counts in the store and in the module."""
