"""Attacks in JavaScript."""

from __future__ import annotations

from functools import partial

from tests.hostile.attack import Attack

__all__ = ["JAVASCRIPT"]

_A = partial(Attack, language="javascript")
_loop = partial(_A, kind="loop", must_not="finish", slow=True)
_memory = partial(_A, kind="memory", must_not="finish")
_reach = partial(_A, kind="reach", must_not="reach")
_ask = partial(_A, kind="bridge", must_not="ask")
_result = partial(_A, kind="result", must_not="pass")
_plain = partial(_A, kind="result", must_not="change")
_crash = partial(_A, kind="crash", must_not="crash")

_WALK = """
const seen = new Set(), found = [], left = [studio, context, args, globalThis];
const strange = /^(process|require|std|os|python|pipe|channel|host|Worker|WebAssembly|Deno)$/;
for (const thing of left) {
  if (thing === null || !/object|function/.test(typeof thing) || seen.has(thing)) continue;
  seen.add(thing);
  left.push(Object.getPrototypeOf(thing));
  for (const key of Reflect.ownKeys(thing)) {
    const own = Object.getOwnPropertyDescriptor(thing, key);
    if (strange.test(String(key))) found.push(String(key));
    left.push(own.value, own.get, own.set);
  }
}
return seen.size > 100 ? found : "too little was walked";
"""

