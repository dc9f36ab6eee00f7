/**
 * @agent keeper.lantern-log
 * @version 1.0.0
 * @description The lamp, the weather and tonight's log at Graypoint. Oil burns and the clock moves on with every answer.
 *
 * @tool write_log
 * @tool-description Write an entry in tonight's logbook of the light. Call this whenever something happens that a keeper writes down: a ship, a visitor, a signal, a change of wind, a thing said that must stand in writing; and when the visitor asks you to write or note something in the log.
 * @tool-params {"type":"object","properties":{"text":{"type":"string","description":"The entry, in the keeper's dry words: one or two short sentences."},"hour":{"type":"string","description":"The hour as HH:MM, only when the story has moved on; it sets the clock of the night forward."}},"required":["text"]}
 *
 * @tool read_log
 * @tool-description Read tonight's entries in the logbook of the light. Call this when someone asks what stands in tonight's log or what has happened since dusk.
 * @tool-params {"type":"object","properties":{"query":{"type":"string","description":"Only entries with this word. Leave it out for the latest entries."},"limit":{"type":"integer","minimum":1,"maximum":40,"description":"The most entries to return. 12 if absent."}}}
 *
 * @tool tend_lamp
 * @tool-description Tend the lamp: trim or turn the wick up or down, fill in oil, or see how the light burns. Call this whenever anyone touches the lamp, lights it, puts it out, fills it, or asks about its flame or oil.
 * @tool-params {"type":"object","properties":{"wick":{"type":"integer","minimum":0,"maximum":10,"description":"The new height of the wick: 0 puts the lamp out, 3 saves oil, 6 is the light on the charts, above 8 it smokes. Leave it out to keep it."},"oil":{"type":"integer","minimum":1,"maximum":100,"description":"How many parts of the hundred of oil to fill in."}}}
 *
 * @tool watch_sea
 * @tool-description Look out from the gallery at the weather and the sea. Call this before you describe weather, wind, fog, rain or waves, and when someone asks what can be seen or heard outside.
 * @tool-params {"type":"object","properties":{}}
 *
 * @command @log logCommand
 *
 * @preload true
 * @lib weighted-choice
 * @hook conversationStart
 * @hook beforeResponse
 * @hook afterResponse
 * @hook afterUserEdit
 */

// Store: { lamp: { wick, oil }, clock: "HH:MM", weather: { sky, wind },
//          entries: [{ id, hour, text, moved?, toolCallId? }], nextId,
//          tended: [{ wick, oil, toolCallId }], last: { minutes, burned, weather } }.
// `oil` is in parts of the hundred; `moved` are the minutes that an entry set the clock forward.
// `tended` and `last` let a removed call and a response that is asked for again be taken back.

const MAX_ENTRIES = 400;
const MAX_TEXT = 600; // characters of an entry
const MAX_TENDED = 40;
const DAY = 24 * 60;
const BURN = 0.02; // parts of the hundred a minute, for each mark of the wick
const NEXT_SHIFT = 18 * 60; // the furthest that one entry sets the clock forward, in minutes

// Minutes that pass with one answer.
const PACE = [
  { weight: 3, value: 4 },
  { weight: 5, value: 7 },
  { weight: 2, value: 12 },
];

// What may follow each sky: weather comes from somewhere and goes somewhere.
const SKIES = {
  "driving rain": [
    { weight: 6, value: "driving rain" },
    { weight: 3, value: "thick rain and squalls" },
    { weight: 3, value: "a clearing, with stars to the north" },
  ],
  "thick rain and squalls": [
    { weight: 4, value: "thick rain and squalls" },
    { weight: 4, value: "driving rain" },
    { weight: 1, value: "a gale, and spray as high as the gallery" },
  ],
  "a gale, and spray as high as the gallery": [
    { weight: 3, value: "a gale, and spray as high as the gallery" },
    { weight: 4, value: "thick rain and squalls" },
  ],
  "a clearing, with stars to the north": [
    { weight: 5, value: "a clearing, with stars to the north" },
    { weight: 3, value: "haze, and the Skerry gone from sight" },
    { weight: 2, value: "driving rain" },
  ],
  "haze, and the Skerry gone from sight": [
    { weight: 3, value: "haze, and the Skerry gone from sight" },
    { weight: 3, value: "fog, standing on the water like a wall" },
    { weight: 3, value: "a clearing, with stars to the north" },
  ],
  "fog, standing on the water like a wall": [
    { weight: 5, value: "fog, standing on the water like a wall" },
    { weight: 3, value: "haze, and the Skerry gone from sight" },
  ],
};

