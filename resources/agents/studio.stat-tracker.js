/**
 * @agent studio.stat-tracker
 * @version 1.0.0
 * @description Keeps numbers, states and lists of things: health, money, trust, mood, what is in the pockets. The user changes them with the stat command.
 *
 * @tool change_stat
 * @tool-description Add to or take from a number that is kept, such as health, money, trust or ammunition. Call this at once, whenever what happens in the story changes one: damage, healing, pay, a purchase, a kindness, a shot. Never only tell of a change.
 * @tool-params {"type":"object","properties":{"name":{"type":"string","description":"Which number, by the name that is shown in the state."},"amount":{"type":"number","description":"How much to add; negative to take away."},"reason":{"type":"string","description":"Why, in a few words."}},"required":["name","amount"]}
 *
 * @tool set_stat
 * @tool-description Begin to keep a new number or state, or set one to an exact value, or change its limits. Call this for what is known exactly and for states in words, such as mood or place; call change_stat when a number goes up or down.
 * @tool-params {"type":"object","properties":{"name":{"type":"string","description":"A short name, such as health or mood."},"value":{"type":"number","description":"The number."},"text":{"type":"string","description":"The state in words, instead of a number."},"min":{"type":"number","description":"The least that the number can be."},"max":{"type":"number","description":"The most that the number can be."}},"required":["name"]}
 *
 * @tool add_item
 * @tool-description Put a thing into a list that is kept, such as the inventory. Call this at once when someone picks up, buys, finds, learns or is given something that is to be kept.
 * @tool-params {"type":"object","properties":{"item":{"type":"string","description":"The thing, such as rope or silver key."},"count":{"type":"integer","minimum":1,"maximum":1000000,"description":"How many. 1 if absent."},"list":{"type":"string","description":"Which list. inventory if absent."}},"required":["item"]}
 *
 * @tool remove_item
 * @tool-description Take a thing out of a list that is kept. Call this at once when something is used up, sold, lost, broken or given away. Nothing can be used that is not in the list.
 * @tool-params {"type":"object","properties":{"item":{"type":"string","description":"The thing, as the list has it."},"count":{"type":"integer","minimum":1,"maximum":1000000,"description":"How many. 1 if absent."},"list":{"type":"string","description":"Which list. inventory if absent."}},"required":["item"]}
 *
 * @command @stat statCommand
 *
 * @preload true
 * @hook afterUserEdit
 */

// Store: { stats: { key: { name, value, min?, max?, base?, log? } },
//          lists: { key: { name, items: { key: { name, count, base?, log? } } } } }.
// `log` holds the latest changes, { add | set, min?, max?, toolCallId? }, made to `base`; `value` and
// `count` are what they come to. So onAfterUserEdit can take a call back, whatever came after it.
// A bare number or text is read as a value, a list of names as items. Other fields are kept.

const MAX_STATS = 100;
const MAX_LISTS = 20;
const MAX_ITEMS = 200; // of a list
const MAX_LOG = 30; // changes of one value that can be taken back
const MAX_NAME = 60;
const MAX_TEXT = 200;
const MAX_NUMBER = 1e12;
const MAX_PRELOAD = 4000; // characters, about 1,000 tokens
const DEFAULT_LIST = "inventory";

export function onLoad(store) {
  const state = stateOf(store);
  const lines = linesOf(state);
  if (lines.length === 0) return null;
  const shown = fitting(lines, MAX_PRELOAD);
  const more = lines.length > shown.length ? [`(${lines.length - shown.length} more lines are kept)`] : [];
  return ["## State", ...shown, ...more].join("\n");
}

export function onToolCall(toolName, args, store, studio, context) {
  const input = args !== null && typeof args === "object" ? args : {};
  const does = { change_stat: changeStat, set_stat: setStat, add_item: addItem, remove_item: removeItem }[toolName];
  if (does === undefined) return `[Unknown tool: ${toolName}]`;
  return performed(store, studio, (state) => does(state, input, context)).text;
}

/** `@stat`, `@stat NAME`, `NAME 80`, `NAME +5`, `NAME = wary`, `NAME 0..100`, `add THING`, `drop THING`, `remove NAME`. */
export function statCommand(args, store, studio, context) {
  const text = oneLine(args);
  const [, word, rest] = /^(\S*)\s*(.*)$/.exec(text);
  if (text === "" || word === "list") return show(stateOf(store), rest, studio);
  const does = commanded(word, rest, text);
  if (does === null) return show(stateOf(store), text, studio);
  const done = performed(store, studio, (state) => does(state, context));
  if (!done.ok) return done.text;
  studio?.toast?.(done.text);
}

