/**
 * @agent studio.history-search
 * @version 1.0.0
 * @description Searches the whole conversation and reads parts of it again, also what the model no longer sees.
 *
 * @tool search_history
 * @tool-description Search everything that was said in this conversation, from its first message on. Call this before you say that you cannot remember what was said, and whenever the user refers to something earlier that you do not have in front of you: who said it, when, or in which words.
 * @tool-params {"type":"object","properties":{"query":{"type":"string","description":"The words to look for; a name or two or three telling words work best. An exact phrase is tried first, then its single words."},"limit":{"type":"integer","minimum":1,"maximum":30,"description":"The most messages to return. 8 if absent."},"role":{"type":"string","enum":["any","user","assistant"],"description":"Only messages of the user, or only those of the character (assistant)."}},"required":["query"]}
 *
 * @tool read_history
 * @tool-description Read messages of this conversation again, word for word and in order. Call this after search_history to see what stood around a hit, or to go back over the beginning or the latest messages.
 * @tool-params {"type":"object","properties":{"start":{"type":"integer","minimum":0,"description":"Number of the first message, as search_history gives it. Leave it out to get the latest messages."},"end":{"type":"integer","minimum":0,"description":"Number of the message to stop before. 10 messages from start if absent."},"limit":{"type":"integer","minimum":1,"maximum":30,"description":"The most messages to return. 10 if absent."}}}
 *
 * @api studio.history
 */

// No store: the conversation itself is the data.

const MAX_HITS = 30;
const MAX_WORDS = 6; // of a query; each is one search
const AROUND = 160; // characters of a message on either side of the match
const MAX_MESSAGE = 1500; // characters of a message that is read in full
const MAX_RESULT = 9000; // characters
const MISSING = "This player does not let agents read the conversation, so nothing could be looked up.";

const SMALL_WORDS = new Set(
  ("a an and are as at be but by can could did do does for from had has have he her him his how i if in is it " +
    "its me my not of on or our please said say she so tell that the their them then there they this to told us " +
    "was we were what when where which who why will with would you your earlier before about conversation " +
    "history search").split(" "),
);

export async function onToolCall(toolName, args, store, studio, context) {
  const input = args !== null && typeof args === "object" ? args : {};
  const reading = toolName === "read_history" || /_read_history$/.test(toolName);
  try {
    return reading ? await read(input, studio, context) : await search(input, studio, context);
  } catch (error) {
    return `The conversation could not be read: ${error?.message ?? error}`;
  }
}

// Searching

async function search(input, studio, context) {
  if (typeof studio?.history?.search !== "function") return MISSING;
  const query = phrase(input.query);
  if (query === "") return "Say what to look for: query must hold at least one word.";
  const current = await currentIndex(studio, context);
  const seen = { current: false };
  const usable = (turn) => {
    seen.current ||= turn.index >= current;
    return turn.index < current && wanted(turn, input.role);
  };
  const hits = await lookUp(query, studio, usable);
  if (hits.length === 0) return nothing(query, seen.current);
  const limit = whole(input.limit, 8, 1, MAX_HITS);
  const shown = hits.slice(0, limit).sort((a, b) => a.index - b.index);
  return report(hits.length, shown, query);
}

function nothing(query, onlyNow) {
  const where = onlyNow ? "before the message that you are answering now" : "in this conversation";
  return `Nothing that was said ${where} matches “${clip(query, 80)}”.`;
}

function report(count, shown, query) {
  const head = `${count} ${count === 1 ? "message matches" : "messages match"} “${clip(query, 80)}”`;
  const lines = shown.map((turn) => `${label(turn)} ${excerpt(turn.content, turn.word)}`);
  return fitting([`${head}${count > shown.length ? `; the best ${shown.length}:` : ":"}`, ...lines]);
}

/** Messages with the whole phrase, newest first; without any, those with most of its words. */
async function lookUp(query, studio, usable) {
  const exact = turnsOf(await studio.history.search(query), query).filter(usable);
  if (exact.length > 0) return exact.sort((a, b) => b.index - a.index);
  const found = new Map();
  for (const word of wordsOf(query)) {
    for (const turn of turnsOf(await studio.history.search(word), word).filter(usable)) {
      const known = found.get(turn.index) ?? { ...turn, score: 0 };
      found.set(turn.index, { ...known, score: known.score + 1 });
    }
  }
  return [...found.values()].sort((a, b) => b.score - a.score || b.index - a.index);
}

