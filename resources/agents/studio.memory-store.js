/**
 * @agent studio.memory-store
 * @version 1.0.0
 * @description Long-term memory: facts that the character keeps through the whole conversation. The user adds to it with the memory command.
 *
 * @tool store_memory
 * @tool-description Remember something for good. Call this at once, without being asked, whenever you learn a fact worth keeping: a name, a promise, a preference, a debt, a secret, a change in how someone feels; and always when the user says to remember or not to forget something. The same key again replaces what was stored under it.
 * @tool-params {"type":"object","properties":{"key":{"type":"string","description":"A short name to find it by, such as user_name or promise_rope. Use the old key to correct an old memory. Made from the text if absent."},"text":{"type":"string","description":"What to remember, as one full sentence that can be understood without the conversation."},"importance":{"type":"integer","minimum":1,"maximum":10,"description":"From 1 (a detail) to 10 (must never be forgotten). 5 if absent."},"tags":{"type":"array","items":{"type":"string"},"description":"A few words that group memories, such as a person or a place."}},"required":["text"]}
 *
 * @tool recall_memory
 * @tool-description Search what you remember. Call this before you say that you do not know or do not recall something, and whenever a person, place, promise or past event comes up that may have been stored earlier.
 * @tool-params {"type":"object","properties":{"query":{"type":"string","description":"Words to look for in keys, texts and tags. Leave it out to get the most important memories."},"limit":{"type":"integer","minimum":1,"maximum":50,"description":"The most memories to return. 10 if absent."}}}
 *
 * @tool forget_memory
 * @tool-description Delete one memory for good. Call this when a stored memory has become untrue, was a mistake, or the user asks you to forget it.
 * @tool-params {"type":"object","properties":{"key":{"type":"string","description":"The key or the number of the memory to delete, as recall_memory shows it."}},"required":["key"]}
 *
 * @command @memory memoryCommand
 *
 * @preload true
 * @hook afterUserEdit
 */

// Store: { memories: [{ id, key, text, importance?, tags?, toolCallId?, earlier? }],
//          forgotten: [{ memory, toolCallId }], nextId }.
// `earlier` holds the versions that later calls replaced, oldest first; `forgotten` what a call of
// the model deleted: both let onAfterUserEdit take a call back. Other fields of a memory are kept.

const MAX_MEMORIES = 500;
const MAX_TEXT = 2000; // characters
const MAX_KEY = 60;
const MAX_TAGS = 8;
const MAX_EARLIER = 5;
const MAX_FORGOTTEN = 20;
const MAX_PRELOAD = 6000; // characters, about 1,500 tokens
const MAX_SHOWN = 50;

