// A player as a web page would be one, in Node: each agent in a worker of its own, stores posted as
// objects, their text written here. Reads one JSON request a line, answers one JSON line each.
import { createInterface } from "node:readline";
import { Worker } from "node:worker_threads";

const [packages] = process.argv.slice(2); // where npm has installed the runtimes
const stores = new Map(); // by name: the value that the agent gave back last, and its text
const workers = new Map(); // by language
const agents = new Map();

const start = (language) => {
  const script = new URL(`./${language}.mjs`, import.meta.url);
  const worker = new Worker(script, { workerData: { packages } });
  workers.get(language)?.terminate();
  workers.set(language, worker);
  return worker;
};

const ask = (worker, message) => new Promise((resolve, reject) => {
  const done = (answer) => {
    worker.off("error", reject);
    if (answer.error) reject(new Error(answer.error));
    else resolve(answer);
  };
  worker.once("message", done);
  worker.once("error", reject);
  worker.postMessage(message);
});

const call = async (language, name) => {
  const kept = stores.get(name);
  const given = { handler: "change", arguments: [], context: { agentId: "bench" } };
  const { store, value } = await ask(workers.get(language), { ...given, store: kept.value });
  if (value !== "ok") throw new Error(`the agent answered ${value}`);
  const text = JSON.stringify(store);
  if (text === kept.text) throw new Error("the store did not change");
  stores.set(name, { value: store, text });
};

const operations = {
  store({ name, text }) {
    stores.set(name, { value: JSON.parse(text), text });
    return {};
  },
  // From nothing to the answer of the first call.
  async start({ language, source, store }) {
    agents.set(language, source);
    const started = performance.now();
    await ask(start(language), { source });
    await call(language, store);
    return { ms: performance.now() - started };
  },
  async calls({ language, store, times }) {
    const microseconds = [];
    for (let i = 0; i < times; i++) {
      const started = performance.now();
      await call(language, store);
      microseconds.push(1000 * (performance.now() - started));
    }
    return { microseconds, text: stores.get(store).text };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { op, ...given } = JSON.parse(line);
  let answer;
  try {
    answer = await operations[op](given);
  } catch (error) {
    answer = { error: String(error?.stack ?? error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
await Promise.all([...workers.values()].map((worker) => worker.terminate()));
