// Calls the compiler, whose module is the global `ts`; the value is a function from the JSON text
// of a source to the JSON text of what came of it. Whatever changes here makes cached output stale.
(() => {
  "use strict";
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleDetection: ts.ModuleDetectionKind.Force,
    newLine: ts.NewLineKind.LineFeed,
    isolatedModules: true,
    sourceMap: true,
  };
  // One name for all sources: what a file is called must not change what becomes of it.
  const fileName = "agent.ts";
  const comment = /\n?\/\/# sourceMappingURL=[^\n]*\n?$/;

  // Lines as editors count them; the compiler also breaks at U+2028.
  const describe = (source, found) => {
    const before = source.slice(0, found.start ?? 0).split(/\r\n?|\n/);
    const words = ts.flattenDiagnosticMessageText(found.messageText, " ");
    return {
      reason: `${words.replace(/\.$/, "")} (TS${found.code})`,
      line: before.length,
      column: before[before.length - 1].length + 1,
    };
  };

  return (text) => {
    const source = JSON.parse(text);
    const made = ts.transpileModule(source, { compilerOptions, fileName, reportDiagnostics: true });
    const problem = made.diagnostics?.find(
      (found) => found.category === ts.DiagnosticCategory.Error);
    if (problem !== undefined) return JSON.stringify(describe(source, problem));
    const { mappings } = JSON.parse(made.sourceMapText);
    return JSON.stringify({ js: made.outputText.replace(comment, "\n"), mappings });
  };
})()
