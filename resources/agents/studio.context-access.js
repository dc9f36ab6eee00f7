/**
 * @agent studio.context-access
 * @version 1.0.0
 * @description Looks things up in one file of the context folder. Compose it: an object in "agents" with an id, this implementation and a contextFile.
 *
 * @tool look_up
 * @tool-description Look up facts in a reference file of this character; the name of the tool says what the file holds. Call this before you answer whenever the user asks what you know about something or someone that it may hold: names, dates, places, numbers, events. Answer from what it returns; never invent an entry.
 * @tool-params {"type":"object","properties":{"query":{"type":"string","description":"What to look for: a name or a few telling words. Entries with more of the words come first; words in double quotes must stand together."},"limit":{"type":"integer","minimum":1,"maximum":20,"description":"The most entries to return. 5 if absent."}},"required":["query"]}
 *
 * @api studio.context
 */

// No store: the file is read anew with every call, so that an edit counts at once.

const MAX_FILE = 2000000; // characters that are searched
const MAX_ENTRY = 1200; // characters of one entry
const MAX_RESULT = 8000;
const MAX_NAMES = 40; // entries named when nothing matches
const SMALL_OBJECT = 1500; // characters of JSON up to which an object is one entry
const MAX_DEPTH = 30;
const NO_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

const SMALL_WORDS = new Set(
  ("a about an and any are as at be by can could did do does for find from give had has have he her him his how i " +
    "if in is it its know look me my of on or our please search she so some tell than that the their them there " +
    "they this to us was we were what when where which who why will with would you your").split(" "),
);

export async function onToolCall(toolName, args, store, studio, context) {
  const input = args !== null && typeof args === "object" ? args : {};
  const name = context?.config?.contextFile;
  if (typeof name !== "string" || name.trim() === "") {
    return "This lookup has no file to search: its entry in config.json needs a contextFile.";
  }
  if (typeof studio?.context?.readFile !== "function") {
    return "This player does not let agents read context files, so nothing could be looked up.";
  }
  try {
    const text = await studio.context.readFile(name);
    return typeof text === "string" ? search(name, text, input) : `There is no file ${name} in the context folder.`;
  } catch (error) {
    return `The file ${name} could not be read: ${error?.message ?? error}`;
  }
}

function search(name, whole, input) {
  const text = whole.replace(/^\uFEFF/, "").slice(0, MAX_FILE);
  const entries = entriesOf(name, text);
  if (entries.length === 0) return `The file ${name} is empty.`;
  const terms = termsOf(phrase(input.query));
  if (terms.length === 0) return overview(name, entries, "Say what to look for.");
  const found = ranked(entries, terms);
  if (found.hits.length === 0) {
    return overview(name, entries, `Nothing in ${name} matches “${clip(phrase(input.query), 80)}”.`);
  }
  const limit = Math.min(20, Math.max(1, Math.trunc(Number(input.limit)) || 5));
  return report(name, entries.length, found, terms, limit);
}

// Entries: { where, title, text }, cut from JSON, from JSON lines, or from text

