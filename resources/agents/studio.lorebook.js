/**
 * @agent studio.lorebook
 * @version 1.0.0
 * @description What the character knows when a word of the conversation calls it up. Compose it: an object in "agents" with an id, this implementation and a contextFile that holds a lorebook as character cards have it.
 *
 * @preload true
 * @hook beforeResponse
 * @api studio.history
 * @api studio.context
 */

// Store: {}. The book is read anew each time, so that an edit counts at once.
// Book: { scan_depth?, token_budget?, recursive_scanning?, entries: [{ keys, content, enabled?, constant?,
// selective?, secondary_keys?, case_sensitive?, use_regex?, insertion_order?, priority?, position?, extensions? }] }.

const MAX_FILE = 16000000; // characters of a book
const MAX_SCANNED = 20000; // characters of the conversation
const MAX_TEXT = 40000; // characters that are added
const MAX_ROUNDS = 5; // of entries that call up entries
const MAX_SEARCH = 2000; // milliseconds for expressions
const MAX_REPEATED = 8; // repetitions that a search does not go back over again
const MAX_STEPS = 1e8; // of a search
const SEARCHED = [MAX_SCANNED + 20000, 4000, 500, 150]; // characters that an expression with so many repetitions is tried on
const USUAL_DEPTH = 4; // messages that are looked at
const CHARACTERS_PER_TOKEN = 4;
const LOGIC = { NOT_ALL: 1, NOT_ANY: 2, AND_ALL: 3 };

let heard = ""; // what is being answered, where the history does not have it yet

export function onBeforeResponse(event) {
  heard = text(event?.userText);
}

export async function onLoad(store, studio, context) {
  const name = context?.config?.contextFile;
  if (typeof name !== "string" || typeof studio?.context?.readFile !== "function") return null;
  const book = parsed(await studio.context.readFile(name));
  const entries = entriesOf(book);
  if (entries.length === 0) return null;
  const deepest = Math.max(...entries.map((entry) => entry.depth));
  const messages = await latest(studio, context, deepest);
  const active = calledUp(entries, messages, book?.recursive_scanning === true);
  const kept = withinBudget(active, Number(book?.token_budget) || 0);
  if (kept.length === 0) return null;
  kept.sort((one, other) => one.after - other.after || one.order - other.order || one.index - other.index);
  return clip(kept.map((entry) => entry.content).join("\n\n"), MAX_TEXT);
}

// The book

function parsed(value) {
  try {
    const book = JSON.parse(text(value).replace(/^\uFEFF/, "").slice(0, MAX_FILE));
    return book !== null && typeof book === "object" ? book : null;
  } catch {
    return null; // the list of problems cannot know of it; an empty book adds nothing
  }
}

function entriesOf(book) {
  const listed = Array.isArray(book) ? book : book?.entries;
  const values = Array.isArray(listed) ? listed : Object.values(listed ?? {});
  const usual = whole(book?.scan_depth, USUAL_DEPTH);
  return values.map((value, index) => entryOf(value, index, usual)).filter((entry) => entry !== null);
}

function entryOf(value, index, usual) {
  if (value === null || typeof value !== "object" || value.enabled === false || value.disable === true) return null;
  const extensions = value.extensions ?? {};
  const told = decorated(text(value.content));
  if (told.content === "" || told.never) return null;
  const order = finite(value.insertion_order ?? value.order, 100);
  return {
    index,
    content: told.content,
    keys: [...texts(value.keys ?? value.key), ...told.keys],
    second: value.selective === true ? texts(value.secondary_keys ?? value.keysecondary) : [],
    not: told.not,
    logic: whole(extensions.selectiveLogic ?? value.selectiveLogic, 0),
    always: value.constant === true || told.always,
    exact: value.case_sensitive === true,
    regex: value.use_regex === true,
    words: (extensions.match_whole_words ?? value.match_whole_words) !== false,
    depth: told.depth ?? whole(extensions.scan_depth ?? value.scan_depth, usual),
    order,
    priority: finite(value.priority, order),
    after: value.position === "after_char" ? 1 : 0,
    quiet: extensions.prevent_recursion === true,
    deaf: extensions.exclude_recursion === true,
    from: told.from,
  };
}