const WINDS = {
  "driving rain": ["south-west 6", "west-south-west 6", "south-west 5"],
  "thick rain and squalls": ["south-west 7", "west 7"],
  "a gale, and spray as high as the gallery": ["west-south-west 9", "west 8"],
  "a clearing, with stars to the north": ["north-west 4", "west 4"],
  "haze, and the Skerry gone from sight": ["south-west 2", "south 2"],
  "fog, standing on the water like a wall": ["no wind at all", "south 1"],
};

// What a look from the gallery finds beside the weather.
const SIGHTS = [
  { weight: 6, value: "Nothing moves out there but the water." },
  { weight: 3, value: "A steamer's masthead light far out, bound north, keeping well clear." },
  { weight: 3, value: "The lamp of the pilot's lookout below, and a large shadow going to and fro in front of it." },
  { weight: 2, value: "Gannets asleep on the rail, all facing the same way." },
  { weight: 2, value: "One window still lit at the Heron." },
  { weight: 2, value: "The Teeth are showing: six of them. The fourth is always the last." },
  { weight: 1, value: "A plank with a painted letter on it, going round below the gallery. An A, or half of an R." },
  { weight: 1, value: "For the space of one turn of the lens, a light low down on the Skerry. Then not." },
];

// The player's calls

export function onLoad(store) {
  const { lamp, clock, weather, entries } = read(store);
  const latest = entries.slice(-5).map(entryLine);
  return [
    "## The light at Graypoint, as it is now",
    `The clock says ${clock}. ${lampLine(lamp)}`,
    weather ? `Outside: ${weatherLine(weather)}` : null,
    latest.length > 0 ? `Latest in tonight's log:\n${latest.join("\n")}` : null,
  ].filter((text) => text !== null).join("\n");
}

export function onToolCall(toolName, args, store, studio, context) {
  const input = args !== null && typeof args === "object" ? args : {};
  tidy(store);
  switch (toolName) {
    case "write_log":
      return writeLog(input, store, studio, context).text;
    case "read_log":
      return readLog(input, store);
    case "tend_lamp":
      return tendLamp(input, store, studio, context).text;
    case "watch_sea":
      return watchSea(store);
    default:
      return `[Unknown tool: ${toolName}]`;
  }
}

/** `@log wick 4`, `@log oil +20`, `@log The bell buoy is silent.` */
export function logCommand(args, store, studio, context) {
  const text = typeof args === "string" ? args.trim() : "";
  if (text === "") return "Write wick and a mark from 0 to 10, oil and a number, or the text of an entry.";
  const [, word, rest] = /^(\S+)\s*([\s\S]*)$/.exec(text);
  tidy(store);
  let done;
  if (word === "wick") done = tendLamp({ wick: rest }, store, studio, context);
  else if (word === "oil") done = tendLamp({ oil: rest.replace(/^\+/, "") }, store, studio, context);
  else done = writeLog({ text }, store, studio, context);
  if (!done.ok) return done.text;
  studio?.toast?.(done.text);
}

/** Each conversation has its own weather, unless the default state says what it is. */
export function onConversationStart(event, store) {
  tidy(store);
  store.weather ??= firstWeather();
}

/** A message that is answered again is answered at the same hour as before. */
export function onBeforeResponse(event, store) {
  if (event?.regenerate !== true || !isObject(store.last)) return;
  tidy(store);
  const { minutes, burned, weather } = store.last;
  store.clock = later(store.clock, -amount(minutes, 0, DAY));
  store.lamp.oil = parts(store.lamp.oil + amount(burned, 0, 100));
  if (isWeather(weather)) store.weather = weather;
  delete store.last;
}

/** Time passes: the clock moves on, the lamp burns oil, the weather may turn. */
export function onAfterResponse(event, store, studio) {
  tidy(store);
  const minutes = draw(PACE) ?? 7;
  const burned = Math.min(store.lamp.oil, minutes * store.lamp.wick * BURN);
  const lit = isLit(store.lamp);
  store.last = { minutes, burned, weather: store.weather ?? null };
  store.clock = later(store.clock, minutes);
  store.lamp.oil = parts(store.lamp.oil - burned);
  store.weather = Math.random() < 0.3 ? nextWeather(store.weather) : store.weather ?? firstWeather();
  if (!lit || isLit(store.lamp)) return;
  studio?.toast?.("The lamp has burned dry. The light is out.");
  studio?.log?.(`Log ${store.clock}: the lamp burned dry. Light out.`);
}

