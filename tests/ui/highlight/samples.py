"""Realistic texts in each language, and pieces that open, close and break what spans lines."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["PIECES", "SAMPLES"]

_JAVASCRIPT = """/**
 * @agent test.tides
 * @tool-params {"type": "object"}
 */
import { a as b } from "./lib.js";

const names = new Map([["a", 1], ['b', 0x1F]]);
/* a comment
   over lines, with `marks` and "quotes" */
export async function onToolCall(name, args, store, studio) {
  const ratio = args.total / args.parts / 2; // no expression
  const found = text.match(/^[/"'`]+\\/(\\d+)$/gi) ?? [];
  const line = `Tide ${ratio > 1 ? `high: ${ { a: "}" }.a }` : 'low'} at
  ${names.get("a")} o'clock \\` still`;
  return { line, found, "key": `x`, other: null };
}

class Keeper extends Base {
  #lamp = 1_000n;
  static get lamp() { return this.#lamp; }
  say(words) {
    if (!words) return "He said \\"no\\", \\
and left";
    return words?.length ? words : undefined;
  }
}
"""

_TYPESCRIPT = """enum Means { Lamp = "lamp", Flags = "flags" }

interface Signal<T extends object = {}> {
  id: number;
  readonly to?: string | null;
  send?(text: string): Promise<void>;
}

/* types
   go here */
export type Sent = { ok: true; text: string } | { ok: false };

@sealed
abstract class Tower implements Signal<Map<string, unknown>> {
  private lit = false;
  constructor(readonly name: string, public lamps: number[] = []) { super(); }
  public light(this: Tower): asserts this is Lit {
    const words = <string[]>this.lamps.map((lamp) => `${lamp as unknown as string}
      of ${this.name}`);
    return words satisfies unknown;
  }
}
"""

_PYTHON = '''"""Omens.

@agent keeper.omens
@tool-params {"type": "object"}
"""
import json
from typing import Any

SIGNS = {"gull": 1.5e3, 'fog': 0x1f, "key": None}

class Omens(dict):
    """Reads signs,
    one by one: ""quoted"", \\"""escaped.
    """

    @property
    def sign(self, name: str = "x", *rest) -> str:
        # a comment with """ in it
        text = f"{name!r:>{10}} and {self['a'] if rest else "b"}"
        match name:
            case "gull" | "fog":
                return rb'\\x00' + f"""{text}
                over lines {name}
                """
        return \'\'\'single
        "quotes" \'\'\' + "%s %(a)d" % name

async def onToolCall(name, args, store, studio):
    print(await studio.callModel("x"), end="\\n")
    lambda x: x @ y
'''

_LUA = """--[[
@agent keeper.boats
]]
local boats = { name = "Vane", ["x"] = 3, [1] = 0x1F, say = function(self) return self.name end }
--[==[ a comment
  with ]] and ]=] inside
]==]
local text <const> = [==[
A long string with ]] and "quotes" -- no comment
]==]
function boats.call(name, ...)
  for index, boat in ipairs(boats) do -- each
    if boat < name and name > 1 then goto done end
    print(("%d: %s\\n"):format(index, boat.name), 'it\\'s', [[x]])
  end
  ::done::
  return "a\\z
     b", nil, 1e3 // 2 ~= 3
end
"""

_JSON = """{
  "name": "Ada \\"Byron\\"",
  "agents": ["test.roller", {"id": "x", "on": true}],
  "size": [-1.5e3, 0, null, false],
  "empty": {}, "tail": "\\u00e9 \\n"
}
"""

_YAML = """%YAML 1.2
---
name: Lantern Keeper # a comment
text: >-
  Folded over
  lines: with # no comment

  and a blank one
literal: |2
    kept
   less
list:
  - one
  - "two \\"quoted\\"
    over lines"
  - 'three ''times'''
  -
    - nested: {a: 1, b: [x, y],
        c: true}
plain: words that go on
  on the next line
  and another: no
anchor: &here !!str 12.5
alias: *here
? complex
: value
...
"""

_MARKDOWN = """# The Keeper

She *looks up* and says **nothing at all**, ***ever***. `code` and ``two ` ticks``.
A snake_case_name, _emphasis_, __strong__, ~~gone~~ and 2 * 3 * 4.

> A quote, %%CONTEXT%%
> goes on

- a list with [a link](https://example.org "x")
- [ ] a task, [another][one]
1. first
   ```js
   const a = `x ${1} %%HISTORY%%`; /* open
   still */ f(a);
   ```

Heading
=======

<!-- hidden
*not emphasis* -->
~~~python
def f():
    \"\"\"doc
    ``` inside
    \"\"\"
~~~
````md
# inner
```lua
local a = 1
```
````
```unknown
# plain
```

---
[one]: https://example.org
Last %%STORE:memory store%% and %%nothing%% 🌊 *🌊 wave* %%CHARACTER_INSTRUCTIONS%%
"""

_SUBAGENT = f"""
---
description: >
  Marcus Vane, pilot. Call him
  whenever he is spoken to.
history: recent:6
contextFiles: [.tides.json]
# maxTokens: 600
temperature: 0.9
---
You are Marcus. %%CONTEXT%%

---

## What you remember
%%STORE:memory-store%%
{_MARKDOWN}"""

SAMPLES: Mapping[str, str] = {
    "json": _JSON,
    "markdown": _MARKDOWN,
    "subagent": _SUBAGENT,
    "yaml": _YAML,
    "javascript": _JAVASCRIPT,
    "typescript": _TYPESCRIPT,
    "python": _PYTHON,
    "lua": _LUA,
    "text": "You are Ada.\n%%CHARACTER_INSTRUCTIONS%%\nSpeak as she would.\n\n%%STORE:x%% 🌊\n",
}

PIECES = (
    *(
        "/*",
        "*/",
        "//",
        "`",
        "${",
        "}",
        "{",
        '"',
        "'",
        "\\",
        "/",
        "(",
        ")",
        "[",
        "]",
        ",",
        ";",
        ":",
    ),
    *('"""', "'''", "#", "@tag", "f'", "--", "--[[", "]]", "[==[", "]==]", "[=[", "]=]", "<", ">"),
    *("---", "---\n", "```", "```js\n", "```\n", "~~~", "> ", "- ", "*", "**", "_", "<!--", "-->"),
    *(
        "|\n  ",
        ">\n",
        "key: ",
        "&a",
        "? ",
        "%%",
        "%%HISTORY%%",
        "%%STORE:",
        "🌊",
        "é",
        "\n",
        "\n\n",
    ),
    *("\n  ", "  ", "\t", " ", "word", "return ", "function ", "class ", "12.5", "true", "\u2028"),
)
