// The engine has no Intl: numbers and dates get the plain forms of en-US, local time is the
// process's time zone, and text is compared as people sort it, not by code point.
(_) => {
  "use strict";
  const method = (prototype, name, value) => {
    Object.defineProperty(prototype, name, {
      value, writable: true, configurable: true, enumerable: false,
    });
  };

  // ---- numbers
  const SIGNS = { USD: "$", EUR: "€", GBP: "£", JPY: "¥", INR: "₹", CNY: "CN¥", KRW: "₩" };
  const group = (digits) => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ",");
  const digitsOf = (size, options, low, high) => {
    if (options.maximumSignificantDigits !== undefined) {
      const rounded = Number(size.toPrecision(options.maximumSignificantDigits));
      return rounded >= 1e21 ? String(rounded) : rounded.toFixed(20).replace(/\.?0+$/, "");
    }
    if (size >= 1e21) return BigInt(size).toString();
    const fixed = size.toFixed(high);
    if (high === low || !fixed.includes(".")) return fixed;
    const spare = new RegExp(`0{1,${high - low}}$`);
    return fixed.replace(spare, "").replace(/\.$/, "");
  };
  const formatNumber = (value, options = {}) => {
    const currency = options.style === "currency" ? String(options.currency).toUpperCase() : null;
    const percent = options.style === "percent";
    const usual = currency === null ? 0 : currency === "JPY" || currency === "KRW" ? 0 : 2;
    const top = currency !== null ? usual : percent ? 0 : 3;
    const low = options.minimumFractionDigits
      ?? Math.min(usual, options.maximumFractionDigits ?? usual);
    const high = options.maximumFractionDigits ?? Math.max(low, top);
    if (!(low >= 0 && high <= 100 && low <= high)) {
      throw new RangeError("the number of fraction digits is out of range");
    }
    let text;
    const size = Math.abs(value);
    if (Number.isNaN(value)) text = "NaN";
    else if (size === Infinity) text = "∞";
    else {
      const [whole, part] = digitsOf(percent ? size * 100 : size, options, low, high).split(".");
      const padded = whole.padStart(options.minimumIntegerDigits ?? 1, "0");
      text = options.useGrouping === false ? padded : group(padded);
      if (part) text += `.${part}`;
    }
    if (currency !== null) text = (SIGNS[currency] ?? `${currency}\u00a0`) + text;
    if (percent) text += "%";
    return (value < 0 || Object.is(value, -0) ? "-" : "") + text;
  };
  method(Number.prototype, "toLocaleString", function toLocaleString(_locales, options) {
    return formatNumber(Number.prototype.valueOf.call(this), options);
  });
  method(BigInt.prototype, "toLocaleString", function toLocaleString() {
    const text = BigInt.prototype.toString.call(this);
    return text.startsWith("-") ? `-${group(text.slice(1))}` : group(text);
  });

  // ---- dates
  const MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August",
    "September", "October", "November", "December"];
  const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
  const DATE_STYLES = {
    full: { weekday: "long", year: "numeric", month: "long", day: "numeric" },
    long: { year: "numeric", month: "long", day: "numeric" },
    medium: { year: "numeric", month: "short", day: "numeric" },
    short: { year: "2-digit", month: "numeric", day: "numeric" },
  };
  const TIME_STYLES = {
    full: { hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "short" },
    long: { hour: "numeric", minute: "2-digit", second: "2-digit", timeZoneName: "short" },
    medium: { hour: "numeric", minute: "2-digit", second: "2-digit" },
    short: { hour: "numeric", minute: "2-digit" },
  };
  const DATE_FIELDS = ["weekday", "year", "month", "day", "dateStyle"];
  const TIME_FIELDS = ["hour", "minute", "second", "timeStyle"];
  const two = (number) => String(number).padStart(2, "0");
  const sized = (number, style) => (style === "2-digit" ? two(number % 100) : String(number));
  const named = (names, index, style) => {
    const name = names[index];
    return style === "long" ? name : style === "narrow" ? name[0] : name.slice(0, 3);
  };
  const zoneName = (offset) => {
    if (offset === 0) return "UTC";
    const size = Math.abs(offset);
    const minutes = size % 60 ? `:${two(size % 60)}` : "";
    return `GMT${offset < 0 ? "-" : "+"}${Math.floor(size / 60)}${minutes}`;
  };
  const dateText = (moment, options) => {
    const { weekday, year, month, day } = options;
    const parts = {
      year: year && sized(moment.getUTCFullYear(), year),
      day: day && sized(moment.getUTCDate(), day),
      weekday: weekday && named(DAYS, moment.getUTCDay(), weekday),
    };
    const inNumbers = month === "numeric" || month === "2-digit" || !month;
    if (inNumbers) {
      const number = month && sized(moment.getUTCMonth() + 1, month);
      const date = [number, parts.day, parts.year].filter(Boolean).join("/");
      return [parts.weekday, date].filter(Boolean).join(", ");
    }
    const date = [named(MONTHS, moment.getUTCMonth(), month), parts.day].filter(Boolean).join(" ");
    const whole = parts.year ? date + (parts.day ? ", " : " ") + parts.year : date;
    return [parts.weekday, whole].filter(Boolean).join(", ");
  };
  const timeText = (moment, options, offset) => {
    const { hour, minute, second } = options;
    const whole = options.hour12 === false
      || (options.hour12 === undefined && /^h2[34]$/.test(options.hourCycle ?? ""));
    const hours = moment.getUTCHours();
    const parts = [];
    if (hour) {
      const shown = whole ? hours : hours % 12 || 12;
      parts.push(whole || hour === "2-digit" ? two(shown) : String(shown));
    }
    if (minute) parts.push(hour || second ? two(moment.getUTCMinutes()) : moment.getUTCMinutes());
    if (second) {
      parts.push(hour || minute ? two(moment.getUTCSeconds()) : moment.getUTCSeconds());
    }
    let text = parts.join(":");
    if (hour && !whole) text += hours < 12 ? " AM" : " PM";
    return options.timeZoneName ? `${text} ${zoneName(offset)}` : text;
  };
  const dated = (date, given, wantsDate, wantsTime) => {
    if (Number.isNaN(date.getTime())) return "Invalid Date";
    const options = { ...given };
    const hasDate = DATE_FIELDS.some((field) => options[field] !== undefined);
    const hasTime = TIME_FIELDS.some((field) => options[field] !== undefined);
    if ((!hasDate && !hasTime) || (!wantsTime && !hasDate)) {
      if (wantsDate) Object.assign(options, { year: "numeric", month: "numeric", day: "numeric" });
    }
    if ((!hasDate && !hasTime) || (!wantsDate && !hasTime)) {
      if (wantsTime) {
        Object.assign(options, { hour: "numeric", minute: "2-digit", second: "2-digit" });
      }
    }
    Object.assign(options, DATE_STYLES[options.dateStyle], TIME_STYLES[options.timeStyle]);
    const isUtc = /^(?:utc|gmt|etc\/utc)$/i.test(options.timeZone ?? "");
    const offset = isUtc ? 0 : -date.getTimezoneOffset();
    const moment = new Date(date.getTime() + offset * 60000);
    const texts = [dateText(moment, options), timeText(moment, options, offset)].filter(Boolean);
    const long = options.dateStyle === "full" || options.dateStyle === "long";
    return texts.join(long ? " at " : ", ");
  };
  method(Date.prototype, "toLocaleString", function toLocaleString(_locales, options) {
    return dated(this, options, true, true);
  });
  method(Date.prototype, "toLocaleDateString", function toLocaleDateString(_locales, options) {
    return dated(this, options, true, false);
  });
  method(Date.prototype, "toLocaleTimeString", function toLocaleTimeString(_locales, options) {
    return dated(this, options, false, true);
  });

  // ---- text
  const sign = (left, right) => (left < right ? -1 : left > right ? 1 : 0);
  const fold = (text) => text.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  const rank = (char) => (/\p{L}/u.test(char) ? 2 : /\p{N}/u.test(char) ? 1 : 0);
  const compareParts = (left, right) => {
    const [a, b] = [[...left], [...right]];
    for (let i = 0; i < a.length && i < b.length; i++) {
      if (a[i] !== b[i]) return sign(rank(a[i]), rank(b[i])) || sign(a[i], b[i]);
    }
    return sign(a.length, b.length);
  };
  const compareNumeric = (left, right) => {
    const cut = /(\d+)/;
    const [a, b] = [left.split(cut), right.split(cut)];
    for (let i = 0; i < a.length && i < b.length; i++) {
      const order = i % 2 ? sign(Number(a[i]), Number(b[i])) : compareParts(a[i], b[i]);
      if (order) return order;
    }
    return sign(a.length, b.length);
  };
  const swapCase = (text) => text.replace(/\p{L}/gu, (char) => {
    const lower = char.toLowerCase();
    return char === lower ? char.toUpperCase() : lower;
  });
  const compare = (left, right, options = {}) => {
    if (left === right) return 0;
    const { sensitivity = "variant", numeric } = options;
    const order = (numeric ? compareNumeric : compareParts)(fold(left), fold(right));
    if (order || sensitivity === "base") return order;
    const [a, b] = [left.normalize("NFD"), right.normalize("NFD")];
    const accents = sign(a.toLowerCase(), b.toLowerCase());
    if (sensitivity === "accent" || (accents && sensitivity !== "case")) return accents;
    return sign(swapCase(a), swapCase(b)); // small letters first
  };
  method(String.prototype, "localeCompare", function localeCompare(other, _locales, options) {
    return compare(String(this), String(other), options);
  });
}