/** What the removed calls wrote and turned is taken back. */
export function onAfterUserEdit(event, store) {
  const gone = new Set(Array.isArray(event?.deletedToolCallIds) ? event.deletedToolCallIds : []);
  tidy(store);
  const removed = store.entries.filter((entry) => gone.has(entry.toolCallId));
  const minutes = removed.reduce((sum, entry) => sum + amount(entry.moved, 0, DAY), 0);
  store.entries = store.entries.filter((entry) => !gone.has(entry.toolCallId));
  store.clock = later(store.clock, -minutes);
  untend(store, gone);
}

/** Oil goes back out; the wick goes back only where nobody has turned it since. */
function untend(store, gone) {
  for (const turn of [...store.tended].reverse()) {
    if (turn.wick === null) continue;
    if (!gone.has(turn.toolCallId)) break;
    store.lamp.wick = turn.wick;
  }
  const removed = store.tended.filter((turn) => gone.has(turn.toolCallId));
  store.lamp.oil = parts(store.lamp.oil - removed.reduce((sum, turn) => sum + turn.oil, 0));
  store.tended = store.tended.filter((turn) => !gone.has(turn.toolCallId));
}

// The lamp

function tendLamp(input, store, studio, context) {
  const wick = figure(input.wick);
  const oil = figure(input.oil);
  if (wick !== null && !(wick >= 0 && wick <= 10)) {
    return { ok: false, text: "The wick goes from 0 to 10, in figures. For example @log wick 4" };
  }
  if (oil !== null && !(oil >= 1 && oil <= 100)) {
    return { ok: false, text: "Oil is filled in as a number from 1 to 100, in figures. For example @log oil +20" };
  }
  if (wick === null && oil === null) return { ok: true, text: `${store.clock}. ${lampLine(store.lamp)}` };
  const before = { ...store.lamp };
  if (wick !== null) store.lamp.wick = wick;
  if (oil !== null) store.lamp.oil = parts(before.oil + oil);
  noteTurn(store, { wick: wick === null ? null : before.wick, oil: store.lamp.oil - before.oil }, context);
  const full = before.oil + (oil ?? 0) > 100 ? " The tank is full; the rest stayed in the can." : "";
  studio?.log?.(`Log ${store.clock}: ${lampLine(store.lamp)}`);
  return { ok: true, text: `${lampLine(store.lamp)}${full}` };
}

/** A turn by command is noted as well, so that a removed call does not undo it. */
function noteTurn(store, turn, context) {
  const id = context?.toolCallId;
  store.tended = [...store.tended, { ...turn, toolCallId: Number.isInteger(id) ? id : 0 }].slice(-MAX_TENDED);
}

function isLit(lamp) {
  return lamp.wick > 0 && lamp.oil > 0;
}

function lampLine(lamp) {
  const state = `Wick ${lamp.wick}, oil ${Math.round(lamp.oil)} of 100`;
  if (lamp.oil <= 0) return `${state}: the tank is dry and the light is OUT.`;
  if (lamp.wick === 0) return `${state}: the light is OUT.`;
  if (lamp.wick <= 3) return `${state}: a low light, four miles.`;
  if (lamp.wick <= 5) return `${state}: a fair light, eight miles.`;
  if (lamp.wick <= 8) return `${state}: a clear light, eleven miles.`;
  return `${state}: it smokes, and the glass is going brown.`;
}

// The log

function writeLog(input, store, studio, context) {
  const text = oneLine(input.text ?? input.entry).slice(0, MAX_TEXT);
  if (text === "") return { ok: false, text: "Nothing was written: the entry has no text." };
  if (store.entries.length >= MAX_ENTRIES) return { ok: false, text: "The book is full: no more entries tonight." };
  const moved = minutesTo(store.clock, input.hour);
  store.clock = later(store.clock, moved);
  const entry = { id: store.nextId++, hour: store.clock, text };
  if (moved > 0) entry.moved = moved;
  if (Number.isInteger(context?.toolCallId)) entry.toolCallId = context.toolCallId;
  store.entries.push(entry);
  studio?.log?.(`Log ${entry.hour}: ${text}`);
  return { ok: true, text: `Written at ${entry.hour}: ${text}` };
}

function readLog(input, store) {
  const word = oneLine(input.query).toLowerCase();
  const limit = Math.min(40, Math.max(1, Math.trunc(Number(input.limit)) || 12));
  if (store.entries.length === 0) return "Nothing has been written tonight.";
  const found = store.entries.filter((entry) => entry.text.toLowerCase().includes(word));
  const shown = (found.length > 0 ? found : store.entries).slice(-limit).map(entryLine).join("\n");
  return found.length > 0 ? shown : `No entry has “${word.slice(0, 80)}”. The latest are:\n${shown}`;
}