/** Take the lines that begin with @@ off a content, and do what those say that mean something here. */
function decorated(content) {
  const told = { keys: [], not: [], always: false, never: false, depth: undefined, from: 0 };
  const lines = content.split(/\r\n|\r|\n/);
  while (lines.length > 0 && lines[0].startsWith("@@")) {
    const [name, ...rest] = lines.shift().replace(/^@@+/, "").trim().split(/\s+/);
    const value = rest.join(" ");
    if (name === "activate" || name === "constant") told.always = true;
    if (name === "dont_activate") told.never = true;
    if (name === "scan_depth") told.depth = whole(value, USUAL_DEPTH);
    if (name === "activate_only_after") told.from = whole(value, 0);
    if (name === "additional_keys") told.keys.push(...listed(value));
    if (name === "exclude_keys") told.not.push(...listed(value));
  }
  return { ...told, content: lines.join("\n").trim() };
}

function listed(value) {
  return value.split(",").map((part) => part.trim()).filter((part) => part !== "");
}

// The conversation

async function latest(studio, context, depth) {
  const end = whole(context?.conversationLength, 0);
  const start = Math.max(0, end - 3 * (depth + 1));
  const found = await studio.history.range(start, end);
  const said = (Array.isArray(found) ? found : []).filter(
    ({ role, content }) => (role === "user" || role === "assistant") && typeof content === "string",
  );
  const texts = said.map(({ content }) => content);
  if (heard !== "" && texts[texts.length - 1] !== heard) texts.push(heard);
  return { texts, answers: Math.floor(end / 2) };
}

function scanned({ texts }, depth) {
  return depth <= 0 ? "" : texts.slice(-depth).join("\n").slice(-MAX_SCANNED);
}

// Calling up

function calledUp(entries, messages, recursive) {
  const active = new Set();
  const watch = { end: Date.now() + MAX_SEARCH };
  let more = "";
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const scenes = scenesOf(messages, more);
    const fresh = entries.filter((entry) => !active.has(entry) && isCalled(entry, messages, scenes(entry), watch));
    fresh.forEach((entry) => active.add(entry));
    if (fresh.length === 0 || !recursive) break;
    more = fresh.filter((entry) => !entry.quiet).map((entry) => entry.content).join("\n").slice(0, MAX_SCANNED);
  }
  return [...active];
}

/** Return what gives an entry the text that it is sought in; each is made once, for there may be thousands of entries. */
function scenesOf(messages, more) {
  const made = new Map();
  return (entry) => {
    const added = entry.deaf ? "" : more;
    const name = `${entry.depth} ${added === ""}`;
    if (!made.has(name)) {
      const exact = scanned(messages, entry.depth) + (added === "" ? "" : `\n${added}`);
      made.set(name, { exact, folded: exact.toLowerCase() });
    }
    return made.get(name);
  };
}

function isCalled(entry, messages, scene, watch) {
  if (entry.from > messages.answers) return false;
  const isThere = (key) => occurs(key, scene, entry, watch);
  if (entry.not.some(isThere)) return false;
  if (entry.always) return true;
  if (!entry.keys.some(isThere)) return false;
  if (entry.second.length === 0) return true;
  const hits = entry.second.filter(isThere).length;
  if (entry.logic === LOGIC.NOT_ALL) return hits < entry.second.length;
  if (entry.logic === LOGIC.NOT_ANY) return hits === 0;
  if (entry.logic === LOGIC.AND_ALL) return hits === entry.second.length;
  return hits > 0;
}

function occurs(key, scene, entry, watch) {
  const found = key[0] === "/" ? /^\/(.+)\/([a-z]*)$/s.exec(key) : null;
  if (entry.regex || found) {
    const [source, flags] = found ? [found[1], found[2].replace(/[gy]/g, "")] : [key, "i"];
    const most = searchable(source);
    if (most === 0 || Date.now() > watch.end) return false;
    try {
      return new RegExp(source, flags).test(scene.exact.slice(-most));
    } catch {
      return false; // not an expression, so it calls up nothing
    }
  }
  const sought = entry.exact ? key : key.toLowerCase();
  const where = entry.exact ? scene.exact : scene.folded;
  if (sought === "") return false;
  for (let at = where.indexOf(sought); at >= 0; at = where.indexOf(sought, at + 1)) {
    if (!entry.words || isWord(where, at, at + sought.length)) return true;
  }
  return false;
}