/** Takes back what the removed calls did; later changes stay. */
export function onAfterUserEdit(event, store, studio) {
  const gone = new Set(Array.isArray(event?.deletedToolCallIds) ? event.deletedToolCallIds : []);
  const state = stateOf(store);
  const holds = (one) => (one.log ?? []).some((change) => gone.has(change.toolCallId));
  const touched = everyRecord(state).filter(holds);
  if (touched.length === 0) return;
  for (const one of touched) {
    one.log = one.log.filter((change) => !gone.has(change.toolCallId));
    settle(one);
  }
  keep(store, state);
  const names = touched.map((one) => one.name).join(", ");
  studio?.log?.(`State: ${clip(names, 200)} went back to what it was without the calls that were removed.`);
}

// What the tools do; each gives { ok, text }

/** Run a change on the cleaned state; a change that was made is kept and told. */
function performed(store, studio, does) {
  const state = stateOf(store);
  const done = does(state);
  if (!done.ok) return done;
  keep(store, state);
  studio?.log?.(`State: ${done.text}`);
  return done;
}

function changeStat(state, input, context) {
  const stat = statNamed(state, input.name ?? input.stat);
  const amount = Number(input.amount ?? input.by);
  if (stat === undefined) return unknown(state, input.name ?? input.stat);
  if (!isNumber(amount)) return failed("Nothing was changed: amount must be a number, negative to take away.");
  if (typeof stat.value !== "number")
    return failed(`${stat.name} is “${stat.value}”, not a number: set_stat changes it.`);
  const before = stat.value;
  change(stat, { add: amount }, context);
  const moved = stat.value - before;
  const stopped = moved === amount ? "" : ` It cannot go ${amount > 0 ? "higher" : "lower"}.`;
  const why = oneLine(input.reason);
  return done(
    `${stat.name}: ${shortNumber(before)} → ${valueOf(stat)}${why ? `, ${clip(why, MAX_TEXT)}` : ""}.${stopped}`,
  );
}

function setStat(state, input, context) {
  const name = clip(oneLine(input.name ?? input.stat), MAX_NAME).replace(/^(?:the\s+)?stat\s+(?=\S)/i, "");
  if (slug(name) === "") return failed("Nothing was set: name must say which stat.");
  const known = found(state.stats, name);
  const limits = limitsOf(input);
  const value = given(input, known, limits);
  if (limits.min > limits.max) return failed(`Nothing was set: min (${limits.min}) is above max (${limits.max}).`);
  if (value === undefined) return failed("Nothing was set: give a number in value, or words in text.");
  if (!known && Object.keys(state.stats).length >= MAX_STATS) {
    return failed(`Nothing was set: all ${MAX_STATS} places are taken.`);
  }
  const stat = known ?? (state.stats[slug(name)] = { name, value: null, base: null });
  change(stat, { set: value, ...limits }, context);
  return done(`${stat.name} is ${valueOf(stat)}.`);
}

/** What a stat becomes: a number, words, or for new limits alone what it was or the nearest to 0. */
function given(input, known, limits) {
  if (isNumber(input.value)) return input.value;
  const words = clip(oneLine(input.text ?? input.value), MAX_TEXT);
  if (words !== "") return /^[+-]?\d+(\.\d+)?$/.test(words) ? Number(words) : words;
  if (limits.min === undefined && limits.max === undefined) return undefined;
  return typeof known?.value === "number" ? known.value : 0;
}

function limitsOf(input) {
  const limits = {};
  for (const key of ["min", "max"]) if (isNumber(input[key])) limits[key] = input[key];
  return limits;
}

function addItem(state, input, context) {
  const name = thing(input.item ?? input.name);
  if (slug(name) === "") return failed("Nothing was added: item must say what.");
  const listName = clip(oneLine(input.list), MAX_NAME) || DEFAULT_LIST;
  const known = found(state.lists, listName);
  if (!known && Object.keys(state.lists).length >= MAX_LISTS)
    return failed(`Nothing was added: there are ${MAX_LISTS} lists already.`);
  const list = known ?? (state.lists[slug(listName)] = { name: listName, items: {} });
  const held = found(list.items, name);
  if (!held && Object.keys(list.items).length >= MAX_ITEMS) return failed(`Nothing was added: ${list.name} is full.`);
  const item = held ?? (list.items[slug(name)] = { name, count: 0, base: 0 });
  change(item, { add: countOf(input) }, context);
  return done(
    `${list.name}: added ${counted(item.name, countOf(input))}${item.count > countOf(input) ? `, now ${item.count}` : ""}.`,
  );
}