function wordsOf(query) {
  const words = query.toLowerCase().split(/[^\p{L}\p{N}'’-]+/u).filter((word) => word.length > 1);
  const telling = words.filter((word) => !SMALL_WORDS.has(word));
  const unique = [...new Set(telling)].sort((a, b) => b.length - a.length);
  return unique.slice(0, MAX_WORDS);
}

/** The index of the user's message that is being answered; a search would always find its own words. */
async function currentIndex(studio, context) {
  if (context?.invokedBy !== "model" || typeof studio.history.range !== "function") return Infinity;
  const last = await latest(studio, context, 1, "user");
  return last.length > 0 ? last[0].index : Infinity;
}

// Reading

async function read(input, studio, context) {
  if (typeof studio?.history?.range !== "function") return MISSING;
  const limit = whole(input.limit, 10, 1, MAX_HITS);
  const turns = await chosen(input, limit, studio, context);
  if (turns.length === 0) return "There are no messages there.";
  return fitting(turns.map((turn) => `${label(turn)} ${clip(turn.content, MAX_MESSAGE)}`));
}

async function chosen(input, limit, studio, context) {
  if (input.start === undefined || input.start === null || input.start === "") {
    return latest(studio, context, limit, "any");
  }
  const length = lengthOf(context);
  const start = whole(input.start, 0, 0, length);
  const end = whole(input.end, length, start, length);
  return turnsOf(await studio.history.range(start, end)).slice(0, limit);
}

/** The last `count` messages of a role: entries of tools lie between them, so the window grows. */
async function latest(studio, context, count, role) {
  const end = lengthOf(context);
  for (let size = count * 4; ; size *= 4) {
    const start = Math.max(0, end - size);
    const turns = turnsOf(await studio.history.range(start, end)).filter((turn) => wanted(turn, role));
    if (turns.length >= count || start === 0) return turns.slice(-count);
  }
}

// Turns and words

/** What the player gave, as good turns in order; `word` is what was searched for. */
function turnsOf(value, word) {
  const turns = Array.isArray(value) ? value : [];
  const good = turns.filter((turn) => typeof turn?.content === "string" && Number.isInteger(turn.index));
  return good.map(({ role, content, index }) => ({ role, content, index, word })).sort((a, b) => a.index - b.index);
}

function wanted(turn, role) {
  return role !== "user" && role !== "assistant" ? true : turn.role === role;
}

function lengthOf(context) {
  const length = Number(context?.conversationLength);
  return Number.isFinite(length) ? Math.max(0, length) : Number.MAX_SAFE_INTEGER;
}

function label(turn) {
  return `[${turn.index}] ${turn.role === "user" ? "User" : "Character"}:`;
}

function excerpt(content, word) {
  const at = content.toLowerCase().indexOf(`${word ?? ""}`.toLowerCase());
  const start = Math.max(0, (at < 0 ? 0 : at) - AROUND);
  const end = Math.min(content.length, Math.max(0, at) + (word ?? "").length + AROUND);
  const middle = content.slice(start, end).replace(/\s+/g, " ").trim();
  return `${start > 0 ? "…" : ""}${middle}${end < content.length ? "…" : ""}`;
}

function phrase(value) {
  const text = typeof value === "string" || typeof value === "number" ? `${value}` : "";
  return text.replace(/\s+/g, " ").trim().replace(/^["“”]+|["“”?!.]+$/g, "").slice(0, 300);
}

function whole(value, fallback, low, high) {
  const given = typeof value === "number" || /^-?\d+$/.test(value) ? Number(value) : NaN;
  return Math.min(high, Math.max(low, Number.isFinite(given) ? Math.trunc(given) : fallback));
}

function clip(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

function fitting(lines) {
  const shown = [];
  let left = MAX_RESULT;
  for (const text of lines) {
    left -= text.length + 1;
    if (left < 0) return [...shown, `(${lines.length - shown.length} more did not fit: ask for fewer)`].join("\n");
    shown.push(text);
  }
  return shown.join("\n");
}
