"""Errors of TypeScript agents name places in the source that was written."""

from __future__ import annotations

import pytest

from studio_qt.sandbox import AgentLoadError, SandboxHost
from studio_qt.sandbox.sourcemap import SourceMap
from tests.support.typescript import load_typescript

pytestmark = pytest.mark.usefixtures("own_cache")

THROWING = """\
interface Long {
  one: string;
  two: {
    three: number;
  };
}
import type {
  A,
} from "./a";

declare function unused(
  a: number,
): void;

class Thrower<T> {
  constructor(
    private readonly message: T,
  ) {}

  now(): never {
    throw new Error(`${this.message}`);   // line 21
  }
}

export function direct(
  _: Long | null,
): void { new Thrower("direct").now(); }

export async function later(): Promise<void> {
  type Inner = {
    erased: true;
  };
  await null;
  await null;
  await helper(1 as unknown as Inner);
}
enum Steps { One, Two }
async function helper(_: object): Promise<never> { throw new Error("late"); }  // line 38
export const caught = async (): Promise<void> => {
  try {
    new Thrower("seen").now();
  } catch (error) { console.error((error as Error).stack); }
  await Promise.resolve().then((): void => {
    throw new TypeError(Steps[1]);        // line 44
  });
};
"""


@pytest.mark.clause("LANG-01")
async def test_run_time_errors_name_the_line_in_the_source(host: SandboxHost) -> None:
    guest = await load_typescript(host, THROWING, file="agents/t.ts")
    assert (await guest.call("direct")).error == "direct (agents/t.ts:21)"
    assert (await guest.call("later")).error == "late (agents/t.ts:38)"
    assert (await guest.call("caught")).error == "TypeError: Two (agents/t.ts:44)"


@pytest.mark.clause("LANG-01")
async def test_other_line_ends_count_as_lines_too(host: SandboxHost) -> None:
    for ending in ("\r\n", "\r"):
        source = THROWING.replace("\n", ending)
        guest = await load_typescript(host, source, file="agents/t.ts")
        assert (await guest.call("direct")).error == "direct (agents/t.ts:21)"


@pytest.mark.clause("LANG-01")
async def test_a_trace_that_an_agent_prints_names_the_source(host: SandboxHost) -> None:
    guest = await load_typescript(host, THROWING, file="agents/t.ts")
    (trace,) = (await guest.call("caught")).logs
    assert "now (agents/t.ts:21:" in trace
    assert "caught (agents/t.ts:41:" in trace
    assert "<input>" not in trace


@pytest.mark.clause("LANG-01")
async def test_syntax_errors_name_line_and_column_in_the_compilers_words(host: SandboxHost) -> None:
    cases = {
        "interface A {\n  x: number;\n}\nexport const f = (1;\n": (4, 20, "')' expected"),
        "\ufeffexport const f = ;": (1, 19, "Expression expected"),
        "// one\r\n// two\r\n  const n = 1 2;": (3, 15, "',' expected"),
        "const s = 'a\u2028b';\nenum { A }": (2, 6, "Identifier expected"),
        "/* never\nclosed": (2, 7, "'*/' expected"),
        "const s = `open": (1, 16, "Unterminated template literal"),
    }
    for source, (line, column, words) in cases.items():
        with pytest.raises(AgentLoadError) as raised:
            await load_typescript(host, source, file="agents/t.ts")
        error = raised.value
        assert (error.file, error.line, error.column) == ("agents/t.ts", line, column), source
        assert words in error.reason
        assert str(error).startswith(f"agents/t.ts, line {line}, column {column}: ")


@pytest.mark.clause("LANG-01")
async def test_what_only_the_engine_refuses_names_the_line_in_the_source(host: SandboxHost) -> None:
    for source in (
        "interface A {\n  x: number;\n}\nlet a = 1;\nlet a = 2;",
        "type A = 1;\n\n\n\nthrow new Error('at top level');",
        "type A = 1;\n\n\n\nawait Promise.reject(new Error('later'));",
    ):
        with pytest.raises(AgentLoadError) as raised:
            await load_typescript(host, source, file="agents/t.ts")
        assert (raised.value.file, raised.value.line) == ("agents/t.ts", 5)


def test_a_map_leads_back_from_any_column_and_skips_lines_of_the_compiler() -> None:
    mapped = SourceMap(";AAAA,IAAK;;AACA,SAAW;EAAb;AAgC1B")
    assert mapped.find(1, 1) is None
    assert [mapped.find(2, column) for column in (1, 4, 5, 900)] == [(1, 1), (1, 1), (1, 6), (1, 6)]
    assert mapped.find(3, 1) is None
    assert mapped.find(4, 1) == (2, 6)
    assert mapped.find(99, 1) is None
    assert mapped.find(0, 1) is None


@pytest.mark.parametrize("mappings", ["A?", "AAg", "g", "é"])
def test_a_broken_map_is_a_value_error(mappings: str) -> None:
    with pytest.raises(ValueError, match="source map"):
        SourceMap(mappings).find(1, 1)
