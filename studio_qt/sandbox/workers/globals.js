// What agents find on the global object beside the language itself. Uses the saved tools of
// guest.js where a patched primordial could reach the worker; the rest is ordinary code.
(tools) => {
  "use strict";
  const define = (target, members) => {
    for (const name of Object.keys(members)) {
      Object.defineProperty(target, name, {
        value: members[name], writable: true, configurable: true, enumerable: false,
      });
    }
  };

  // ---- call sites: their functions would lead to those of the guest
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_, sites) => sites;
  const callSite = Object.getPrototypeOf(new Error().stack[0]);
  Error.prepareStackTrace = prepareStackTrace;
  for (const name of ["getFunction", "getThis"]) delete callSite[name];

  // ---- console
  const { log, describe, text } = tools;
  const { stringify } = JSON;
  const isArray = Array.isArray;
  const MapSet = { Map, Set };
  const show = (value) => {
    try {
      if (typeof value === "string") return value;
      if (typeof value === "bigint") return `${value}n`;
      if (typeof value === "function") return `[function ${value.name || "anonymous"}]`;
      if (typeof value !== "object" || value === null) return text(value);
      if (value instanceof Error) {
        const { name, message } = describe(value);
        return `${name || "Error"}: ${message}`;
      }
      if (value instanceof MapSet.Map) return `Map(${value.size}) ${showList([...value])}`;
      if (value instanceof MapSet.Set) return `Set(${value.size}) ${showList([...value])}`;
      return stringify(value) ?? text(value);
    } catch (error) {
      return isArray(value) ? "[array]" : "[object]";
    }
  };
  const showList = (items) => stringify(items);
  const line = (values) => {
    let joined = "";
    for (let i = 0; i < values.length; i++) joined += (i ? " " : "") + show(values[i]);
    return joined;
  };
  let indent = "";
  const counts = new Map();
  const clocks = new Map();
  const say = (prefix, values) => log(indent + prefix + line(values));
  const speak = (prefix) => (...values) => say(prefix, values);
  const elapsed = (label) => `${label}: ${(performance.now() - clocks.get(label)).toFixed(3)} ms`;
  define(globalThis, {
    console: {
      log: speak(""), info: speak(""), debug: speak(""), trace: speak("trace: "),
      warn: speak("warning: "), error: speak("error: "), dir: speak(""), table: speak(""),
      dirxml: speak(""),
      group(...values) { say("", values); indent += "  "; },
      groupCollapsed(...values) { say("", values); indent += "  "; },
      groupEnd() { indent = indent.slice(2); },
      assert(holds, ...values) { if (!holds) say("assertion failed: ", values); },
      count(label = "default") {
        counts.set(label, (counts.get(label) ?? 0) + 1);
        say("", [`${label}: ${counts.get(label)}`]);
      },
      countReset(label = "default") { counts.delete(label); },
      time(label = "default") { clocks.set(label, performance.now()); },
      timeLog(label = "default", ...values) {
        if (clocks.has(label)) say("", [elapsed(label), ...values]);
      },
      timeEnd(label = "default") {
        if (clocks.has(label)) say("", [elapsed(label)]);
        clocks.delete(label);
      },
      clear() {},
    },
  });

  // ---- timers
  define(globalThis, {
    self: globalThis,
    setTimeout: (callback, delay, ...given) => tools.startTimer(callback, delay, false, given),
    setInterval: (callback, delay, ...given) => tools.startTimer(callback, delay, true, given),
    clearTimeout: (id) => tools.stopTimer(id),
    clearInterval: (id) => tools.stopTimer(id),
    queueMicrotask: (callback) => tools.queueJob(callback),
  });

  // ---- structuredClone
  const uncloneable = (what) => new DOMException(`${what} could not be cloned.`, "DataCloneError");
  const TypedArray = Object.getPrototypeOf(Int8Array);
  const errorKinds = { EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError };
  const cloneSpecial = (value, seen) => {
    const tag = Object.prototype.toString.call(value);
    if (value instanceof Date) return new Date(value.getTime());
    if (value instanceof RegExp) return new RegExp(value.source, value.flags);
    if (value instanceof ArrayBuffer) return value.slice(0);
    if (value instanceof DataView) {
      return new DataView(clone(value.buffer, seen), value.byteOffset, value.byteLength);
    }
    if (value instanceof TypedArray) {
      const kind = globalThis[value[Symbol.toStringTag]];
      return new kind(clone(value.buffer, seen), value.byteOffset, value.length);
    }
    if (value instanceof Boolean || value instanceof Number || value instanceof String) {
      return Object(value.valueOf());
    }
    if (value instanceof Promise || value instanceof WeakMap || value instanceof WeakSet
        || value instanceof WeakRef || tag === "[object Generator]") {
      throw uncloneable(tag);
    }
    return undefined;
  };
  const cloneError = (value, seen) => {
    const kind = errorKinds[value.name] ?? Error;
    const made = new kind(String(value.message));
    seen.set(value, made);
    if (Object.hasOwn(value, "cause")) {
      define(made, { cause: clone(value.cause, seen) });
    }
    return made;
  };
  const clone = (value, seen) => {
    if (typeof value === "function") throw uncloneable(String(value.name || "A function"));
    if (typeof value === "symbol") throw uncloneable(String(value));
    if (typeof value !== "object" || value === null) return value;
    if (seen.has(value)) return seen.get(value);
    const special = cloneSpecial(value, seen);
    if (special !== undefined) {
      seen.set(value, special);
      return special;
    }
    if (value instanceof Error) return cloneError(value, seen);
    if (value instanceof Map) {
      const copy = new Map();
      seen.set(value, copy);
      for (const [key, item] of [...value]) copy.set(clone(key, seen), clone(item, seen));
      return copy;
    }
    if (value instanceof Set) {
      const copy = new Set();
      seen.set(value, copy);
      for (const item of [...value]) copy.add(clone(item, seen));
      return copy;
    }
    const copy = Array.isArray(value) ? new Array(value.length) : {};
    seen.set(value, copy);
    for (const key of Object.keys(value)) {
      Object.defineProperty(copy, key, {
        value: clone(value[key], seen), writable: true, configurable: true, enumerable: true,
      });
    }
    return copy;
  };
  define(globalThis, {
    structuredClone(value) {
      if (arguments.length === 0) throw new TypeError("structuredClone needs a value");
      return clone(value, new Map());
    },
  });

  // ---- text encoding
  const toScalar = (text) => `${text}`.toWellFormed();
  class TextEncoder {
    get encoding() { return "utf-8"; }
    encode(text = "") {
      const source = toScalar(text);
      const bytes = new Uint8Array(source.length * 3);
      const { written } = this.encodeInto(source, bytes);
      return bytes.slice(0, written);
    }
    encodeInto(text, bytes) {
      const source = toScalar(text);
      let read = 0;
      let written = 0;
      for (const char of source) {
        const code = char.codePointAt(0);
        const size = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        if (written + size > bytes.length) break;
        if (size === 1) {
          bytes[written++] = code;
        } else {
          const lead = size === 2 ? 0xc0 : size === 3 ? 0xe0 : 0xf0;
          for (let part = size - 1; part >= 0; part--) {
            const bits = code >> (6 * part);
            bytes[written++] = part === size - 1 ? lead | bits : 0x80 | (bits & 0x3f);
          }
        }
        read += char.length;
      }
      return { read, written };
    }
  }
  const toBytes = (input) => {
    if (input === undefined) return new Uint8Array(0);
    if (input instanceof ArrayBuffer) return new Uint8Array(input);
    if (ArrayBuffer.isView(input)) {
      return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    }
    throw new TypeError("TextDecoder needs a buffer");
  };
  // How long a sequence is, and the range of its second byte (the others are 80 to BF).
  const lead = (byte) => {
    if (byte >= 0xc2 && byte <= 0xdf) return [1, 0x80, 0xbf];
    if (byte >= 0xe0 && byte <= 0xef) {
      return [2, byte === 0xe0 ? 0xa0 : 0x80, byte === 0xed ? 0x9f : 0xbf];
    }
    if (byte >= 0xf0 && byte <= 0xf4) {
      return [3, byte === 0xf0 ? 0x90 : 0x80, byte === 0xf4 ? 0x8f : 0xbf];
    }
    return null;
  };
  class TextDecoder {
    #fatal; #keepBom; #rest = []; #started = false;
    constructor(label = "utf-8", options = {}) {
      if (!/^\s*(utf-?8|unicode-1-1-utf-8)\s*$/i.test(label)) {
        throw new RangeError(`the encoding "${label}" is not supported`);
      }
      this.#fatal = Boolean(options.fatal);
      this.#keepBom = Boolean(options.ignoreBOM);
    }
    get encoding() { return "utf-8"; }
    get fatal() { return this.#fatal; }
    get ignoreBOM() { return this.#keepBom; }
    decode(input, options = {}) {
      let bytes = toBytes(input);
      if (this.#rest.length) bytes = Uint8Array.from([...this.#rest, ...bytes]);
      this.#rest = [];
      const parts = [];
      let codes = [];
      let at = 0;
      const put = (code) => {
        codes.push(code);
        if (codes.length >= 4096) {
          parts.push(String.fromCodePoint(...codes));
          codes = [];
        }
      };
      while (at < bytes.length) {
        const first = bytes[at];
        if (first < 0x80) { put(first); at++; continue; }
        const shape = lead(first);
        let size = 0;
        let code = 0;
        if (shape) {
          const [more, low, high] = shape;
          code = first & (0x3f >> more);
          for (size = 1; size <= more; size++) {
            const next = bytes[at + size];
            if (next === undefined || next < (size === 1 ? low : 0x80)
                || next > (size === 1 ? high : 0xbf)) break;
            code = (code << 6) | (next & 0x3f);
          }
          if (size > more) { put(code); at += size; continue; }
          if (options.stream && at + size >= bytes.length) {
            this.#rest = [...bytes.subarray(at)];
            break;
          }
        }
        if (this.#fatal) {
          this.#started = false;
          throw new TypeError("the bytes are not valid UTF-8");
        }
        put(0xfffd);
        at += size || 1;
      }
      parts.push(String.fromCodePoint(...codes));
      let decoded = parts.join("");
      if (!this.#started && !this.#keepBom && decoded.startsWith("\ufeff")) {
        decoded = decoded.slice(1);
      }
      if (decoded) this.#started = true;
      if (!options.stream) this.#started = false;
      return decoded;
    }
  }
  define(globalThis, { TextEncoder, TextDecoder });

  // ---- crypto: a ChaCha20 stream keyed with bytes of the operating system
  const state = new Uint32Array(16);
  state.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574]);
  state.set(tools.config.seed, 4);
  const block = new Uint32Array(16);
  const pool = new Uint8Array(block.buffer);
  let used = pool.length;
  const rotate = (value, bits) => (value << bits) | (value >>> (32 - bits));
  const quarter = (a, b, c, d) => {
    block[a] += block[b]; block[d] = rotate(block[d] ^ block[a], 16);
    block[c] += block[d]; block[b] = rotate(block[b] ^ block[c], 12);
    block[a] += block[b]; block[d] = rotate(block[d] ^ block[a], 8);
    block[c] += block[d]; block[b] = rotate(block[b] ^ block[c], 7);
  };
  const refill = () => {
    block.set(state);
    for (let round = 0; round < 10; round++) {
      for (let i = 0; i < 4; i++) quarter(i, 4 + i, 8 + i, 12 + i);
      for (let i = 0; i < 4; i++) {
        quarter(i, 4 + ((i + 1) & 3), 8 + ((i + 2) & 3), 12 + ((i + 3) & 3));
      }
    }
    for (let i = 0; i < 16; i++) block[i] += state[i];
    if (++state[12] === 0) state[13]++;
    used = 0;
  };
  const fill = (bytes) => {
    for (let i = 0; i < bytes.length; i++) {
      if (used === pool.length) refill();
      bytes[i] = pool[used++];
    }
    return bytes;
  };
  const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));
  const crypto = {
    getRandomValues(array) {
      const kind = ArrayBuffer.isView(array) ? array[Symbol.toStringTag] : undefined;
      if (!kind || kind.startsWith("Float")) {
        throw new DOMException("getRandomValues needs an integer array", "TypeMismatchError");
      }
      if (array.byteLength > 65536) {
        throw new DOMException("at most 65536 random bytes at once", "QuotaExceededError");
      }
      fill(new Uint8Array(array.buffer, array.byteOffset, array.byteLength));
      return array;
    },
    randomUUID() {
      const bytes = fill(new Uint8Array(16));
      bytes[6] = (bytes[6] & 0x0f) | 0x40;
      bytes[8] = (bytes[8] & 0x3f) | 0x80;
      let id = "";
      for (let i = 0; i < 16; i++) {
        id += (i === 4 || i === 6 || i === 8 || i === 10 ? "-" : "") + hex[bytes[i]];
      }
      return id;
    },
  };
  define(globalThis, { crypto });
}
