/**
 * @agent studio.agent-db
 * @version 1.0.0
 * @description Looks records up in a JSON data file of the context folder, by field, text and range. Compose it: an object in "agents" with an id, this implementation and a contextFile.
 *
 * @tool find_records
 * @tool-description Find records in a data file of this character; the name of the tool says what the file holds. Call this before you name, describe, compare or choose anything that it may hold, and whenever the user asks for one, for all of a kind, for the most or least of something, or for one at random. Answer from what it returns; never invent a record. With an empty query alone it tells which fields there are.
 * @tool-params {"type":"object","properties":{"query":{"type":"string","description":"Words that a record must hold, in any field. A word may name its field and compare, as in origin:irish, seats>=4, fuel!=diesel; words in double quotes must stand together. Empty when the rest says it all."},"field":{"type":"string","description":"The field that value, min, max, after and before are about, such as year or engine.power."},"value":{"type":"string","description":"What the field must be, as text. Records that only contain it are given when none is equal."},"min":{"type":"number","description":"The least number that the field may have."},"max":{"type":"number","description":"The greatest number that the field may have."},"after":{"type":"string","description":"The first date that the field may have, such as 1911, 1911-05 or 1911-05-30."},"before":{"type":"string","description":"The last date that the field may have."},"sort":{"type":"string","description":"The field to sort by."},"order":{"type":"string","enum":["ascending","descending"],"description":"ascending (smallest, earliest or A first) if absent."},"random":{"type":"boolean","description":"true to get matching records at random, one if limit is absent."},"limit":{"type":"integer","minimum":1,"maximum":50,"description":"The most records to return. 10 if absent."}},"required":["query"]}
 *
 * @api studio.context
 */

// No store: the file is read anew with every call, so that an edit counts at once.