function entriesOf(name, text) {
  if (/\.jsonl$|\.ndjson$/i.test(name)) return jsonLines(text);
  const value = /^\s*[[{]/.test(text) ? parsed(text) : undefined;
  if (value !== null && typeof value === "object") return fromJson(value);
  return /\.(?:csv|tsv)$/i.test(name) ? fromTable(text) : fromText(text);
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // it only looks like JSON: it is searched as text
  }
}

function jsonLines(text) {
  const lines = text.split(/\r\n|\r|\n/).map((line, index) => ({ line, number: index + 1 }));
  return lines.filter(({ line }) => line.trim() !== "").map(({ line, number }) => {
    const value = parsed(line);
    const shown = value === undefined ? line.trim() : fields(value);
    return { where: `line ${number}`, title: titleOf(value), text: shown };
  });
}

/** An object small enough is an entry; a list or a large object is looked into. */
function fromJson(root) {
  const entries = [];
  const walk = (value, path, depth) => {
    const branches = value !== null && typeof value === "object" && depth < MAX_DEPTH && isBranch(value, depth);
    if (!branches) {
      entries.push({ where: path.join(" › "), title: titleOf(value) || nameIn(path), text: fields(value) });
    } else if (Array.isArray(value)) {
      value.forEach((item, index) => walk(item, [...path, `${index + 1}`], depth + 1));
    } else {
      for (const [key, item] of Object.entries(value)) walk(item, [...path, key], depth + 1);
    }
  };
  walk(root, [], 0);
  return entries.filter((entry) => entry.text !== "");
}

function isBranch(value, depth) {
  if (Array.isArray(value)) return depth === 0 || value.some((item) => item !== null && typeof item === "object");
  return depth === 0 || JSON.stringify(value).length > SMALL_OBJECT;
}

/** The last part of a path that is a name, not a position in a list. */
function nameIn(path) {
  return [...path].reverse().find((part) => !/^\d+$/.test(part)) ?? "";
}

function titleOf(value) {
  const title = value?.name ?? value?.title ?? value?.key ?? value?.id;
  return typeof title === "string" || typeof title === "number" ? `${title}` : "";
}

/** A value as lines of "name: value". */
function fields(value) {
  if (value === null || typeof value !== "object") return `${value ?? ""}`;
  if (Array.isArray(value)) return value.map(short).join(", ");
  return Object.entries(value).map(([key, item]) => `${key}: ${short(item)}`).join("\n");
}

function short(value) {
  if (value === null || typeof value !== "object") return `${value ?? "none"}`;
  const plain = Array.isArray(value) && value.every((item) => item === null || typeof item !== "object");
  return plain ? value.join(", ") : JSON.stringify(value);
}

function fromTable(text) {
  const [head, ...rows] = text.split(/\r\n|\r|\n/);
  const entries = rows.map((row, index) => ({ where: `line ${index + 2}`, title: "", text: `${head}\n${row}`, row }));
  return entries.filter((entry) => entry.row.trim() !== "").map(({ row, ...entry }) => ({ ...entry, words: row }));
}

/** Paragraphs; one that is too long to show is cut at its lines, a heading names what follows it. */
function fromText(text) {
  const entries = [];
  let heading = "";
  let lines = [];
  let first = 1;
  const close = (number) => {
    if (lines.length > 0) entries.push({ where: span(first, number - 1), title: heading, text: lines.join("\n") });
    lines = [];
  };
  text.split(/\r\n|\r|\n/).forEach((line, index) => {
    const full = lines.join("\n").length + line.length > MAX_ENTRY;
    if (line.trim() === "" || full || /^#{1,6}\s/.test(line)) close(index + 1);
    if (line.trim() === "") return;
    if (/^#{1,6}\s/.test(line)) heading = line.replace(/^#+\s*/, "").trim();
    if (lines.length === 0) first = index + 1;
    lines.push(line);
  });
  close(text.split(/\r\n|\r|\n/).length + 1);
  return entries;
}

function span(first, last) {
  return first >= last ? `line ${first}` : `lines ${first} to ${last}`;
}

// Ranking

/** The query's telling words, and its quoted parts whole; all folded. */
function termsOf(query) {
  const quoted = [...query.matchAll(/["“]([^"”]+)["”]/g)].map((match) => folded(match[1]));
  const rest = folded(query.replace(/["“][^"”]+["”]/g, " ")).split(" ");
  const words = rest.filter((word) => word !== "" && !SMALL_WORDS.has(word)).map(stem);
  return [...new Set([...quoted.filter((part) => part !== ""), ...words])].slice(0, 20);
}

function stem(word) {
  return word.length > 3 ? word.replace(/(?<=[^s])s$/, "") : word;
}

/**
 * The entries that hold terms, best first: rare terms weigh more, one in the title more still.
 * A term that stands in every entry tells nothing: it makes hits only where nothing else was asked.
 */
function ranked(entries, terms) {
  const pages = entries.map((entry) => ({
    entry,
    text: ` ${folded(`${entry.where} ${entry.title} ${entry.words ?? entry.text}`)}`,
    title: ` ${folded(entry.title)}`,
  }));
  const weights = terms.map((term) => {
    const count = pages.filter((page) => holds(page.text, term)).length;
    const telling = count > 0 && (count < pages.length || pages.length === 1);
    return { term, count, weight: telling ? Math.log(1 + pages.length / count) : 0 };
  });
  const worth = (page, { term, weight }) =>
    (holds(page.text, term) ? weight : 0) + (holds(page.title, term) ? weight : 0);
  const scored = pages.map((page) => ({
    entry: page.entry,
    score: weights.reduce((sum, one) => sum + worth(page, one), 0),
  }));
  const best = Math.max(0, ...scored.map((one) => one.score));
  const hits = scored.filter((one) => one.score > 0 && one.score >= best / 3).sort((a, b) => b.score - a.score);
  const missing = weights.filter((one) => one.count === 0).map((one) => one.term);
  const all = best === 0 && missing.length === 0;
  return { hits: all ? entries : hits.map((one) => one.entry), missing };
}

/** `text` is folded and starts with a blank, so that a word is found at its beginning only. */
function holds(text, term) {
  return text.includes(NO_SPACES.test(term) ? term : ` ${term}`);
}

/** Lower case, without accents, every run of other signs one blank. */
function folded(text) {
  const plain = `${text}`.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/['’]s\b/g, "").replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

// Answers

function report(name, total, found, terms, limit) {
  const shown = found.hits.slice(0, limit);
  const missing = found.missing.length > 0 ? ` No entry has: ${found.missing.join(", ")}.` : "";
  const few = total === 1 ? "its only entry" : `${shown.length} of ${total} entries`;
  const count = found.hits.length > shown.length ? `the best ${shown.length} of ${found.hits.length} matches` : few;
  const parts = shown.map((entry) => `[${entry.where || name}]\n${around(entry.text, terms)}`);
  return fitting([`From ${name}, ${count}.${missing}`, ...parts]);
}

/** An entry that is too long is shown from a little before its first match. */
function around(text, terms) {
  if (text.length <= MAX_ENTRY) return text;
  const low = text.toLowerCase();
  const places = terms.map((term) => low.indexOf(term.split(" ")[0])).filter((at) => at >= 0);
  const start = Math.max(0, (places.length > 0 ? Math.min(...places) : 0) - 200);
  const end = Math.min(text.length, start + MAX_ENTRY);
  return `${start > 0 ? "…" : ""}${text.slice(start, end)}${end < text.length ? "…" : ""}`;
}

function overview(name, entries, head) {
  const names = [...new Set(entries.map((entry) => entry.title || clip(entry.text.split("\n")[0], 60)))];
  const more = names.length > MAX_NAMES ? ` and ${names.length - MAX_NAMES} more` : "";
  return `${head} ${name} has entries on: ${names.slice(0, MAX_NAMES).join("; ")}${more}.`;
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

function phrase(value) {
  const text = typeof value === "string" || typeof value === "number" ? `${value}` : "";
  return text.replace(/\s+/g, " ").trim().slice(0, 400);
}

function clip(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}