const REMEMBER = /^(?:please[\s,]+)?(?:remember|do not forget|don['’]t forget)(?:\s+that\b)?[\s,:]+/i;
const SMALL_WORDS = new Set(
  ("a an and are as at be by can did do does for from had has have her him his how i if in is it its me my " +
    "of on or our please remember she so tell that the their them there they this to us was we what when " +
    "where which who why will with you your about know recall").split(" "),
);

export function onLoad(store) {
  const memories = ranked(memoriesOf(store));
  if (memories.length === 0) return null;
  const lines = fitting(memories.map(line), MAX_PRELOAD);
  const more = memories.length - lines.length;
  const rest = more > 0 ? [`(${more} more: recall_memory finds them)`] : [];
  return ["## What you remember", ...lines, ...rest].join("\n");
}

export function onToolCall(toolName, args, store, studio, context) {
  const input = args !== null && typeof args === "object" ? args : {};
  if (toolName === "recall_memory") return recall(memoriesOf(store), input);
  if (toolName === "forget_memory") return forget(store, input.key ?? input.id, studio, context).text;
  if (toolName === "store_memory") return remember(store, input, studio, context).text;
  return `[Unknown tool: ${toolName}]`;
}

/** `@memory TEXT`, `@memory KEY = TEXT`, `@memory list [WORDS]`, `@memory forget KEY or NUMBER`. */
export function memoryCommand(args, store, studio, context) {
  const text = typeof args === "string" ? args.trim() : "";
  const [, word, rest] = /^(\S*)\s*([\s\S]*)$/.exec(text);
  if (text === "") return "Say what to remember, or list, or forget and a key.";
  if (word === "list") return showList(store, rest, studio);
  const forgetting = word === "forget";
  const done = forgetting ? forget(store, rest, studio, context) : remember(store, keyed(text), studio, context);
  if (!done.ok) return done.text;
  studio?.toast?.(done.text);
}

/** Takes back what the removed calls did: their memories go, replaced and deleted ones return. */
export function onAfterUserEdit(event, store, studio) {
  const gone = new Set(Array.isArray(event?.deletedToolCallIds) ? event.deletedToolCallIds : []);
  if (gone.size === 0) return;
  tidy(store);
  const before = JSON.stringify(store.memories);
  const forgotten = listOf(store.forgotten);
  const left = pruned(store.memories, gone);
  const taken = new Set(left.map((memory) => slug(memory.key)));
  const undone = forgotten.filter((entry) => gone.has(entry.toolCallId)).map((entry) => entry.memory);
  const back = pruned(undone, gone).filter((memory) => !taken.has(slug(memory.key)));
  store.memories = [...left, ...back].sort((a, b) => a.id - b.id).slice(0, MAX_MEMORIES);
  const standing = forgotten.filter((entry) => !gone.has(entry.toolCallId));
  const trimmed = (entry) => pruned([entry.memory], gone).map((memory) => ({ ...entry, memory }));
  keepForgotten(store, standing.flatMap(trimmed));
  if (JSON.stringify(store.memories) === before) return;
  studio?.log?.("Memory: went back to what it was before the calls that were removed.");
}

// What the tools do; each gives { ok, text }

function remember(store, input, studio, context) {
  const given = oneLine(input.text ?? input.value ?? input.memory).replace(REMEMBER, "");
  const text = clip(given, MAX_TEXT);
  if (text === "") return { ok: false, text: "Nothing was stored: text must say what to remember." };
  tidy(store);
  const asked = slug(input.key);
  const twin = store.memories.find((memory) => (asked ? slug(memory.key) === asked : memory.text === text));
  if (!twin && store.memories.length >= MAX_MEMORIES) {
    return { ok: false, text: `Nothing was stored: all ${MAX_MEMORIES} places are taken. Forget something first.` };
  }
  const key = twin?.key ?? (asked || freshKey(text, store.memories));
  const memory = { key, text, ...details(input, twin) };
  if (twin) replace(store, twin, memory, context);
  else store.memories.push(stamped({ id: store.nextId++, ...memory }, context));
  studio?.log?.(`Memory ${twin ? "changed" : "stored"}: ${key} = ${text}`);
  return { ok: true, text: `Stored: ${key} = ${text}` };
}

function recall(memories, input) {
  if (memories.length === 0) return "Nothing is stored in memory yet.";
  const query = clip(oneLine(input.query ?? input.key), MAX_TEXT);
  const limit = Math.min(MAX_SHOWN, Math.max(1, Math.trunc(Number(input.limit)) || 10));
  const found = matching(memories, query);
  if (found.length > 0) return found.slice(0, limit).map(line).join("\n");
  const keys = ranked(memories).slice(0, MAX_SHOWN).map((memory) => memory.key);
  return `Nothing in memory matches “${clip(query, 80)}”. Stored keys: ${keys.join(", ")}.`;
}

function forget(store, wanted, studio, context) {
  const name = clip(oneLine(wanted), MAX_TEXT);
  if (name === "") return { ok: false, text: "Say which memory to forget: its key or its number." };
  tidy(store);
  const memory = store.memories.find((one) => slug(one.key) === slug(name) || `${one.id}` === name.replace(/^#/, ""));
  if (!memory) {
    return { ok: false, text: `No memory has the key or number “${clip(name, 80)}”. The list shows what there is.` };
  }
  store.memories = store.memories.filter((one) => one !== memory);
  if (Number.isInteger(context?.toolCallId)) {
    keepForgotten(store, [...listOf(store.forgotten), stamped({ memory }, context)]);
  }
  studio?.log?.(`Memory forgotten: ${memory.key} = ${memory.text}`);
  return { ok: true, text: `Forgotten: ${memory.key}` };
}

function showList(store, query, studio) {
  const memories = memoriesOf(store);
  const found = query === "" ? ranked(memories) : matching(memories, query);
  if (query !== "" && found.length === 0) return `Nothing in memory matches “${clip(query, 80)}”.`;
  const more = found.length > MAX_SHOWN ? `\n(${found.length - MAX_SHOWN} more)` : "";
  const lines = found.slice(0, MAX_SHOWN).map(line).join("\n");
  studio?.log?.(found.length > 0 ? `Memory:\n${lines}${more}` : "Memory: nothing is stored yet.");
  return undefined;
}

// Records

/** `twin` keeps its place and its id. What a call of the model replaced is kept, to be taken back. */
function replace(store, twin, memory, context) {
  const { earlier, ...version } = twin;
  const { toolCallId, ...kept } = version;
  const next = stamped({ ...kept, ...memory }, context);
  if (next.toolCallId !== undefined) next.earlier = [...listOf(earlier), version].slice(-MAX_EARLIER);
  store.memories[store.memories.indexOf(twin)] = next;
}

/** The memory as it was without the versions that the calls in `gone` wrote; null if none is left. */
function without(memory, gone) {
  const { earlier, ...current } = memory;
  const versions = [...listOf(earlier), current].filter((version) => !gone.has(version.toolCallId));
  if (versions.length === 0) return null;
  const last = versions.pop();
  return versions.length > 0 ? { ...last, earlier: versions } : last;
}

function pruned(memories, gone) {
  return memories.map((memory) => without(memory, gone)).filter((memory) => memory !== null);
}

function stamped(record, context) {
  return Number.isInteger(context?.toolCallId) ? { ...record, toolCallId: context.toolCallId } : record;
}

function details(input, twin) {
  const importance = Number(input.importance ?? twin?.importance);
  const given = typeof input.tags === "string" ? input.tags.split(",") : input.tags ?? twin?.tags;
  const words = listOf(given).map((tag) => clip(oneLine(tag), MAX_KEY));
  const tags = words.filter((tag) => tag !== "").slice(0, MAX_TAGS);
  return {
    ...(Number.isFinite(importance) ? { importance: Math.min(10, Math.max(1, Math.round(importance))) } : {}),
    ...(tags.length > 0 ? { tags } : {}),
  };
}

/** "rope = forty fathoms" and "rope: forty fathoms" name their key; anything else is all text. */
function keyed(text) {
  const match = /^([\p{L}\p{N}_.-]{1,60})\s*[=:]\s+([\s\S]+)$/u.exec(text);
  return match ? { key: match[1], text: match[2] } : { text };
}

function freshKey(text, memories) {
  const words = slug(text).split("_").filter((word) => word !== "" && !SMALL_WORDS.has(word));
  const base = clip(words.slice(0, 4).join("_"), MAX_KEY - 4) || "memory";
  const taken = new Set(memories.map((memory) => slug(memory.key)));
  let key = base;
  for (let n = 2; taken.has(key); n += 1) key = `${base}_${n}`;
  return key;
}

// Finding

/** The memories that hold words of the query, most words first. */
function matching(memories, query) {
  const all = folded(query).split(" ").filter((word) => word !== "");
  const words = all.filter((word) => !SMALL_WORDS.has(word));
  if (words.length === 0) return ranked(memories);
  const scored = ranked(memories).map((memory) => ({ memory, score: score(memory, words) }));
  const found = scored.filter((one) => one.score > 0);
  return found.sort((a, b) => b.score - a.score).map((one) => one.memory);
}

function score(memory, words) {
  const key = folded(memory.key);
  const rest = folded([memory.text, ...listOf(memory.tags)].join(" "));
  const worth = (word) => (key.includes(word) ? 2 : 0) + (rest.includes(word) ? 2 : 0);
  return words.reduce((sum, word) => sum + (worth(word) || Math.sign(worth(singular(word)))), 0);
}

function singular(word) {
  return word.length > 3 ? word.replace(/s$/, "") : word;
}

/** Most important first, then newest first. */
function ranked(memories) {
  const weight = (memory) => (Number.isFinite(memory.importance) ? memory.importance : 5);
  return [...memories].sort((a, b) => weight(b) - weight(a) || b.id - a.id);
}

function fitting(lines, room) {
  let left = room;
  return lines.filter((text) => (left -= text.length + 1) >= 0);
}

// Text

function line(memory) {
  const tags = listOf(memory.tags).length > 0 ? ` (${memory.tags.join(", ")})` : "";
  return `- ${memory.key}: ${memory.text}${tags}`;
}

function oneLine(value) {
  const text = typeof value === "string" || typeof value === "number" || typeof value === "boolean" ? `${value}` : "";
  return text.replace(/\s+/g, " ").trim();
}

function clip(text, length) {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** Lower case, without accents, every run of other signs one blank. */
function folded(text) {
  const plain = `${text ?? ""}`.normalize("NFD").replace(/\p{M}/gu, "").toLowerCase();
  return plain.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
}

function slug(text) {
  return clip(folded(oneLine(text)).replace(/ /g, "_"), MAX_KEY);
}

// Store: whatever its shape, these give good records

function listOf(value) {
  return Array.isArray(value) ? value : [];
}

/** The store's memories, cleaned, without changing the store. An object of key and text is read as well. */
function memoriesOf(store) {
  const given = store?.memories;
  const named = given !== null && typeof given === "object" && !Array.isArray(given);
  const raw = named
    ? Object.entries(given).map(([key, value]) => (isRecord(value) ? { key, ...value } : { key, text: value }))
    : listOf(given);
  const used = new Set();
  const records = raw.map((value) => cleanMemory(value, used)).filter((memory) => memory !== null);
  let last = Math.max(0, ...used);
  return records.map((memory) => (memory.id === null ? { ...memory, id: ++last } : memory));
}

/** A good record, with id null when it has none of its own, or null for what holds no text. */
function cleanMemory(value, used) {
  const raw = isRecord(value) ? value : { text: value };
  const text = clip(oneLine(raw.text ?? raw.value), MAX_TEXT);
  if (text === "") return null;
  const known = Number.isInteger(raw.id) && raw.id > 0 && !used.has(raw.id);
  if (known) used.add(raw.id);
  const memory = { id: known ? raw.id : null, key: slug(raw.key) || freshKey(text, []), text };
  const { id, key, text: _text, tags, earlier, ...rest } = raw;
  if (Array.isArray(tags)) memory.tags = tags;
  if (Array.isArray(earlier)) rest.earlier = earlier.filter(isRecord);
  return { ...memory, ...rest };
}

function isRecord(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function tidy(store) {
  store.memories = memoriesOf(store);
  const highest = Math.max(0, ...store.memories.map((memory) => memory.id));
  store.nextId = Math.max(highest + 1, Number.isInteger(store.nextId) ? store.nextId : 1);
  const forgotten = listOf(store.forgotten).filter(
    (entry) => isRecord(entry) && Number.isInteger(entry.toolCallId) && cleanMemory(entry.memory, new Set()),
  );
  keepForgotten(store, forgotten);
}

/** Most stores have none: then the field is left out. */
function keepForgotten(store, entries) {
  if (entries.length > 0) store.forgotten = entries.slice(-MAX_FORGOTTEN);
  else delete store.forgotten;
}
