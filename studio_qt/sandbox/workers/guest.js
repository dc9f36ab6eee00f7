// The guest's half of the channel. Its value is a factory; what the factory returns is reached by
// the worker alone, never by agent code. Everything that is needed later is saved here, before any
// agent code runs, because agents may patch JSON, Promise, Map, iterators and Object.prototype.
// Objects that leave the guest have no prototype, so that a patched toJSON cannot change them.
(configText) => {
  "use strict";
  const uncurry = (method) => Function.prototype.call.bind(method);
  const { parse, stringify } = JSON;
  const { apply, ownKeys } = Reflect;
  const { get: readProperty, set: writeProperty } = Reflect;
  const { getOwnPropertyDescriptor: describeProperty, defineProperty: addProperty } = Reflect;
  const { deleteProperty } = Reflect;
  const { create, defineProperty, freeze, setPrototypeOf } = Object;
  const SavedPromise = Promise;
  const resolved = Promise.resolve.bind(Promise);
  const SavedError = Error;
  const SavedString = String;
  const isArray = Array.isArray;
  const isSafeNumber = Number.isFinite;
  const now = performance.now.bind(performance);
  const then = uncurry(Promise.prototype.then);
  const slice = uncurry(String.prototype.slice);
  const codeAt = uncurry(String.prototype.charCodeAt);
  const find = uncurry(String.prototype.indexOf);
  const join = uncurry(Array.prototype.join);
  const isEnumerable = uncurry(Object.prototype.propertyIsEnumerable);
  const SavedProxy = Proxy;
  const readStack = uncurry(
    Object.getOwnPropertyDescriptor(Error.prototype, "stack")?.get ?? function () { return ""; });
  const globalObject = globalThis;

  const config = parse(configText);
  const RESULT_CAP = config.resultCap;
  const STORE_CAP = config.storeCap;
  const LINE_CAP = 2000;
  const LOG_BYTES = 120000;

  const list = () => setPrototypeOf([], null);
  const push = (items, item) => { items[items.length] = item; };
  const record = (fields) => setPrototypeOf(fields, null);

  // ---- console lines and requests that wait for the worker to fetch them
  let lines = list();
  let lineBytes = 0;
  let linesLost = false;
  const log = (text) => {
    if (lines.length >= config.logLines || lineBytes > LOG_BYTES) {
      if (!linesLost) push(lines, "(more lines were dropped)");
      linesLost = true;
      return;
    }
    const line = text.length > LINE_CAP ? slice(text, 0, LINE_CAP) + "…" : text;
    lineBytes += line.length + 1;
    push(lines, line);
  };

  let outbox = list();
  let nextRequest = 1;
  let requests = 0;
  let said = 0;
  let waiting = create(null);
  let open = 0;

  // ---- errors are agent code as well: every look at one can throw
  const attempt = (read, fallback) => {
    try { return read(); } catch { return fallback; }
  };
  const cut = (value, length) => slice(typeof value === "string" ? value : "", 0, length);
  const text = (value) => attempt(() => {
    if (typeof value === "string") return value;
    if (typeof value === "symbol") return "a symbol";
    return `${value}`;
  }, "a value without a text");
  const describe = (error) => {
    if (error === null) { // what the engine throws when not even an error object fits in
      return record({ name: "InternalError", message: "out of memory", stack: "" });
    }
    if (typeof error !== "object") return record({ name: "", message: cut(text(error), 4000), stack: "" });
    return record({
      name: cut(attempt(() => error.name, ""), 100),
      message: cut(attempt(() => {
        const message = error.message;
        return typeof message === "string" ? message : text(error);
      }, "an error whose message cannot be read"), 4000),
      stack: cut(attempt(() => readStack(error) || error.stack, ""), 8000),
    });
  };

  // ---- the bridge
  const refuse = (message) => new SavedPromise((_, reject) => reject(new SavedError(message)));
  const request = (method, given) => {
    const needed = config.methods[method];
    if (needed !== null && !config.namespaces[needed]) {
      return refuse(
        `studio.${method} needs the line "@api ${needed}" in the agent's manifest`);
    }
    if (++requests > config.requestCap) return refuse("too many bridge calls in one call");
    let payload;
    try {
      payload = stringify(setPrototypeOf(given, null));
    } catch (error) {
      return refuse(`the arguments of studio.${method} are not JSON: ${describe(error).message}`);
    }
    if (payload.length > config.argumentCap) {
      return refuse(`the arguments of studio.${method} are too large`);
    }
    const id = nextRequest++;
    open++;
    push(outbox, record({ id, method, payload }));
    return new SavedPromise((resolve, reject) => {
      waiting[id] = record({ resolve, reject });
    });
  };
  const tell = (method, message) => {
    if (++said > config.logLines) {
      if (said === config.logLines + 1) log(`(more calls of studio.${method} were dropped)`);
      return resolved();
    }
    const line = setPrototypeOf([cut(text(message), 64000)], null);
    push(outbox, record({ id: 0, method, payload: stringify(line) }));
    return resolved();
  };
  const studio = freeze({
    toast(message) { return tell("toast", message); },
    log(message) { return tell("log", message); },
    history: freeze({
      search(query) { return request("history.search", [query]); },
      range(start, end) { return request("history.range", [start, end]); },
    }),
    context: freeze({ readFile(name) { return request("context.readFile", [name]); } }),
    callModel(systemPrompt, messages, maxTokens, opts) {
      return request("callModel", [systemPrompt, messages, maxTokens, opts]);
    },
    grants: freeze({ readStore(ref) { return request("grants.readStore", [ref]); } }),
    web: freeze({ fetch(url, options) { return request("web.fetch", [url, options]); } }),
  });

  // ---- timers: the host waits, the guest only remembers what is due
  let timers = create(null);
  let nextTimer = 1;
  const startTimer = (callback, delay, repeat, given) => {
    if (typeof callback !== "function") throw new TypeError("a timer needs a function");
    const wait = +delay > 1 && +delay < 0x80000000 ? +delay : 1;
    const id = nextTimer++;
    timers[id] = record({ id, callback, given, due: now() + wait, every: repeat ? wait : 0 });
    return id;
  };
  const stopTimer = (id) => {
    if (typeof id === "number") delete timers[id];
  };
  const nextDue = () => {
    let first = null;
    const ids = ownKeys(timers);
    for (let i = 0; i < ids.length; i++) {
      const timer = timers[ids[i]];
      if (first === null || timer.due < first.due) first = timer;
    }
    return first;
  };
  const runTimer = () => {
    const timer = nextDue();
    if (timer === null || timer.due > now() + 0.5) return;
    if (timer.every) timer.due = now() + timer.every;
    else delete timers[timer.id];
    try {
      apply(timer.callback, undefined, timer.given);
    } catch (error) {
      reportLoose("in a timer", error);
    }
  };
  const reportLoose = (where, error) => {
    const { name, message } = describe(error);
    log(`Uncaught ${name || "Error"} ${where}: ${message}`);
  };
  const queueJob = (callback) => {
    if (typeof callback !== "function") throw new TypeError("queueMicrotask needs a function");
    then(resolved(), () => {
      try { callback(); } catch (error) { reportLoose("in a microtask", error); }
    });
  };

  // ---- stores
  // A held store is a text. A large one that was written here is held in parts instead, one for
  // each member, and large members are parsed when the agent first reaches for them; those that it
  // did not touch need not be written again.
  const LARGE = 16384;
  const LARGE_PART = 1024;
  const MOST_PARTS = 64;
  const PREPARED = 131072;
  let store;
  let target; // what stands behind the store: the same object, unless it is a proxy
  let lazy = null; // the members of target that are still text: name -> part
  let heldIn = null;
  let heldOut = null;
  let canonical = false; // whether heldIn is known to be what stringify would write
  let prepared = null; // a store made ahead of its call, with what it was made of
  const whole = (text) => record({ text, parts: null, size: text.length });
  const textOf = (held) => held.text ?? `{${join(held.parts.pairs, ",")}}`;
  const isSame = (held, other) => {
    if (held === other) return true;
    if (held.size !== other.size) return false;
    if (held.parts === null || other.parts === null) return textOf(held) === textOf(other);
    const { pairs } = held.parts;
    const others = other.parts.pairs;
    if (pairs.length !== others.length) return false;
    for (let i = 0; i < pairs.length; i++) if (pairs[i] !== others[i]) return false;
    return true;
  };
  const makeStore = (held) => {
    if (held.parts === null) {
      const made = parse(held.text);
      return record({ held, store: made, target: made, lazy: null });
    }
    const { keys, pairs } = held.parts;
    const texts = create(null);
    const bones = list();
    let left = 0;
    for (let i = 0; i < keys.length; i++) {
      if (pairs[i].length < LARGE_PART) {
        push(bones, pairs[i]);
      } else {
        texts[keys[i]] = pairs[i];
        push(bones, `${stringify(keys[i])}:0`);
        left++;
      }
    }
    const made = parse(`{${join(bones, ",")}}`);
    return record({ held, store: veil(made, texts, left), target: made, lazy: texts });
  };
  const veil = (made, texts, left) => {
    const traps = create(null);
    const forget = (key) => {
      delete texts[key];
      if (--left > 0) return;
      delete traps.get; // from here on it is as quick as what stands behind it
      delete traps.set;
      delete traps.getOwnPropertyDescriptor;
      delete traps.defineProperty;
      delete traps.deleteProperty;
    };
    const reach = (key) => {
      if (texts[key] === undefined) return;
      const value = parse(`{${texts[key]}}`)[key];
      forget(key);
      defineProperty(made, key, record({ value }));
    };
    traps.get = (_, key, receiver) => { reach(key); return readProperty(made, key, receiver); };
    traps.set = (_, key, value, receiver) => {
      if (texts[key] !== undefined) {
        if (receiver === proxy) forget(key);
        else reach(key);
      }
      return writeProperty(made, key, value, receiver);
    };
    traps.getOwnPropertyDescriptor = (_, key) => { reach(key); return describeProperty(made, key); };
    traps.defineProperty = (_, key, given) => { reach(key); return addProperty(made, key, given); };
    traps.deleteProperty = (_, key) => {
      if (texts[key] !== undefined) forget(key);
      return deleteProperty(made, key);
    };
    const proxy = new SavedProxy(made, traps);
    return proxy;
  };
  const hasBadNumber = (value, depth) => {
    if (typeof value === "number") return !isSafeNumber(value);
    if (typeof value !== "object" || value === null || depth > 600) return false;
    if (isArray(value)) {
      for (let i = 0; i < value.length; i++) if (hasBadNumber(value[i], depth + 1)) return true;
      return false;
    }
    const keys = ownKeys(value);
    for (let i = 0; i < keys.length; i++) {
      if (typeof keys[i] === "string" && hasBadNumber(value[keys[i]], depth + 1)) return true;
    }
    return false;
  };
  const isBad = (written, value) =>
    find(written, "null") >= 0 && attempt(() => hasBadNumber(value, 0), false);
  // Write each member for itself; null where that is not how stringify would go about it.
  const writeParts = () => {
    const names = ownKeys(target);
    if (isArray(target) || names.length > MOST_PARTS || "toJSON" in target) return null;
    const keys = list();
    const pairs = list();
    let size = 1;
    let bad = false;
    for (let i = 0; i < names.length; i++) {
      const name = names[i];
      if (typeof name !== "string" || !isEnumerable(target, name)) continue;
      let pair = lazy === null ? undefined : lazy[name];
      if (pair === undefined) {
        const holder = create(null);
        const value = holder[name] = target[name];
        const written = stringify(holder);
        if (written === "{}") continue;
        pair = slice(written, 1, -1);
        bad ||= isBad(pair, value);
      }
      push(keys, name);
      push(pairs, pair);
      size += pair.length + 1;
    }
    if (pairs.length === 0) size = 2;
    return record({ held: record({ text: null, parts: record({ keys, pairs }), size }), bad });
  };
  const writeWhole = () => {
    const written = stringify(store);
    const isObject = typeof written === "string" && written[0] === "{";
    return record({ held: isObject ? whole(written) : null, bad: null });
  };
  // Nothing changed; from now on, what was written stands for the text that came in.
  const keep = (held) => {
    heldIn = held;
    canonical = true;
    return null;
  };
  const writeStore = () => {
    let written;
    try {
      written = (heldIn.size >= LARGE ? writeParts() : null) ?? writeWhole();
    } catch (error) {
      const { message } = describe(error);
      if (message === "out of memory") throw error;
      throw new SavedError(`the store cannot be saved as JSON: ${message}`);
    }
    const { held, bad } = written;
    if (held === null) {
      throw new SavedError("the store cannot be saved: it must be a JSON object");
    }
    if (held.size > STORE_CAP) {
      throw new SavedError("the store is larger than 16 MB and was not saved");
    }
    if (isSame(held, heldIn)) return keep(held);
    if (bad ?? isBad(held.text, store)) {
      log("The store held NaN or Infinity; JSON has no such numbers, null was saved instead.");
    }
    if (!canonical && stringify(parse(textOf(heldIn))) === textOf(held)) return keep(held);
    return held;
  };
  const bytesOver = (value, cap) => {
    if (value.length * 3 <= cap) return false;
    if (value.length > cap) return true;
    let bytes = 0;
    for (let i = 0; i < value.length; i++) {
      const code = codeAt(value, i);
      bytes += code < 0x80 ? 1 : code < 0x800 || (code & 0xf800) === 0xd800 ? 2 : 3;
    }
    return bytes > cap;
  };
  const writeValue = (value) => {
    if (value === undefined || value === null) return "null";
    let written;
    try {
      written = stringify(value) ?? "null";
    } catch (error) {
      const { message } = describe(error);
      if (message === "out of memory") throw error;
      throw new SavedError(`the returned value is not JSON: ${message}`);
    }
    if (bytesOver(typeof value === "string" ? value : written, RESULT_CAP)) {
      throw new SavedError(`the returned value is larger than ${RESULT_CAP / 1024} KB`);
    }
    return written;
  };

  // ---- one activity at a time: a call, or the evaluation of the agent's module
  let ended = null; // the end of the activity as JSON text, once it has one
  let activity = 0;
  const failWith = (error) => {
    const { name, message, stack } = describe(error);
    ended = stringify(record({ cause: "failed", name, message, stack }));
  };
  const settle = (own, value) => {
    if (own !== activity || ended !== null) return;
    try {
      const written = writeValue(value);
      heldOut = writeStore();
      ended = `{"cause":"finished","value":${written},"store":${heldOut !== null}}`;
    } catch (error) {
      failWith(error);
    }
  };
  const settleFailed = (own, error) => {
    if (own === activity && ended === null) failWith(error);
  };
  const follow = (value, onValue) => {
    const own = activity;
    const isObject = (typeof value === "object" && value !== null) || typeof value === "function";
    if (!isObject) {
      onValue(own, value);
      return;
    }
    const fulfilled = (result) => onValue(own, result);
    const rejected = (error) => settleFailed(own, error);
    try {
      then(value, fulfilled, rejected);
      return;
    } catch { /* not a promise of the engine: perhaps another object with a then */ }
    if (typeof value.then !== "function") onValue(own, value);
    else then(new SavedPromise((resolve) => resolve(value)), fulfilled, rejected);
  };
  const reset = () => {
    activity++;
    ended = null;
    if (nextRequest > 1 || said > 0) {
      outbox = list();
      waiting = create(null);
    }
    if (nextTimer > 1) timers = create(null);
    open = 0;
    requests = 0;
    said = 0;
  };
  // What the worker hears at once of an activity that has ended.
  const told = () => ended === null ? null : report();
  const report = () => {
    if (ended !== null && outbox.length === 0 && lines.length === 0) return slice(ended, 0);
    const asked = outbox;
    outbox = list();
    const timer = ended === null ? nextDue() : null;
    const wait = timer === null ? "null" : stringify(timer.due - now());
    const done = ended ?? "null";
    let logs = "";
    if (ended !== null) {
      logs = stringify(lines);
      lines = list();
      lineBytes = 0;
      linesLost = false;
    }
    const text = `{"requests":${stringify(asked)},"open":${open},"timer":${wait},"end":${done}` +
      (logs ? `,"logs":${logs}}` : "}");
    return slice(text, 0); // long sums are ropes, which the binding cannot pass
  };

  // ---- exports: named ones first, then the functions of a default-exported object
  let space = null;
  let byDefault = create(null);
  defineProperty(globalObject, config.port, record({
    set(value) { if (space === null) space = value; },
    enumerable: false,
    configurable: false,
  }));
  const collect = () => {
    const names = list();
    const seen = create(null);
    const add = (name) => {
      if (typeof name !== "string" || seen[name]) return;
      seen[name] = true;
      push(names, name);
    };
    const keys = ownKeys(space);
    for (let i = 0; i < keys.length; i++) {
      if (keys[i] !== "default" && typeof space[keys[i]] === "function") add(keys[i]);
    }
    const fallback = space.default;
    if (typeof fallback !== "object" || fallback === null) return names;
    const own = ownKeys(fallback);
    for (let i = 0; i < own.length; i++) {
      const value = attempt(() => fallback[own[i]], undefined);
      if (typeof value === "function" && !seen[own[i]]) {
        byDefault[own[i]] = true;
        add(own[i]);
      }
    }
    return names;
  };
  const handlerOf = (name) => {
    if (byDefault[name]) return record({ self: space.default, run: space.default[name] });
    return record({ self: undefined, run: space[name] });
  };

  const operations = record({
    call(headText, storeText, keep) {
      reset();
      try {
        canonical = keep === 2 || (keep === 1 && canonical);
        if (keep === 2) heldIn = heldOut ?? heldIn;
        if (keep === 0) heldIn = whole(storeText);
        heldOut = null;
        const head = parse(headText);
        const made = prepared?.held === heldIn ? prepared : makeStore(heldIn);
        prepared = null;
        store = made.store;
        target = made.target;
        lazy = made.lazy;
        const given = setPrototypeOf(head.arguments, null);
        push(given, store);
        push(given, studio);
        push(given, head.context);
        const handler = handlerOf(head.handler);
        if (typeof handler.run !== "function") {
          throw new SavedError(`there is no exported function named "${head.handler}"`);
        }
        follow(apply(handler.run, handler.self, given), settle);
      } catch (error) {
        failWith(error);
      }
      return told();
    },
    watch(promise) {
      reset();
      const own = activity;
      const finish = () => { if (own === activity) ended = '{"cause":"finished"}'; };
      then(promise, finish, (error) => settleFailed(own, error));
      return told();
    },
    reply(id, ok, valueText) {
      const pending = waiting[id];
      if (pending === undefined) return null;
      delete waiting[id];
      open--;
      const value = parse(valueText);
      if (ok) pending.resolve(value);
      else pending.reject(new SavedError(value));
      return told();
    },
    wake() {
      runTimer();
      return told();
    },
    ended() { return ended !== null; },
    report,
    takeStore() { return slice(textOf(heldOut), 0); },
    // The next call most likely comes with the store that this one left.
    prepare() {
      const held = heldOut ?? heldIn;
      if (held.parts !== null || held.size <= PREPARED) prepared = makeStore(held);
    },
    abandon() {
      ended ??= '{"cause":"stopped"}';
      return ended !== null;
    },
    exports() { return stringify(attempt(collect, list())); },
  });
  const { eval: evaluate } = globalObject;
  const provide = (name, value) => defineProperty(globalObject, name, record({
    value, writable: true, configurable: true, enumerable: false,
  }));
  const defineLater = (sourceText) => {
    let made = null;
    const make = () => (made ??= evaluate(sourceText)());
    const later = (name) => defineProperty(globalObject, name, record({
      get() {
        const value = make()[name];
        provide(name, value);
        return value;
      },
      set(value) { provide(name, value); },
      configurable: true,
      enumerable: false,
    }));
    later("URL");
    later("URLSearchParams");
  };
  const toolkit = { log, startTimer, stopTimer, queueJob, describe, text, config };
  return (operation, a, b, c) => {
    if (operation === "install") return a(toolkit);
    if (operation === "later") return defineLater(a);
    return operations[operation](a, b, c);
  };
}