function removeItem(state, input, context) {
  const name = thing(input.item ?? input.name);
  const listName = clip(oneLine(input.list), MAX_NAME);
  const lists = listName === "" ? inOrder(state) : [found(state.lists, listName)].filter((list) => list !== undefined);
  const list = lists.find((one) => found(one.items, name)?.count > 0);
  if (list === undefined)
    return failed(`There is no ${name || "such thing"} in ${listName || "any list"}. ${contents(lists)}`);
  const item = found(list.items, name);
  const count = countOf(input);
  if (item.count < count) return failed(`${list.name} has only ${item.count} of ${item.name}; nothing was removed.`);
  change(item, { add: -count }, context);
  return done(`${list.name}: removed ${counted(item.name, count)}${item.count > 0 ? `, ${item.count} left` : ""}.`);
}

function inOrder(state) {
  const { [DEFAULT_LIST]: first, ...others } = state.lists;
  return [first, ...Object.values(others)].filter((list) => list !== undefined);
}

function contents(lists) {
  const shown = lists.map(listLine).filter((line) => line !== null);
  return shown.length > 0
    ? `There is: ${clip(shown.map((line) => line.slice(2)).join("; "), 500)}.`
    : "Nothing is kept there.";
}

function unknown(state, name) {
  const names = Object.values(state.stats).map((stat) => stat.name);
  const kept = names.length > 0 ? `Kept are: ${clip(names.join(", "), 500)}.` : "Nothing is kept yet.";
  return failed(`There is no stat “${clip(oneLine(name), MAX_NAME)}”. ${kept} set_stat makes a new one.`);
}

function done(text) {
  return { ok: true, text };
}

function failed(text) {
  return { ok: false, text };
}

// The command

/** What a line means, as a function of the state; null for a name alone. */
function commanded(word, rest, text) {
  if (word === "add" && rest !== "") return (state, context) => addItem(state, itemIn(rest), context);
  if (word === "drop" && rest !== "") return (state, context) => removeItem(state, itemIn(rest), context);
  if (word === "remove" && rest !== "") return (state) => forget(state, rest);
  const limits = /^(.+?)\s*[=:]?\s+(-?\d+(?:\.\d+)?)\s*\.\.\s*(-?\d+(?:\.\d+)?)$/.exec(text);
  if (limits)
    return (state, context) =>
      setStat(state, { name: limits[1], min: Number(limits[2]), max: Number(limits[3]) }, context);
  const step = /^(.+?)\s+([+-])\s*(\d+(?:\.\d+)?)$/.exec(text);
  if (step)
    return (state, context) => changeStat(state, { name: step[1], amount: Number(`${step[2]}${step[3]}`) }, context);
  const set = /^(.+?)(?:\s*=\s*|\s*:\s+)(.+)$/.exec(text) ?? /^(.+?)\s+(\d+(?:\.\d+)?)$/.exec(text);
  return set ? (state, context) => setStat(state, { name: set[1], text: set[2] }, context) : null;
}

/** "rope", "12 coins", "coin x12", "map to desk", "map from desk". */
function itemIn(text) {
  const [, what, list] = /^(.*?)(?:\s+(?:to|in|into|from)\s+(?:the\s+)?(.+))?$/.exec(text);
  const ahead = /^(\d{1,7})\s*[x×]?\s+(.+)$/.exec(what);
  const behind = /^(.+?)\s+[x×]\s*(\d{1,7})$/.exec(what);
  const item = (ahead?.[2] ?? behind?.[1] ?? what).replace(/^(?:an?|the)\s+/i, "");
  return { item, list, count: Number(ahead?.[1] ?? behind?.[2] ?? 1) };
}

function forget(state, name) {
  const stat = found(state.stats, name);
  const list = found(state.lists, name);
  if (stat === undefined && list === undefined) return unknown(state, name);
  if (stat !== undefined) delete state.stats[keyOf(state.stats, stat)];
  else delete state.lists[keyOf(state.lists, list)];
  return done(`${(stat ?? list).name} is not kept any more.`);
}

