// URL and URLSearchParams as the WHATWG standard has them, without the rarest corners of IDNA.
// Compiled only when an agent first uses one of them; see guest.js.
() => {
  "use strict";
  const PORTS = Object.assign(Object.create(null), {
    "http:": "80", "https:": "443", "ws:": "80", "wss:": "443", "ftp:": "21", "file:": "",
  });
  const isSpecial = (url) => url.protocol in PORTS;
  const invalid = (input) => new TypeError(`Invalid URL: ${input}`);

  // ---- percent encoding: a set is the printable ASCII that it encodes besides controls
  const FRAGMENT = ' "<>`';
  const QUERY = ' "#<>';
  const SPECIAL_QUERY = `${QUERY}'`;
  const PATH = `${QUERY}?^\`{}`;
  const USERINFO = `${PATH}/:;=@[\\]|`;
  const encode = (text, set) => {
    let done = "";
    for (const char of text) {
      const code = char.codePointAt(0);
      const plain = code > 0x1f && code < 0x7f && !set.includes(char);
      done += plain ? char : escapeChar(char, code);
    }
    return done;
  };
  const escapeChar = (char, code) => {
    if (code < 0x80) return `%${code.toString(16).toUpperCase().padStart(2, "0")}`;
    return encodeURIComponent(char);
  };
  const decode = (text) => {
    if (!text.includes("%")) return text;
    const bytes = [];
    for (const part of text.split(/(%[0-9a-f]{2})/i)) {
      if (/^%[0-9a-f]{2}$/i.test(part)) bytes.push(parseInt(part.slice(1), 16));
      else bytes.push(...new TextEncoder().encode(part));
    }
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(bytes));
  };

  // ---- hosts
  const FORBIDDEN_HOST = /[\0\t\n\r #/:<>?@[\\\]^|]/;
  const FORBIDDEN_DOMAIN = /[\0-\x20"#%/:<>?@[\\\]^`{|}\x7f]/;
  const punycode = (label) => {
    const points = Array.from(label, (char) => char.codePointAt(0));
    const basic = points.filter((point) => point < 0x80);
    let output = String.fromCodePoint(...basic) + (basic.length ? "-" : "");
    let [n, delta, bias, handled] = [128, 0, 72, basic.length];
    while (handled < points.length) {
      const next = Math.min(...points.filter((point) => point >= n));
      delta += (next - n) * (handled + 1);
      n = next;
      for (const point of points) {
        if (point < n) delta++;
        if (point !== n) continue;
        let q = delta;
        for (let k = 36; ; k += 36) {
          const threshold = Math.min(26, Math.max(1, k - bias));
          if (q < threshold) break;
          output += digit(threshold + (q - threshold) % (36 - threshold));
          q = Math.floor((q - threshold) / (36 - threshold));
        }
        output += digit(q);
        bias = adapt(delta, handled + 1, handled === basic.length);
        delta = 0;
        handled++;
      }
      delta++;
      n++;
    }
    return `xn--${output}`;
  };
  const digit = (value) => String.fromCharCode(value < 26 ? value + 97 : value + 22);
  const adapt = (given, count, first) => {
    let delta = first ? Math.floor(given / 700) : given >> 1;
    delta += Math.floor(delta / count);
    let k = 0;
    for (; delta > 455; k += 36) delta = Math.floor(delta / 35);
    return k + Math.floor((36 * delta) / (delta + 38));
  };
  const toAscii = (host) => {
    const labels = host.normalize("NFKC").toLowerCase().normalize("NFC")
      .replace(/\u00ad/g, "").split(/[.\u3002]/);
    return labels.map((label) => (/^[\0-\x7f]*$/.test(label) ? label : punycode(label))).join(".");
  };
  const ipv4Number = (part) => {
    if (/^0x[0-9a-f]*$/i.test(part)) return part.length === 2 ? 0 : parseInt(part, 16);
    if (/^0[0-7]+$/.test(part)) return parseInt(part, 8);
    return /^\d+$/.test(part) && !/^0\d/.test(part) ? Number(part) : NaN;
  };
  const endsInNumber = (host) => {
    const parts = host.split(".");
    if (parts.at(-1) === "" && parts.length > 1) parts.pop();
    return /^\d+$/.test(parts.at(-1)) || /^0x[0-9a-f]*$/i.test(parts.at(-1));
  };
  const ipv4 = (host) => {
    const parts = host.split(".");
    if (parts.at(-1) === "" && parts.length > 1) parts.pop();
    const numbers = parts.map(ipv4Number);
    const last = numbers.pop();
    if (parts.length > 4 || Number.isNaN(last) || !(last < 256 ** (4 - numbers.length))) return null;
    if (!numbers.every((number) => number < 256)) return null;
    const value = numbers.reduce((sum, part, i) => sum + part * 256 ** (3 - i), last);
    return [24, 16, 8, 0].map((bits) => Math.floor(value / 2 ** bits) % 256).join(".");
  };
  const ipv6 = (text) => {
    const halves = text.split("::");
    if (halves.length > 2) return null;
    const pieces = halves.map((half) => (half === "" ? [] : half.split(":")));
    const tail = pieces.at(-1);
    if (tail.length && tail.at(-1).includes(".")) {
      const numbers = tail.pop().split(".");
      if (numbers.length !== 4 || !numbers.every((n) => /^(0|[1-9]\d{0,2})$/.test(n) && n < 256)) {
        return null;
      }
      const [a, b, c, d] = numbers.map(Number);
      tail.push((a * 256 + b).toString(16), (c * 256 + d).toString(16));
    }
    const given = pieces.flat();
    if (!given.every((piece) => /^[0-9a-f]{1,4}$/i.test(piece))) return null;
    const missing = 8 - given.length;
    if (halves.length === 2 ? missing < 1 : missing !== 0) return null;
    const zeros = Array(halves.length === 2 ? missing : 0).fill("0");
    const whole = halves.length === 2 ? [...pieces[0], ...zeros, ...pieces[1]] : given;
    return `[${compress(whole.map((piece) => parseInt(piece, 16)))}]`;
  };
  const compress = (pieces) => {
    let [best, size] = [-1, 1];
    for (let i = 0; i < 8; i++) {
      let end = i;
      while (end < 8 && pieces[end] === 0) end++;
      if (end - i > size) [best, size] = [i, end - i];
    }
    const hex = (part) => part.map((piece) => piece.toString(16)).join(":");
    return best < 0 ? hex(pieces) : `${hex(pieces.slice(0, best))}::${hex(pieces.slice(best + size))}`;
  };
  const parseHost = (text, special) => {
    if (text.startsWith("[")) return text.endsWith("]") ? ipv6(text.slice(1, -1)) : null;
    if (!special) return FORBIDDEN_HOST.test(text) ? null : encode(text, "");
    const domain = toAscii(decode(text));
    if (domain === "" || FORBIDDEN_DOMAIN.test(domain)) return null;
    return endsInNumber(domain) ? ipv4(domain) : domain;
  };

  // ---- parsing; a record has protocol, username, password, host (null: none), port,
  // path (a list of segments, or a string for opaque paths), query and fragment (null: none)
  const isDrive = (text) => /^[a-z][:|]$/i.test(text);
  const startsWithDrive = (text) => /^[a-z][:|](?:$|[/\\?#])/i.test(text);
  const shorten = (url) => {
    const { path } = url;
    if (url.protocol === "file:" && path.length === 1 && /^[a-z]:$/i.test(path[0])) return;
    path.pop();
  };
  const addPath = (url, text) => {
    const segments = text.split(isSpecial(url) ? /[/\\]/ : "/");
    segments.forEach((segment, index) => {
      const isLast = index === segments.length - 1;
      const dots = segment.replace(/%2e/gi, ".");
      if (dots === "..") {
        shorten(url);
        if (isLast) url.path.push("");
      } else if (dots === ".") {
        if (isLast) url.path.push("");
      } else {
        const drive = url.protocol === "file:" && url.path.length === 0 && isDrive(segment);
        url.path.push(drive ? `${segment[0]}:` : encode(segment, PATH));
      }
    });
  };
  const setAuthority = (url, text) => {
    const at = text.lastIndexOf("@");
    if (at >= 0) {
      const [, name, , secret = ""] = /^([^:]*)(:([^]*))?$/.exec(text.slice(0, at));
      url.username = encode(name, USERINFO);
      url.password = encode(secret, USERINFO);
    }
    const place = text.slice(at + 1);
    const found = /^(\[[^\]]*\]|[^:]*)(?::(\d*))?$/.exec(place);
    if (!found) return false;
    if (found[1] === "" && (isSpecial(url) || at >= 0 || found[2] !== undefined)) return false;
    return setHost(url, found[1]) && setPort(url, found[2] ?? "");
  };
  const setHost = (url, text) => {
    const host = text === "" ? "" : parseHost(text, isSpecial(url));
    if (host === null) return false;
    url.host = host;
    return true;
  };
  const setPort = (url, text) => {
    if (text !== "" && Number(text) > 65535) return false;
    const port = text === "" ? "" : String(Number(text));
    url.port = port === PORTS[url.protocol] ? "" : port;
    return true;
  };
  const copyPlace = (url, base) => {
    Object.assign(url, {
      username: base.username, password: base.password, host: base.host, port: base.port,
      path: [...base.path],
    });
  };
  const parseAuthority = (url, rest) => {
    const end = rest.search(isSpecial(url) ? /[/\\]/ : /\//);
    const text = end < 0 ? rest : rest.slice(0, end);
    if (!setAuthority(url, text)) return false;
    if (end >= 0) addPath(url, rest.slice(end + 1));
    else if (isSpecial(url)) url.path = [""];
    return true;
  };
  const parseRelative = (url, rest, base, hasQuery) => {
    const slash = isSpecial(url) ? /^[/\\]/ : /^\//;
    if (slash.test(rest) && slash.test(rest.slice(1))) {
      const start = isSpecial(url) ? rest.replace(/^[/\\]+/, "") : rest.slice(2);
      return parseAuthority(url, start);
    }
    copyPlace(url, base);
    if (slash.test(rest)) {
      url.path = [];
      addPath(url, rest.slice(1));
    } else if (rest !== "") {
      shorten(url);
      addPath(url, rest);
    } else if (!hasQuery) {
      url.query = base.query;
    }
    return true;
  };
  const parseFile = (url, rest, base, hasQuery) => {
    url.host = "";
    const fromBase = base && base.protocol === "file:" ? base : null;
    if (/^[/\\]{2}/.test(rest)) {
      const end = rest.slice(2).search(/[/\\]/);
      const text = end < 0 ? rest.slice(2) : rest.slice(2, 2 + end);
      if (isDrive(text)) {
        addPath(url, rest.slice(2));
        return true;
      }
      if (!setHost(url, text)) return false;
      if (url.host === "localhost") url.host = "";
      addPath(url, end < 0 ? "" : rest.slice(3 + end));
      return true;
    }
    if (/^[/\\]/.test(rest)) {
      if (fromBase) url.host = fromBase.host;
      addPath(url, rest.slice(1));
      return true;
    }
    if (!fromBase || startsWithDrive(rest)) {
      addPath(url, rest);
      return true;
    }
    return parseRelative(url, rest, fromBase, hasQuery);
  };
  const parsePath = (url, rest, base, hasScheme, hasQuery) => {
    if (url.protocol === "file:") return parseFile(url, rest, base, hasQuery);
    if (!hasScheme) return parseRelative(url, rest, base, hasQuery);
    if (isSpecial(url)) {
      if (base && base.protocol === url.protocol && !/^[/\\]{2}/.test(rest)) {
        return parseRelative(url, rest, base, hasQuery);
      }
      return parseAuthority(url, rest.replace(/^[/\\]+/, ""));
    }
    if (rest.startsWith("//")) return parseAuthority(url, rest.slice(2));
    if (rest.startsWith("/")) addPath(url, rest.slice(1));
    else url.path = encode(rest, "");
    return true;
  };
  const parse = (input, base) => {
    let rest = input.replace(/^[\0-\x20]+|[\0-\x20]+$/g, "").replace(/[\t\n\r]/g, "");
    const url = {
      protocol: "", username: "", password: "", host: null, port: "", path: [],
      query: null, fragment: null,
    };
    const hash = rest.indexOf("#");
    if (hash >= 0) {
      url.fragment = encode(rest.slice(hash + 1), FRAGMENT);
      rest = rest.slice(0, hash);
    }
    const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(rest);
    if (!scheme && !base) return null;
    url.protocol = scheme ? scheme[0].toLowerCase() : base.protocol;
    if (scheme) rest = rest.slice(scheme[0].length);
    if (!scheme && typeof base.path === "string") {
      if (rest !== "" || hash < 0) return null;
      return { ...base, fragment: url.fragment };
    }
    const mark = rest.indexOf("?");
    if (mark >= 0) {
      url.query = encode(rest.slice(mark + 1), isSpecial(url) ? SPECIAL_QUERY : QUERY);
      rest = rest.slice(0, mark);
    }
    return parsePath(url, rest, base, scheme !== null, mark >= 0) ? url : null;
  };
  const pathOf = (url) => {
    if (typeof url.path === "string") return url.path;
    return url.path.map((segment) => `/${segment}`).join("");
  };
  const write = (url) => {
    let text = url.protocol;
    if (url.host !== null) {
      text += "//";
      if (url.username || url.password) {
        text += url.username + (url.password ? `:${url.password}` : "") + "@";
      }
      text += url.host + (url.port ? `:${url.port}` : "");
    } else if (typeof url.path !== "string" && url.path.length > 1 && url.path[0] === "") {
      text += "/.";
    }
    text += pathOf(url);
    if (url.query !== null) text += `?${url.query}`;
    if (url.fragment !== null) text += `#${url.fragment}`;
    return text;
  };

  // ---- URLSearchParams
  const formEncode = (text) => encodeURIComponent(text.toWellFormed())
    .replace(/[!'()~]/g, (char) => escapeChar(char, char.charCodeAt(0))).replace(/%20/g, "+");
  const formDecode = (text) => decode(text.replace(/\+/g, " "));
  const parseForm = (text) => text.split("&").filter(Boolean).map((pair) => {
    const equals = pair.indexOf("=");
    const [name, value] = equals < 0
      ? [pair, ""] : [pair.slice(0, equals), pair.slice(equals + 1)];
    return [formDecode(name), formDecode(value)];
  });
  const pairsOf = (init) => {
    if (typeof init !== "object" && typeof init !== "function") {
      return parseForm(String(init).toWellFormed().replace(/^\?/, ""));
    }
    if (init === null) return parseForm("null");
    const scalar = (value) => String(value).toWellFormed();
    if (typeof init[Symbol.iterator] === "function") {
      return [...init].map((pair) => {
        const items = [...pair];
        if (items.length !== 2) throw new TypeError("each pair needs a name and a value");
        return items.map(scalar);
      });
    }
    return Object.keys(init).map((name) => [scalar(name), scalar(init[name])]);
  };
  class URLSearchParams {
    #pairs = [];
    #changed = null;
    constructor(init = "") {
      this.#pairs = pairsOf(init);
    }
    static link(params, changed) { params.#changed = changed; }
    static refresh(params, text) { params.#pairs = parseForm(text); }
    #tell() { if (this.#changed) this.#changed(this.toString()); }
    get size() { return this.#pairs.length; }
    append(name, value) {
      this.#pairs.push([String(name).toWellFormed(), String(value).toWellFormed()]);
      this.#tell();
    }
    delete(name, value) {
      this.#pairs = this.#pairs.filter((pair) => pair[0] !== String(name)
        || (value !== undefined && pair[1] !== String(value)));
      this.#tell();
    }
    get(name) { return this.#pairs.find((pair) => pair[0] === String(name))?.[1] ?? null; }
    getAll(name) {
      return this.#pairs.filter((pair) => pair[0] === String(name)).map((pair) => pair[1]);
    }
    has(name, value) {
      return this.#pairs.some((pair) => pair[0] === String(name)
        && (value === undefined || pair[1] === String(value)));
    }
    set(name, value) {
      const first = this.#pairs.find((pair) => pair[0] === String(name));
      if (!first) {
        this.append(name, value);
        return;
      }
      first[1] = String(value).toWellFormed();
      this.#pairs = this.#pairs.filter((pair) => pair === first || pair[0] !== first[0]);
      this.#tell();
    }
    sort() {
      this.#pairs.sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : 0));
      this.#tell();
    }
    forEach(callback, self) {
      for (const [name, value] of this) callback.call(self, value, name, this);
    }
    *entries() {
      for (let i = 0; i < this.#pairs.length; i++) yield [...this.#pairs[i]];
    }
    *keys() { for (const [name] of this.entries()) yield name; }
    *values() { for (const [, value] of this.entries()) yield value; }
    [Symbol.iterator]() { return this.entries(); }
    toString() {
      return this.#pairs.map(([name, value]) => `${formEncode(name)}=${formEncode(value)}`).join("&");
    }
    get [Symbol.toStringTag]() { return "URLSearchParams"; }
  }
  const { link, refresh } = URLSearchParams;
  delete URLSearchParams.link;
  delete URLSearchParams.refresh;

  // ---- URL
  const strip = (text) => String(text).toWellFormed().replace(/[\t\n\r]/g, "");
  class URL {
    #url;
    #params = null;
    constructor(input, base = undefined) {
      const below = base === undefined ? null : parse(String(base).toWellFormed(), null);
      if (base !== undefined && !below) throw invalid(base);
      const parsed = parse(String(input).toWellFormed(), below);
      if (!parsed) throw invalid(input);
      this.#url = parsed;
    }
    static canParse(input, base = undefined) { return URL.parse(input, base) !== null; }
    static parse(input, base = undefined) {
      try {
        return new URL(input, base);
      } catch {
        return null;
      }
    }
    get href() { return write(this.#url); }
    set href(value) {
      const parsed = parse(String(value).toWellFormed(), null);
      if (!parsed) throw invalid(value);
      this.#url = parsed;
      this.#refresh();
    }
    get origin() {
      const { protocol } = this.#url;
      if (protocol === "blob:") return URL.parse(pathOf(this.#url))?.origin ?? "null";
      return protocol in PORTS && protocol !== "file:" ? `${protocol}//${this.host}` : "null";
    }
    get protocol() { return this.#url.protocol; }
    set protocol(value) {
      const found = /^([a-z][a-z0-9+.-]*)(?::|$)/i.exec(strip(value));
      const wanted = found && `${found[1].toLowerCase()}:`;
      if (!wanted || (wanted in PORTS) !== isSpecial(this.#url)) return;
      if (wanted === "file:" && (this.#url.username || this.#url.port)) return;
      this.#url.protocol = wanted;
      setPort(this.#url, this.#url.port);
    }
    get username() { return this.#url.username; }
    set username(value) {
      if (this.#takesUser()) this.#url.username = encode(String(value).toWellFormed(), USERINFO);
    }
    get password() { return this.#url.password; }
    set password(value) {
      if (this.#takesUser()) this.#url.password = encode(String(value).toWellFormed(), USERINFO);
    }
    get host() {
      return (this.#url.host ?? "") + (this.#url.port ? `:${this.#url.port}` : "");
    }
    set host(value) {
      if (typeof this.#url.path === "string") return;
      const found = /^(\[[^\]]*\]|[^:/?#\\]*)(?::(\d*))?/.exec(strip(value));
      if (found[1] === "" && isSpecial(this.#url) && this.#url.protocol !== "file:") return;
      if (setHost(this.#url, found[1]) && found[2]) setPort(this.#url, found[2]);
    }
    get hostname() { return this.#url.host ?? ""; }
    set hostname(value) {
      if (typeof this.#url.path === "string") return;
      const found = /^(\[[^\]]*\]|[^:/?#\\]*)/.exec(strip(value));
      if (found[1] === "" && isSpecial(this.#url) && this.#url.protocol !== "file:") return;
      setHost(this.#url, found[1]);
    }
    get port() { return this.#url.port; }
    set port(value) {
      if (!this.#takesUser()) return;
      const text = strip(value);
      const digits = /^\d+/.exec(text);
      if (text === "") this.#url.port = "";
      else if (digits) setPort(this.#url, digits[0]);
    }
    get pathname() { return pathOf(this.#url); }
    set pathname(value) {
      if (typeof this.#url.path === "string") return;
      this.#url.path = [];
      addPath(this.#url, strip(value).replace(isSpecial(this.#url) ? /^[/\\]/ : /^\//, "")
        .replace(/[?#]/g, (char) => escapeChar(char, char.charCodeAt(0))));
    }
    get search() { return this.#url.query ? `?${this.#url.query}` : ""; }
    set search(value) {
      const text = strip(value).replace(/^\?/, "");
      const set = isSpecial(this.#url) ? SPECIAL_QUERY : QUERY;
      this.#url.query = text === "" ? null : encode(text, set);
      this.#refresh();
    }
    get searchParams() {
      if (this.#params === null) {
        this.#params = new URLSearchParams(this.#url.query ?? "");
        link(this.#params, (text) => { this.#url.query = text === "" ? null : text; });
      }
      return this.#params;
    }
    get hash() { return this.#url.fragment ? `#${this.#url.fragment}` : ""; }
    set hash(value) {
      const text = strip(value).replace(/^#/, "");
      this.#url.fragment = text === "" ? null : encode(text, FRAGMENT);
    }
    toString() { return this.href; }
    toJSON() { return this.href; }
    #takesUser() { return Boolean(this.#url.host) && this.#url.protocol !== "file:"; }
    #refresh() { if (this.#params !== null) refresh(this.#params, this.#url.query ?? ""); }
    get [Symbol.toStringTag]() { return "URL"; }
  }
  return { URL, URLSearchParams };
}
