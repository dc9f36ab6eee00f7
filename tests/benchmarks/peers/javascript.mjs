import { serve, studio } from "./serve.mjs";

serve(async (source) => {
  const agent = await import(`data:text/javascript,${encodeURIComponent(source)}`);
  return async ({ handler, arguments: given, store, context }) => {
    const value = await agent[handler](...given, store, studio, context);
    return { value, store };
  };
});