function keyOf(records, record) {
  return Object.keys(records).find((key) => records[key] === record);
}

function show(state, name, studio) {
  const wanted = folded(name);
  const lines = linesOf(state).filter((line) => folded(line.split(":")[0]).startsWith(wanted));
  if (lines.length === 0 && wanted !== "") return unknown(state, name).text;
  studio?.log?.(lines.length > 0 ? `State:\n${fitting(lines, MAX_PRELOAD).join("\n")}` : "State: nothing is kept yet.");
  return undefined;
}

// Changes

/** Make a change, remember it so that it can be taken back, and fold old ones into the base. */
function change(one, step, context) {
  const stamp = Number.isInteger(context?.toolCallId) ? { toolCallId: context.toolCallId } : {};
  one.log = [...(one.log ?? []), { ...step, ...stamp }];
  settle(one);
}

/** Work out the value of a stat or the count of an item from its base and its changes. */
function settle(one) {
  const counts = one.count !== undefined;
  const log = one.log ?? [];
  while (log.length > 0 && (log.length > MAX_LOG || log[0].toolCallId === undefined)) {
    one.base = after(one, one.base, log.shift(), counts);
  }
  one.log = log;
  let value = one.base;
  let limits = { min: one.min, max: one.max };
  for (const step of log) {
    limits = { ...limits, ...limitsOf(step) };
    value = stepped(value, step, limits, counts);
  }
  one[counts ? "count" : "value"] = value;
  one.limits = limits;
}

/** The base after a change that can no longer be taken back: its limits become those of the stat. */
function after(one, value, step, counts) {
  Object.assign(one, limitsOf(step));
  return stepped(value, step, { min: one.min, max: one.max }, counts);
}

function stepped(value, step, { min, max }, counts) {
  const next = step.set !== undefined ? step.set : typeof value === "number" ? value + step.add : value;
  if (typeof next !== "number") return next;
  const low = Math.max(counts ? 0 : -MAX_NUMBER, min ?? -MAX_NUMBER);
  return rounded(Math.max(low, Math.min(max ?? MAX_NUMBER, next)));
}

function rounded(value) {
  return Math.round(value * 1e6) / 1e6; // 0.1 + 0.2 is 0.3
}

// Words

function linesOf(state) {
  const stats = Object.values(state.stats).map((stat) => `- ${stat.name}: ${valueOf(stat)}`);
  return [
    ...stats,
    ...inOrder(state)
      .map(listLine)
      .filter((line) => line !== null),
  ];
}

function listLine(list) {
  const items = Object.values(list.items).filter((item) => item.count > 0);
  return items.length > 0 ? `- ${list.name}: ${items.map((item) => counted(item.name, item.count)).join(", ")}` : null;
}

function counted(name, count) {
  return count === 1 ? name : `${name} ×${count}`;
}

function valueOf(stat) {
  if (typeof stat.value !== "number") return `${stat.value}`;
  const { min, max } = stat.limits ?? stat;
  const value = shortNumber(stat.value);
  if (max === undefined) return min === undefined || min === 0 ? value : `${value} (at least ${shortNumber(min)})`;
  return min === undefined || min === 0
    ? `${value} of ${shortNumber(max)}`
    : `${value} (${shortNumber(min)} to ${shortNumber(max)})`;
}

function shortNumber(value) {
  return `${value}`.replace("-", "−");
}

function countOf(input) {
  const count = Math.trunc(Number(input.count));
  return count >= 1 && count <= 1e6 ? count : 1;
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
  return clip(folded(oneLine(text)).replace(/ /g, "_"), MAX_NAME);
}

function fitting(lines, room) {
  let left = room;
  return lines.map((line) => clip(line, room / 2)).filter((text) => (left -= text.length + 1) >= 0);
}

function isNumber(value) {
  return typeof value === "number" && Math.abs(value) <= MAX_NUMBER;
}

/** A record by its name; one in the plural or singular is found as well. */
function found(records, name) {
  const key = slug(name);
  const singular = key.length > 3 ? key.replace(/s$/, "") : key;
  const match = [key, singular, `${key}s`].find((one) => Object.hasOwn(records, one));
  return match === undefined ? undefined : records[match];
}