/**
 * Return how many characters an expression may be tried on, 0 for one that could take for ever: a search goes back
 * once more over the text for each repetition without an end, and without any limit for repetitions of what repeats or has choices.
 */
function searchable(source) {
  const bare = source.replace(/\\(?:[pPux]\{[^{}]*\}|k<[^<>]*>|.)/gs, (mark) => (/^\\[1-9k]/.test(mark) ? "(a*)" : "a")).replace(/\[[^\]]*\]/g, "a");
  const open = [new Sequence()];
  let last = new Sequence();
  for (const [part] of bare.matchAll(/\(\?<?[:=!]|\(\?<[^>]*>|\(|\)|\||\*\??|\+\??|\?\??|\{\d*,?\d*\}\??|[^]/g)) {
    const sequence = open[open.length - 1];
    if (part[0] === "(") {
      open.push(new Sequence());
    } else if (part === ")" && open.length > 1) {
      last = open.pop();
      last.or();
      open[open.length - 1].add(last);
    } else if (part === "|") {
      sequence.or();
    } else if (/^[*+?]|^\{\d/.test(part)) {
      const [, least, comma, most] = /^\{(\d*)(,?)(\d*)/.exec(part) ?? [];
      const times = part[0] === "?" ? 1 : comma && !most ? Infinity : Number(most || least || Infinity);
      if (times > 1 && last.varies) return 0;
      if (times > MAX_REPEATED) sequence.loops += 1;
      else if (least === undefined) sequence.ways *= 2;
      else sequence.ways *= 1 + times - Number(least);
      sequence.varies ||= least === undefined || comma !== "";
    } else {
      last = new Sequence();
    }
  }
  open[0].or();
  return Math.min(SEARCHED[open[0].mostLoops] ?? 0, Math.floor(MAX_STEPS / open[0].allWays));
}

/** How a part of an expression may be gone through: in how many ways, with how many endless repetitions. */
class Sequence {
  loops = 0;
  ways = 1;
  varies = false;
  mostLoops = 0;
  allWays = 0;

  or() {
    this.varies ||= this.allWays > 0;
    this.allWays += this.ways;
    this.mostLoops = Math.max(this.mostLoops, this.loops);
    [this.ways, this.loops] = [1, 0];
  }

  add(group) {
    this.ways *= group.allWays;
    this.loops += group.mostLoops;
    this.varies ||= group.varies;
  }
}

/** Whether what stands from start to end is not the part of a longer word; scripts without spaces have no such parts. */
function isWord(where, start, end) {
  const joins = (left, right) => /[\p{L}\p{N}_]/u.test(left) && /[\p{L}\p{N}_]/u.test(right) && !/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u.test(left + right);
  const before = start > 0 && joins(where[start - 1], where[start]);
  const after = end < where.length && joins(where[end - 1], where[end]);
  return !before && !after;
}

// The budget

function withinBudget(active, budget) {
  if (budget <= 0) return active;
  const kept = [];
  let left = budget;
  const ranked = [...active].sort((one, other) => other.priority - one.priority || one.index - other.index);
  for (const entry of ranked) {
    const cost = Math.ceil(entry.content.length / CHARACTERS_PER_TOKEN);
    if (cost > left) continue;
    left -= cost;
    kept.push(entry);
  }
  return kept;
}

// Values

function text(value) {
  return typeof value === "string" ? value : "";
}

function texts(value) {
  return (Array.isArray(value) ? value : []).filter((one) => typeof one === "string" && one.trim() !== "").map((one) => one.trim());
}

function finite(value, usual) {
  const number = Number(value);
  return value !== null && value !== undefined && Number.isFinite(number) ? number : usual;
}

function whole(value, usual) {
  return Math.max(0, Math.trunc(finite(value, usual)));
}

function clip(value, most) {
  return value.length <= most ? value : `${value.slice(0, most - 1)}…`;
}