function entryLine(entry) {
  return `- ${entry.hour} ${entry.text}`;
}

// The sea

function watchSea(store) {
  store.weather ??= firstWeather();
  return `${store.clock}. ${weatherLine(store.weather)} ${draw(SIGHTS) ?? "Nothing moves out there but the water."}`;
}

function firstWeather() {
  return nextWeather({ sky: "driving rain", wind: "" });
}

function nextWeather(weather) {
  const sky = draw(SKIES[weather?.sky] ?? SKIES["driving rain"]) ?? "driving rain";
  const winds = WINDS[sky];
  return { sky, wind: winds[Math.floor(Math.random() * winds.length)] };
}

function weatherLine(weather) {
  const wind = weather.wind === "" ? "" : ` Wind ${weather.wind.replace(/^no wind at all$/, "none at all")}.`;
  return `${weather.sky}.${wind}`.replace(/^./, (letter) => letter.toUpperCase());
}

/** One value of the table; undefined in a player that loads no libraries. */
function draw(table) {
  return globalThis.weightedChoice?.pick(table);
}

// Hours and figures

function minutesOf(hour) {
  const match = /^\s*(\d{1,2})[:.](\d{2})\s*$/.exec(typeof hour === "string" ? hour : "");
  const minutes = match ? Number(match[1]) * 60 + Number(match[2]) : NaN;
  return minutes < DAY && Number(match[2]) < 60 ? minutes : null;
}

function later(clock, minutes) {
  const at = ((minutesOf(clock) + Math.round(minutes)) % DAY + DAY) % DAY;
  return `${String(Math.floor(at / 60)).padStart(2, "0")}:${String(at % 60).padStart(2, "0")}`;
}

/** Minutes from the clock to a later hour of this night; 0 for an hour that is missing or past. */
function minutesTo(clock, hour) {
  const target = minutesOf(hour);
  if (target === null) return 0;
  const minutes = (target - minutesOf(clock) + DAY) % DAY;
  return minutes <= NEXT_SHIFT ? minutes : 0;
}

/** A whole number, NaN for anything else, null where nothing is given. */
function figure(value) {
  if (value === undefined || value === null) return null;
  const text = `${value}`.trim();
  return /^-?\d{1,6}$/.test(text) ? Number(text) : NaN;
}

function amount(value, low, high) {
  return Number.isFinite(value) ? Math.min(high, Math.max(low, value)) : low;
}

function parts(oil) {
  return Math.round(amount(oil, 0, 100) * 100) / 100;
}

function oneLine(value) {
  return typeof value === "string" || typeof value === "number" ? `${value}`.replace(/\s+/g, " ").trim() : "";
}

// Store: good values, whatever is in it

function isObject(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function isWeather(value) {
  return isObject(value) && typeof value.sky === "string" && value.sky !== "" && typeof value.wind === "string";
}

function isTurn(value) {
  const whole = isObject(value) && Number.isInteger(value.toolCallId) && Number.isFinite(value.oil);
  return whole && (value.wick === null || (value.wick >= 0 && value.wick <= 10));
}

function read(store) {
  const lamp = isObject(store?.lamp) ? store.lamp : {};
  const wick = Number.isFinite(lamp.wick) ? Math.round(amount(lamp.wick, 0, 10)) : 6;
  const oil = Number.isFinite(lamp.oil) ? parts(lamp.oil) : 80;
  const list = Array.isArray(store?.entries) ? store.entries : [];
  const entries = list.filter((entry) => isObject(entry) && typeof entry.text === "string" && entry.text !== "");
  return {
    lamp: { wick, oil },
    clock: minutesOf(store?.clock) === null ? "17:12" : store.clock,
    weather: isWeather(store?.weather) ? store.weather : null,
    entries: entries.map((entry, index) => ({
      ...entry,
      id: Number.isInteger(entry.id) ? entry.id : index + 1,
      hour: minutesOf(entry.hour) === null ? "--:--" : entry.hour,
    })),
  };
}

function tidy(store) {
  const { weather, ...good } = read(store);
  Object.assign(store, good);
  if (weather === null) delete store.weather;
  store.tended = (Array.isArray(store.tended) ? store.tended : []).filter(isTurn);
  const highest = Math.max(0, ...store.entries.map((entry) => entry.id));
  store.nextId = Math.max(highest + 1, Number.isInteger(store.nextId) ? store.nextId : 1);
}