/** A stat by its name, or by the longest name among the words: "the health stat" is health. */
function statNamed(state, name) {
  const whole = found(state.stats, name);
  if (whole !== undefined) return whole;
  const words = ` ${folded(name)} `;
  const within = Object.values(state.stats).filter((stat) => words.includes(` ${folded(stat.name)} `));
  return within.sort((a, b) => b.name.length - a.name.length)[0];
}

/** A thing without an article, and without the list that another field names or is meant anyway. */
function thing(text) {
  const bare = clip(oneLine(text), MAX_NAME).replace(/^(?:(?:an?|the|my|your|item)\s+)+/i, "");
  return bare.replace(/\s+(?:to|in|into|from|out of)\s+(?:the\s+|my\s+|your\s+)?inventory$/i, "");
}

// Store: whatever its shape, these give good records and change nothing

function stateOf(store) {
  const stats = records(store?.stats, MAX_STATS, cleanStat);
  const lists = records(store?.lists, MAX_LISTS, cleanList);
  return { stats, lists };
}

/** An object of good records by their slugs; `clean` gives null for what is none. */
function records(given, most, clean) {
  const all = Object.create(null);
  for (const [key, value] of entriesOf(given).slice(0, most)) {
    const record = slug(key) === "" ? null : clean(key, value);
    if (record !== null && !Object.hasOwn(all, slug(key))) all[slug(key)] = record;
  }
  return all;
}

/** Pairs of name and value, from an object, or from a list of names or of records that have one. */
function entriesOf(given) {
  if (isRecord(given)) return Object.entries(given);
  const list = Array.isArray(given) ? given : [];
  return list.map((one) => (isRecord(one) ? [oneLine(one.name ?? one.item), one] : [oneLine(one), 1]));
}

function cleanStat(key, given) {
  const raw = isRecord(given) ? given : { value: given };
  const value = isNumber(raw.value) ? raw.value : clip(oneLine(raw.value), MAX_TEXT);
  const log = logOf(raw);
  if (value === "" && log.length === 0) return null;
  const stat = { ...raw, name: nameOf(raw, key), value, base: log.length > 0 ? baseOf(raw.base) : value, log };
  for (const limit of ["min", "max"]) if (!isNumber(stat[limit])) delete stat[limit];
  settle(stat);
  return stat.value === null ? null : stat;
}

function cleanList(key, given) {
  const raw = isRecord(given) && isRecord(given.items ?? null) ? given : { items: given?.items ?? given };
  if (raw.items === null || typeof raw.items !== "object") return null;
  return { ...raw, name: nameOf(raw, key), items: records(raw.items, MAX_ITEMS, cleanItem) };
}

function cleanItem(key, given) {
  const raw = isRecord(given) ? given : { count: given };
  const count = isNumber(raw.count) ? Math.max(0, Math.trunc(raw.count)) : 1;
  const log = logOf(raw);
  const base = log.length > 0 ? Math.max(0, Number(raw.base) || 0) : count;
  const item = { ...raw, name: nameOf(raw, key), count, base, log };
  settle(item);
  return item.count === 0 && item.log.length === 0 ? null : item;
}

function nameOf(raw, key) {
  return clip(oneLine(raw.name ?? raw.item) || oneLine(key), MAX_NAME);
}

function baseOf(base) {
  return isNumber(base) ? base : clip(oneLine(base), MAX_TEXT) || null;
}

function logOf(raw) {
  const log = Array.isArray(raw.log) ? raw.log.filter(isRecord) : [];
  return log
    .filter((step) => isNumber(step.add) || isNumber(step.set) || typeof step.set === "string")
    .map((step) => ({ ...step }));
}

function isRecord(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function everyRecord(state) {
  return [...Object.values(state.stats), ...Object.values(state.lists).flatMap((list) => Object.values(list.items))];
}

/** Write the state back, short: nothing that follows from the rest, and nothing that is empty. */
function keep(store, state) {
  store.stats = plain(state.stats, trimmed);
  store.lists = plain(state.lists, (list) => ({ ...list, items: plain(list.items, trimmed) }));
}

function plain(given, each) {
  return Object.fromEntries(
    Object.entries(given)
      .map(([key, one]) => [key, each(one)])
      .filter(([, one]) => one !== null),
  );
}

function trimmed({ limits, base, log, ...one }) {
  const empty = one.value === null || one.count === 0;
  if (log.length > 0) return { ...one, base, log };
  return empty ? null : one;
}
