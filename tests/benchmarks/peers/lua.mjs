// Lua under Wasmoon, with stores as real tables: agents may use all that Lua has for tables.
import { createRequire } from "node:module";
import { workerData } from "node:worker_threads";
import { serve, studio } from "./serve.mjs";

const BESIDE = `
function call_handler() return _G[handler](store, studio, context) end
`;

serve(async (source) => {
  const { LuaFactory } = createRequire(`${workerData.packages}/`)("wasmoon");
  const lua = await new LuaFactory().createEngine({ enableProxy: false });
  await lua.doString(source + BESIDE);
  const call = lua.global.get("call_handler");
  lua.global.set("studio", studio);
  return async ({ handler, store, context }) => {
    for (const [name, value] of Object.entries({ handler, store, context })) {
      lua.global.set(name, value);
    }
    const value = await call();
    return { value, store: lua.global.get("store") };
  };
});
