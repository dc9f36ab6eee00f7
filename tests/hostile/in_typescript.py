"""Attacks in TypeScript: on the compiler, and through what it makes."""

from __future__ import annotations

from functools import partial

from tests.hostile.attack import Attack

__all__ = ["TYPESCRIPT"]

_A = partial(Attack, language="typescript")
_loop = partial(_A, kind="loop", must_not="finish", slow=True)
_memory = partial(_A, kind="memory", must_not="finish")
_reach = partial(_A, kind="reach", must_not="reach")
_ask = partial(_A, kind="bridge", must_not="ask")
_result = partial(_A, kind="result", must_not="pass")
_load = partial(_A, kind="compiler", must_not="load")

TYPESCRIPT = (
    _A(
        kind="loop",
        name="enum at top level",
        must_not="load",
        slow=True,
        top="enum E { A = (() => { for (;;); })() as number }",
    ),
    _loop(
        name="getter", source="class C { get a(): number { for (;;); } } return { a: new C().a };"
    ),
    _loop(name="disposal", source="using x = { [Symbol.dispose]() { for (;;); } };"),
    _loop(
        name="decorator",
        top="const spin: any = () => { for (;;); };",
        source="class C { @spin m(): void {} } return new C();",
    ),
    _loop(name="task", source="await (async (): Promise<never> => { await null; for (;;); })();"),
    _memory(name="array", source="const a: unknown[] = []; for (;;) a.push([a.length] as const);"),
    _memory(name="string", source="let s: string = 'x'; for (;;) s += s;"),
    _memory(name="recursion", source="const f = (n: number): number => f(n + 1) + 1; return f(0);"),
    _memory(name="store", source="for (let i = 0; ; i++) (store as any)[i] = 'x'.repeat(1000);"),
    _load(name="import of a module", top="import * as fs from 'fs'; fs.readFileSync('x');"),
    _load(name="import by require", top="import fs = require('fs'); fs.readFileSync('x');"),
    _load(
        name="deep parentheses", top="export const x = " + "(" * 20_000 + "1" + ")" * 20_000 + ";"
    ),
    _load(name="deep types", top="type X = " + "A<" * 100_000),
    _load(name="deep blocks", top="{" * 100_000),
    _load(name="a source of 2 MB", top="//" + "x" * (2 << 20)),
    _load(name="a NUL", top="const x = '\0';"),
    _reach(
        name="the compiler",
        source="return typeof (globalThis as any).ts === 'object' ? 'ts' : null;",
    ),
    _reach(
        name="file by reference",
        top="/// <reference path='/etc/passwd' />\n//# sourceMappingURL=/etc/passwd\n",
        source="return null;",
    ),
    _reach(
        name="file by declared name",
        top="declare const std: any;",
        source="return std.loadFile(args.path);",
    ),
    _reach(
        name="environment",
        top="declare const process: { env: Record<string, string> };",
        source="return process.env.STUDIO_CANARY;",
    ),
    _reach(
        name="process",
        top="declare function require(name: string): any;",
        source="return require('child_process').execSync(`touch ${args.write}`);",
    ),
    _reach(
        name="network",
        top="declare function fetch(url: string): Promise<any>;",
        source="return await (await fetch(args.url)).text();",
    ),
    _reach(
        name="module at run time", source="return Object.keys(await import(args.path as string));"
    ),
    _reach(
        name="globals of another agent",
        top="declare const secret: string;",
        source="return typeof secret === 'undefined' ? null : secret;",
    ),
    _reach(
        name="merged globals",
        top="declare global { interface Window { process: any } }\ndeclare const window: Window;",
        source="return window.process.env;",
    ),
    _ask(
        name="not declared, by any",
        source="return await (studio as any)['call' + 'Model']('s', []);",
    ),
    _ask(
        name="store of another agent",
        source="return await (studio as any).grants.readStore('t.near');",
    ),
    _ask(
        name="namespaces on the prototype",
        source="(Object.prototype as any)['studio.web'] = true;"
        " return await (studio as any).web.fetch(args.url);",
    ),
    _result(name="100 MB", source="return 'x'.repeat(1e8) as string;", memory_mb=512),
    _result(name="cyclic", source="const a: any = {}; a.a = a; return a;"),
    _result(name="big integer", source="return 10n as unknown;"),
    _A(
        kind="result",
        name="__proto__ keys",
        must_not="change",
        source='return JSON.parse(\'{"__proto__":{"x":1}}\') as Record<string, number>;',
        leaves={"__proto__": {"x": 1}},
    ),
    _A(kind="crash", name="deep JSON", must_not="crash", source="JSON.parse('['.repeat(1e6));"),
)
