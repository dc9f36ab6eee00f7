// What every worker does: load an agent when it gets a source, else call a handler of it with its
// arguments, the store, studio and the context, and post the value and the store.
import { parentPort } from "node:worker_threads";

export const studio = { toast() {}, log() {} };

export const serve = (load) => {
  let call;
  parentPort.on("message", async (message) => {
    try {
      if (message.source !== undefined) {
        call = await load(message.source);
        parentPort.postMessage({});
      } else {
        parentPort.postMessage(await call(message));
      }
    } catch (error) {
      parentPort.postMessage({ error: String(error?.stack ?? error) });
    }
  });
};