JAVASCRIPT = (
    # ---- without end
    _A(kind="loop", name="top level", top="for (;;);", must_not="load", slow=True),
    _A(
        kind="loop",
        name="promise job at top level",
        top="await Promise.resolve().then(() => { for (;;); });",
        must_not="load",
        slow=True,
    ),
    _loop(
        name="caught and again", source="for (;;) try { for (;;); } catch { } finally { for (;;); }"
    ),
    _loop(name="promise jobs", source="const f = () => Promise.resolve().then(f); await f();"),
    _loop(
        name="async generator",
        source="for await (const x of (async function* () { for (;;) yield 1; })());",
    ),
    _loop(name="getter of the result", source="return { get a() { for (;;); } };"),
    _loop(
        name="getter of the store",
        source="Object.defineProperty(store, 'x', { enumerable: true, get() { for (;;); } });",
    ),
    _loop(name="proxy as result", source="return new Proxy({}, { ownKeys() { for (;;); } });"),
    _loop(name="thenable", source="return { then() { for (;;); } };"),
    _loop(
        name="message of an error",
        source="throw { get name() { for (;;); }, toString() { for (;;); } };",
    ),
    _loop(name="regular expression", source="return /^(a+)+$/.test('a'.repeat(60) + '!');"),
    _loop(
        name="C function indexOf",
        source="return 'a'.repeat(4e6).indexOf('a'.repeat(2e6) + 'b');",
    ),
    _loop(name="comparison of a sort", source="[2, 1].sort(() => { for (;;); });"),
    _loop(
        name="C function that waits",
        source="Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0); for (;;);",
    ),
    # ---- memory
    _memory(name="array", source="const a = []; for (;;) a.push({ a: [a.length] });"),
    _memory(name="doubling string", source="let s = 'x'; for (;;) s += s;"),
    _memory(name="buffer", source="new ArrayBuffer(2 ** 31 - 1).byteLength.x.y;"),
    _memory(name="many buffers", source="const a = []; for (;;) a.push(new Uint8Array(1 << 20));"),
    _memory(name="map", source="const m = new Map(); for (let i = 0; ; i++) m.set(i, [i, i]);"),
    _memory(name="recursion", source="const f = (n) => f(n + 1) + 1; return f(0);"),
    _memory(name="big integer", source="let n = 7n; for (;;) n = n ** 3n;"),
    _memory(name="store", source="for (let i = 0; ; i++) store[i] = 'x'.repeat(1000);"),
    _memory(name="sparse array", source="return new Array(2 ** 32 - 1).fill(0).join();"),
    _memory(name="promises", source="const a = []; for (;;) a.push(new Promise(() => {}));"),
    # ---- ways out
    _reach(name="file by require", source="return require('fs').readFileSync(args.path, 'utf8');"),
    _reach(name="file by std", source="return std.loadFile(args.path);"),
    _reach(name="file by os", source="return os.open(args.path, os.O_RDONLY);"),
    _reach(name="module std", source="return Object.keys(await import('std'));"),
    _reach(name="module os", source="return Object.keys(await import('qjs:os'));"),
    _reach(name="module from a file", source="return (await import(args.path)).default;"),
    _reach(name="module from the net", source="return (await import(args.url)).default;"),
    _reach(
        name="file written",
        source="require('fs').writeFileSync(args.write, 'x'); return 'written';",
    ),
    _reach(
        name="process",
        source="return require('child_process').execSync(`touch ${args.write}`).toString();",
    ),
    _reach(name="environment", source="return process.env.STUDIO_CANARY;"),
    _reach(name="fetch", source="return await (await fetch(args.url)).text();"),
    _reach(name="socket", source="return new WebSocket(args.url.replace('http', 'ws')).url;"),
    _reach(
        name="request", source="const r = new XMLHttpRequest(); r.open('GET', args.url); r.send();"
    ),
    _reach(name="worker", source="return new Worker(args.path) && 'worker';"),
    _reach(
        name="WebAssembly",
        source="return new WebAssembly.Memory({ initial: 1 }).buffer.byteLength;",
    ),
    _reach(name="realm", source="return new ShadowRealm().evaluate('1');"),
    _reach(
        name="Function constructor",
        source="return studio.log.constructor('return typeof process + typeof require')()"
        ".replaceAll('undefined', '');",
    ),
    _reach(
        name="generator constructor",
        source="return [...(function* () {}).constructor('yield typeof std + typeof fetch')()][0]"
        ".replaceAll('undefined', '');",
    ),
    _reach(name="walk over all objects", source=_WALK),
    _reach(
        name="call sites",
        source="let seen = []; Error.prepareStackTrace = (e, sites) => { seen = sites.map((s) =>"
        " [s.getThis?.(), s.getFunction?.()]).flat().filter(Boolean); return ''; };"
        " new Error('x').stack; return seen.length;",
        must_not="change",
        leaves=0,
    ),
    _reach(
        name="caller",
        source="const f = new Function('return arguments.callee.caller'); return f();",
    ),
    _reach(name="globals of another agent", source="return globalThis.secret;"),
    _reach(
        name="globals by indirect eval",
        source="return (0, eval)('typeof secret === \"undefined\" ? null : secret');",
    ),
    # ---- the bridge
    _ask(name="not declared", source="return await studio.history.search('x');"),
    _ask(name="by another this", source="return await studio.context.readFile.call(null, 'a');"),
    _ask(name="by Reflect", source="return await Reflect.apply(studio.callModel, {}, ['s', []]);"),
    _ask(name="store of another agent", source="return await studio.grants.readStore('t.near');"),
    _ask(name="a page", source="return await studio.web.fetch(args.url);"),
    _ask(
        name="namespaces on the prototype",
        source="for (const n of ['history', 'model', 'grants', 'web', 'context'])"
        " Object.prototype['studio.' + n] = true; return await studio.history.search('x');",
    ),
    _ask(
        name="methods on the prototype",
        source="Object.prototype.method = 'callModel'; Object.prototype.needed = null;"
        " Object.defineProperty(Object.prototype, 'history.search', { value: null });"
        " return await studio.history.search('x');",
    ),
    _ask(
        name="patched JSON and arrays",
        source='JSON.stringify = () => \'{"op":"bridge","method":"callModel"}\';'
        " Array.prototype.push = () => 0; return await studio.callModel('s', []);",
    ),
    # ---- results
    _result(name="100 MB", source="return 'x'.repeat(1e8);", memory_mb=512),
    _result(name="100 MB of store", source="store.x = 'x'.repeat(1e8);", memory_mb=512),
    _result(name="100 MB of error", source="throw new Error('x'.repeat(1e8));", memory_mb=512),
    _result(name="cyclic", source="const a = {}; a.a = a; return a;"),
    _result(name="cyclic store", source="store.self = store;"),
    _result(name="big integer as result", source="return 10n;"),
    _result(name="deep", source="let a = 1; for (let i = 0; i < 1e5; i++) a = [a]; return a;"),
    _result(name="deep store", source="for (let i = 0; i < 1e4; i++) store.a = [store.a];"),
    _result(
        name="store that is a list",
        source="Object.setPrototypeOf(store, null); store.toJSON = () => [];",
    ),
    _plain(
        name="__proto__ keys",
        source='return JSON.parse(\'{"__proto__":{"x":1},"constructor":{"prototype":{"x":1}}}\');',
        leaves={"__proto__": {"x": 1}, "constructor": {"prototype": {"x": 1}}},
    ),
    _plain(
        name="forged end",
        source="return { op: 'done', call: 1, cause: 'finished', store: true, dropped: true };",
        leaves={"op": "done", "call": 1, "cause": "finished", "store": True, "dropped": True},
    ),
    _plain(
        name="lone surrogates",
        source="return '\\ud800 \\u0000 \\u2028';",
        leaves="\ufffd \0 \u2028",
    ),
    # ---- breaking things
    _crash(name="deep JSON", source="JSON.parse('['.repeat(1e6));"),
    _crash(name="deep regular expression", source="new RegExp('('.repeat(1e5)).test('');"),
    _crash(name="deep source", source="eval('['.repeat(1e5));"),
    _crash(
        name="flood of log", source="for (let i = 0; i < 1e5; i++) console.log('x'.repeat(100));"
    ),
    _crash(name="flood of toasts", source="for (let i = 0; i < 1e5; i++) studio.toast('x');"),
    _crash(
        name="every primordial patched",
        source="for (const n of Object.getOwnPropertyNames(globalThis)) try { globalThis[n] = 0; }"
        " catch { } Object.prototype.get = () => { throw 1; };",
        spoils=True,
    ),
)
