// Python under Pyodide, with stores as real dicts; handlers are called by their signature.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import { workerData } from "node:worker_threads";
import { serve, studio } from "./serve.mjs";

const BESIDE = `
import inspect
_counts = {}
async def call_handler(name, *given):
    handler = globals()[name]
    if name not in _counts:
        _counts[name] = len(inspect.signature(handler).parameters)
    value = handler(*given[:_counts[name]])
    return await value if inspect.isawaitable(value) else value
`;

serve(async (source) => {
  const place = createRequire(`${workerData.packages}/`).resolve("pyodide/pyodide.mjs");
  const { loadPyodide } = await import(pathToFileURL(place));
  const python = await loadPyodide();
  python.runPython(source + BESIDE);
  const call = python.globals.get("call_handler");
  return async ({ handler, arguments: given, store, context }) => {
    const passed = [...given, store].map((value) => python.toPy(value));
    const dict = passed.at(-1);
    const value = await call(handler, ...passed, studio, python.toPy(context));
    const changed = dict.toJs({ dict_converter: Object.fromEntries });
    for (const item of passed) item?.destroy?.();
    return { value, store: changed };
  };
});