const MAX_FILE = 4000000; // characters
const MAX_RECORDS = 50000;
const MAX_FIELDS = 60; // that are known by name
const MAX_DEPTH = 4; // of dotted names
const MAX_CONDITIONS = 20;
const MAX_ENTRY = 1200; // characters of one record
const MAX_RESULT = 8000;
const texts = new WeakMap(); // of records, folded: several words of a query look at the same ones
const COMPARED = /^([^<>=!:"“”]+?)(>=|<=|!=|<|>|=|:)(.+)$/;

const SMALL_WORDS = new Set(
  (
    "a about all an and any are as at be by can could did do does entries entry find for from get give had has have " +
    "how i in is it its know list look me my of on one or our please record records search show some tell than that " +
    "the their them there these they this those to us was we were what when where which who whose why will with " +
    "would you your"
  ).split(" "),
);

export async function onToolCall(toolName, args, store, studio, context) {
  const input = args !== null && typeof args === "object" ? args : {};
  const name = context?.config?.contextFile;
  if (typeof name !== "string" || name.trim() === "") {
    return "This lookup has no data file: its entry in config.json needs a contextFile.";
  }
  if (typeof studio?.context?.readFile !== "function") {
    return "This player does not let agents read context files, so nothing could be looked up.";
  }
  try {
    const text = await studio.context.readFile(name);
    return typeof text === "string"
      ? answer(name, text, { ...input, agentId: context.agentId })
      : `There is no file ${name} in the context folder.`;
  } catch (error) {
    return `The file ${name} could not be read: ${error?.message ?? error}`;
  }
}

function answer(name, text, input) {
  const read = recordsOf(name, text);
  if (read.problem) return read.problem;
  const table = { name, records: read.records, fields: fieldsOf(read.records) };
  const asked = conditionsOf(table, input);
  if (asked.problem) return `${asked.problem} ${overview(table)}`;
  if (asked.nothing) return overview(table);
  const found = matching(table, asked.conditions);
  if (found.length > 0) return report(table, arranged(found, asked, input), found.length, asked);
  const near = nearest(table, asked.conditions);
  if (near.length === 0) return nothing(table, asked.conditions);
  return `No record fits all of that; these come closest.\n${report(table, arranged(near, asked, input), near.length, asked)}`;
}

// Records: a list of objects, an object of objects, or an object that holds one of these

function recordsOf(name, whole) {
  if (whole.length > MAX_FILE)
    return { problem: `The file ${name} is too long to be searched: over 4 million characters.` };
  let value;
  try {
    value = JSON.parse(whole.replace(/^\uFEFF/, ""));
  } catch (error) {
    return { problem: `The file ${name} is not JSON, so nothing could be looked up: ${error?.message ?? error}` };
  }
  const records = listed(value).slice(0, MAX_RECORDS);
  return records.length > 0 ? { records } : { problem: `The file ${name} holds no records.` };
}

function listed(value) {
  if (Array.isArray(value)) return value.map(asRecord);
  if (!isRecord(value)) return [];
  const parts = Object.entries(value);
  const holds = ([, part]) =>
    (Array.isArray(part) && part.some(isRecord)) || (isRecord(part) && Object.values(part).some(isRecord));
  const inner = parts.filter(holds).sort((a, b) => size(b[1]) - size(a[1]))[0];
  const objects = parts.filter(([, part]) => isRecord(part));
  if (inner && size(inner[1]) > objects.length) return listed(inner[1]);
  const wanted = objects.length > 0 ? objects : parts;
  return wanted.map(([key, part]) => ({ key, ...asRecord(part) }));
}

function asRecord(value) {
  return isRecord(value) ? value : { value };
}

function isRecord(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function size(value) {
  return Array.isArray(value) ? value.length : Object.keys(value).length;
}

// Fields

/** Names of fields, those of objects inside as `engine.power`, in the order in which they appear. */
function fieldsOf(records) {
  const names = new Set();
  const walk = (value, path, depth) => {
    for (const [key, part] of Object.entries(value)) {
      if (names.size >= MAX_FIELDS) return;
      const name = path === "" ? key : `${path}.${key}`;
      if (isRecord(part) && depth < MAX_DEPTH) walk(part, name, depth + 1);
      else names.add(name);
    }
  };
  for (const record of records.slice(0, 500)) walk(record, "", 1);
  return [...names];
}

/** The field that a name means: whole, by its last part, or by its beginning; undefined if none or several. */
function fieldNamed(table, given) {
  const wanted = folded(given);
  const called = (test) => table.fields.filter((field) => test(folded(field)));
  const exact = called((field) => field === wanted);
  if (exact.length > 0) return exact[0];
  const last = table.fields.filter((field) => folded(field.split(".").at(-1)) === wanted);
  if (last.length === 1) return last[0];
  const begun = wanted.length > 2 ? called((field) => field.startsWith(wanted) || wanted.startsWith(`${field}s`)) : [];
  return begun.length === 1 ? begun[0] : undefined;
}

function valueAt(record, field) {
  if (Object.hasOwn(record, field)) return record[field];
  let value = record;
  for (const part of field.split(".")) value = isRecord(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  return value;
}

/** The single values of a field: of a list each. */
function singles(record, field) {
  const value = valueAt(record, field);
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.filter((item) => item !== null) : [value];
}

// Conditions: { field, compare, wanted, plain }; a field of null means anywhere, plain is folded

/** { conditions, sortBy, nothing } or { problem }. */
function conditionsOf(table, input) {
  const { rest, between } = spanIn(table, phrase(input.query));
  const conditions = [...between];
  const ranges = [
    ["value", "is"],
    ["min", ">="],
    ["max", "<="],
    ["after", "after"],
    ["before", "before"],
  ].filter(([key]) => given(input[key]));
  const field = given(input.field) ? fieldNamed(table, phrase(input.field)) : undefined;
  if (given(input.field) && field === undefined)
    return { problem: `There is no field “${clip(phrase(input.field), 60)}”.` };
  for (const [key, compare] of ranges) {
    const about = field ?? guessed(table, key);
    if (about === undefined && key !== "value") return { problem: `Say which field ${key} is about.` };
    conditions.push({ field: about ?? null, compare, wanted: phrase(input[key]) });
  }
  const sortBy = given(input.sort) ? fieldNamed(table, phrase(input.sort)) : undefined;
  if (given(input.sort) && sortBy === undefined)
    return { problem: `There is no field “${clip(phrase(input.sort), 60)}” to sort by.` };
  const bare = conditions.length === 0 && sortBy === undefined && input.random !== true;
  conditions.push(...wordsOf(table, rest, input, bare));
  const nothing = conditions.length === 0 && sortBy === undefined && input.random !== true && !given(input.limit);
  const some = conditions.slice(0, MAX_CONDITIONS).map((one) => ({ ...one, plain: folded(one.wanted) }));
  return { conditions: some, sortBy, nothing };
}

function given(value) {
  return phrase(value) !== "";
}

/** Without a field, a range is about the only one that has such values. */
function guessed(table, key) {
  if (key === "value") return undefined;
  const fits = key === "min" || key === "max" ? (value) => numberIn(value) !== null : (value) => dateIn(value) !== null;
  const sample = table.records.slice(0, 50);
  const all = table.fields.filter((field) => {
    const values = sample.flatMap((record) => singles(record, field));
    return values.length > 0 && values.every(fits);
  });
  return all.length === 1 ? all[0] : undefined;
}

/** "year between 1930 and 1940" as conditions, and the query without it. */
function spanIn(table, query) {
  const match = /(?:(\S+)\s+)?\bbetween\s+(-?\d[\d.,]*)\s+and\s+(-?\d[\d.,]*)/i.exec(query);
  const own = match?.[1] === undefined ? undefined : fieldNamed(table, match[1]);
  const field = own ?? (match ? guessed(table, "min") : undefined);
  if (field === undefined) return { rest: query, between: [] };
  const [low, high] = [match[2], match[3]];
  const rest = query.replace(match[0], own === undefined ? ` ${match[1] ?? ""} ` : " ");
  return {
    rest,
    between: [
      { field, compare: ">=", wanted: low },
      { field, compare: "<=", wanted: high },
    ],
  };
}

/** Words that name what the file holds, or the wish itself, and say nothing about a record. */
function idleWords(table, input, said) {
  const kind = folded(`${`${input.agentId ?? ""}`.split(".").at(-1)} ${table.name.replace(/\.\w+$/, "")}`).split(" ");
  const words = new Set(kind.flatMap((word) => [word, word.replace(/s$/, ""), `${word}s`]));
  if (input.random === true) words.add("random");
  const asked = said.map((one) => folded(one.wanted)).filter((word) => words.has(word));
  return asked.filter((word) => !table.records.some((record) => held(everything(record), word)));
}

/** The query's words; `field:word` and the like only where there is such a field. */
function wordsOf(table, query, input, bare) {
  const parts = query.match(/[^\s"“”]*["“][^"”]*["”]|\S+/g) ?? [];
  const conditions = parts.map((part) => {
    const [, name, compare, rest] = COMPARED.exec(part) ?? [];
    const field = name === undefined ? undefined : fieldNamed(table, name);
    const wanted = (rest ?? "").replace(/["“”]/g, "");
    if (field !== undefined && folded(wanted) !== "")
      return { field, compare: compare === ":" ? "holds" : compare, wanted };
    return { field: null, compare: "holds", wanted: part.replace(/["“”]/g, "") };
  });
  const said = conditions.filter((one) => one.field !== null || folded(one.wanted) !== "");
  const idle = new Set(idleWords(table, input, said));
  const meant = said.filter((one) => one.field !== null || !idle.has(folded(one.wanted)));
  const telling = meant.filter((one) => one.field !== null || !SMALL_WORDS.has(folded(one.wanted)));
  return telling.length > 0 || !bare ? telling : meant.slice(0, 1);
}

/** Records that fit all conditions; "is" is widened to "holds" where nothing is equal. */
function matching(table, conditions) {
  const found = table.records.filter((record) => conditions.every((one) => fits(record, one)));
  if (found.length > 0 || !conditions.some((one) => one.compare === "is")) return found;
  const wider = conditions.map((one) => (one.compare === "is" ? { ...one, compare: "holds" } : one));
  return table.records.filter((record) => wider.every((one) => fits(record, one)));
}

/** Records that fit every condition on a field, and most of the loose words. */
function nearest(table, conditions) {
  const loose = conditions.filter((one) => one.field === null);
  const firm = conditions.filter((one) => one.field !== null);
  const left = loose.length > 1 ? matching(table, firm) : [];
  const scored = left.map((record) => ({ record, score: loose.filter((one) => fits(record, one)).length }));
  const best = scored.reduce((most, one) => Math.max(most, one.score), 0);
  return best === 0 ? [] : scored.filter((one) => one.score === best).map((one) => one.record);
}

function fits(record, { field, compare, wanted, plain }) {
  if (field === null)
    return compare === "is" ? anywhere(record, (text) => text === plain) : held(everything(record), plain);
  const values = singles(record, field);
  if (compare === "!=") return !values.some((value) => same(value, wanted, plain));
  return values.some((value) => compared(value, compare, wanted, plain));
}

function compared(value, compare, wanted, plain) {
  if (compare === "holds") return held(` ${folded(short(value))}`, plain);
  if (compare === "is" || compare === "=") return same(value, wanted, plain);
  if (compare === "after" || compare === "before") return dated(value, compare, wanted);
  const difference = distance(value, wanted);
  if (difference === null) return false;
  if (compare === ">") return difference > 0;
  if (compare === "<") return difference < 0;
  return compare === ">=" ? difference >= 0 : difference <= 0;
}

/** Dates are compared in what both say: 1911-05-30 is neither before nor after 1911. */
function dated(value, compare, wanted) {
  const [left, right] = [dateIn(value), dateIn(wanted)];
  if (left === null || right === null) return false;
  const shared = Math.min(left.length, right.length);
  const [a, b] = [left.slice(0, shared), right.slice(0, shared)];
  return compare === "after" ? a >= b : a <= b;
}

function same(value, wanted, plain) {
  if (typeof value === "number") return value === numberIn(wanted);
  return folded(short(value)) === plain;
}

function distance(value, wanted) {
  const [left, right] = [numberIn(value), numberIn(wanted)];
  return left === null || right === null ? null : left - right;
}

/** A number, or the one that a text begins with ("42 km", "1,200"); null for other things. */
function numberIn(value) {
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value !== "string") return null;
  const match = /^\s*[^\d\s\p{L}+-]?\s*([+-]?\d[\d,]*(?:\.\d+)?)/u.exec(value.slice(0, 60));
  return match ? Number(match[1].replaceAll(",", "")) : null;
}

/** `YYYY`, `YYYY-MM` or `YYYY-MM-DD`; null for other things. */
function dateIn(value) {
  const text = typeof value === "number" && Number.isInteger(value) ? `${value}` : value;
  if (typeof text !== "string" || text.length > 60) return null;
  const match = /^\s*(\d{4})(?:[-/.](\d{1,2})(?:[-/.](\d{1,2}))?)?(?!\d)/.exec(text);
  if (match)
    return match
      .slice(1)
      .filter((part) => part !== undefined)
      .map((part) => part.padStart(2, "0"))
      .join("-");
  const named = /\d{4}/.test(text) ? new Date(text) : new Date(NaN);
  return Number.isNaN(named.getTime()) ? null : named.toISOString().slice(0, 10);
}

/** `text` is folded and starts with a blank, so that a word is found at its beginning. */
function held(text, word) {
  if (word === "") return false;
  return text.includes(` ${word}`) || (word.length > 3 && text.includes(` ${word.replace(/(?<=[^s])s$/, "")}`));
}

function everything(record) {
  if (!texts.has(record)) texts.set(record, ` ${folded(JSON.stringify(record).slice(0, 20000))}`);
  return texts.get(record);
}

function anywhere(record, test) {
  return Object.values(record).some((value) =>
    (Array.isArray(value) ? value : [value]).some((one) => test(folded(short(one)))),
  );
}

// Order

function arranged(found, asked, input) {
  const most = input.random === true ? 1 : 10;
  const limit = Math.min(50, Math.max(1, Math.trunc(Number(input.limit)) || most));
  if (input.random === true) return shuffled(found, limit);
  if (asked.sortBy === undefined) return found.slice(0, limit);
  const sign = /^desc/i.test(phrase(input.order)) ? -1 : 1;
  const keyed = found.map((record) => ({ record, key: singles(record, asked.sortBy)[0] }));
  const missing = (one) => (one.key === undefined ? 1 : 0);
  keyed.sort((a, b) => missing(a) - missing(b) || sign * ordered(a.key, b.key));
  return keyed.map((one) => one.record).slice(0, limit);
}

function ordered(a, b) {
  const [left, right] = [numberIn(a), numberIn(b)];
  if (left !== null && right !== null && left !== right) return left - right;
  const [x, y] = [folded(short(a)), folded(short(b))];
  return x < y ? -1 : x > y ? 1 : 0;
}

function shuffled(found, count) {
  const rest = [...found];
  const drawn = [];
  while (drawn.length < count && rest.length > 0) {
    const at = Math.floor(Math.random() * rest.length);
    drawn.push(rest[at]);
    rest[at] = rest[rest.length - 1];
    rest.pop();
  }
  return drawn;
}

// Answers

function report(table, shown, total, asked) {
  const count = `${total} of ${table.records.length} ${table.records.length === 1 ? "record" : "records"}`;
  const matches = asked.conditions.length > 0 ? `${count} match` : count;
  const part = shown.length < total ? `; ${shown.length} shown` : "";
  return fitting([`From ${table.name}: ${matches}${part}.`, ...shown.map(entry)]);
}

function nothing(table, conditions) {
  const asked = conditions.map(spelled).join(", ");
  const single =
    conditions.length === 1 && conditions[0].field !== null ? ` ${valuesOf(table, conditions[0].field)}` : "";
  const alone =
    conditions.length > 1
      ? ` Alone, ${conditions.map((one) => `${spelled(one)} fits ${alike(table, one)}`).join("; ")}.`
      : "";
  return `Nothing in ${table.name} fits: ${clip(asked, 200)}.${clip(alone, 500)}${single} ${overview(table)}`;
}

function spelled({ field, compare, wanted }) {
  const words = { holds: " has ", is: " is " };
  return field === null ? `“${clip(wanted, 60)}”` : `${field}${words[compare] ?? ` ${compare} `}${clip(wanted, 60)}`;
}

function alike(table, condition) {
  return table.records.filter((record) => fits(record, condition)).length;
}

/** What a field holds: the values when they are few, else their range. */
function valuesOf(table, field) {
  const values = table.records
    .slice(0, 2000)
    .flatMap((record) => singles(record, field))
    .slice(0, 5000);
  const numbers = values.filter((value) => typeof value === "number");
  if (numbers.length === values.length && numbers.length > 0) {
    const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
    return `${field} goes from ${low} to ${high}.`;
  }
  const names = [...new Set(values.map((value) => clip(short(value), 30)))];
  return names.length === 0
    ? ""
    : `${field} is one of: ${names.slice(0, 20).join(", ")}${names.length > 20 ? " and others" : ""}.`;
}

function overview(table) {
  const fields = table.fields.slice(0, 20).map((field) => example(table, field));
  const more = table.fields.length > 20 ? ` and ${table.fields.length - 20} more` : "";
  return `${table.name} has ${table.records.length} records with the fields ${fields.join(", ")}${more}.`;
}

function example(table, field) {
  const record = table.records.find((one) => singles(one, field).length > 0);
  return record ? `${field} (${clip(short(singles(record, field)[0]), 24)})` : field;
}

function entry(record) {
  const lines = Object.entries(record).map(([key, value]) => `${key}: ${short(value)}`);
  return clip(lines.join("\n"), MAX_ENTRY);
}

function short(value) {
  if (value === null || typeof value !== "object") return `${value ?? "none"}`;
  const plain = Array.isArray(value) && value.every((item) => item === null || typeof item !== "object");
  return plain ? value.join(", ") : JSON.stringify(value);
}

function fitting(parts) {
  const shown = [];
  let left = MAX_RESULT;
  for (const part of parts) {
    left -= part.length + 2;
    if (left < 0) return [...shown, "(The rest did not fit: ask more narrowly.)"].join("\n\n");
    shown.push(part);
  }
  return shown.join("\n\n");
}

// Text

function phrase(value) {
  const plain = ["string", "number", "boolean"].includes(typeof value) ? `${value}` : "";
  return plain.replace(/\s+/g, " ").trim().slice(0, 500);
}

function clip(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** Lower case, without accents, every run of other signs one blank. */
function folded(text) {
  const whole = `${text}`;
  if (/^[\0-\x7f]*$/.test(whole))
    return whole
      .toLowerCase()
      .replace(/'s\b/g, "")
      .replace(/[^a-z0-9]+/g, " ")
      .trim();
  const plain = whole.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return plain
    .replace(/['’]s\b/g, "")
    .replace(/[^\p{L}\p{N}]+/gu, " ")
    .trim();
}
