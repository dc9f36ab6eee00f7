/**
 * @agent studio.event-scheduler
 * @version 1.0.0
 * @description The story's clock and calendar: what time it is, and things that come due. The user has the commands time and schedule.
 *
 * @tool get_time
 * @tool-description Look at the clock of the story and at everything that is planned. Call this before you say what time or day it is, how long something is still away, or what is going to happen.
 *
 * @tool advance_time
 * @tool-description Let time pass in the story. Call this whenever a scene takes time: a walk, a meal, a night's sleep, waiting. It answers with what has come due meanwhile; play that out.
 * @tool-params {"type":"object","properties":{"time":{"type":"string","description":"How long, such as 20 minutes, 2 hours, 3 days; or until when, such as 18:30, tomorrow 8:00, dawn, day 4."}},"required":["time"]}
 *
 * @tool set_time
 * @tool-description Set the clock of the story to an exact time, also to an earlier one. Call this once when the story begins, or to put the clock right; call advance_time when time passes.
 * @tool-params {"type":"object","properties":{"time":{"type":"string","description":"The time, such as 17:30, day 2 8:00, or with a date: 1911-11-09 17:30."}},"required":["time"]}
 *
 * @tool schedule_event
 * @tool-description Plan something that is going to happen at a certain time of the story. Call this at once, without being asked, for every appointment, deadline, promise, delivery, reminder, and for whatever takes its time: a potion that brews, a storm that comes, a letter on its way.
 * @tool-params {"type":"object","properties":{"event":{"type":"string","description":"What is going to happen, as one sentence that can be understood later."},"when":{"type":"string","description":"When: in 30 minutes, in 2 days at 18:00, 19:30, tomorrow morning, day 4 8:00, 1911-11-30."},"every":{"type":"string","description":"How long until it happens again, and again, such as 6 hours or 1 day. Once only if absent."}},"required":["event","when"]}
 *
 * @tool cancel_event
 * @tool-description Tick off a due event when it has been played out, or cancel a planned one that is not going to happen.
 * @tool-params {"type":"object","properties":{"event":{"type":"string","description":"Its number, or words of it."}},"required":["event"]}
 *
 * @command @time timeCommand
 * @command @schedule scheduleCommand
 *
 * @preload true
 * @hook beforeResponse
 * @hook afterResponse
 * @hook afterUserEdit
 */

// Store: { now, date?, events, due, nextId, pace?, auto?, moves?, cancelled? }. `now` and each `at` are
// minutes since the beginning of day 1, `every` is minutes; `date` is the calendar date of day 1, where there is one.
// Events: { id, text, at, every?, toolCallId? }; one is in `due` as soon as `at` is not after `now`,
// and goes back to `events` when time does. `moves` (what calls of the model did to the clock) and
// `cancelled` let onAfterUserEdit take a call back; `auto` is what the latest response took.
// Times may be written in words by hand: { "now": "1911-11-09 17:12", "events": [{ "text": …, "when": … }] }.

const MAX_EVENTS = 200;
const MAX_DUE = 30;
const MAX_TEXT = 300;
const MAX_MOVES = 50;
const MAX_CANCELLED = 20;
const MAX_SHOWN = 60; // events in a list
const SOON = 24 * 60;
const SHOWN_SOON = 10;
const SHOWN_RESPONSES = 4; // that a due event stays without being ticked off
const FARTHEST = 400 * 366 * 24 * 60; // minutes
const DAY = 24 * 60;
const MORNING = 8 * 60;
const EVERY = [5, 366 * DAY]; // the least and the most
const OFTEN = { hourly: 60, daily: DAY, weekly: 7 * DAY };
const WEEKDAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const NUMBERS = {
  one: 1,
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  fifteen: 15,
  twenty: 20,
  thirty: 30,
  forty: 40,
  fifty: 50,
  sixty: 60,
  ninety: 90,
};
const UNITS = { m: 1, h: 60, d: DAY, w: 7 * DAY, mo: 30 * DAY };
const HOURS = {
  dawn: 6,
  sunrise: 6,
  morning: 8,
  noon: 12,
  midday: 12,
  afternoon: 15,
  dusk: 18,
  sunset: 18,
  evening: 19,
  tonight: 20,
  night: 21,
  midnight: 24,
};
const SMALL_WORDS = new Set("a an at by event for from in is of on plan planned the to with".split(" "));
const EXAMPLES = "Write it like 30 minutes, 2 hours, 18:30, tomorrow 8:00 or day 4 8:00.";

export function onLoad(store) {
  const state = stateOf(store);
  if (state.now === null && state.events.length === 0 && state.due.length === 0) return null;
  const soon = state.events.filter((event) => event.at <= clock(state) + SOON);
  const later = state.events.length - Math.min(soon.length, SHOWN_SOON);
  return [
    "## Story time",
    `It is ${spell(state, clock(state))}.`,
    ...section(
      "Due now, to be played out and ticked off:",
      state.due.slice(-SHOWN_SOON).map((event) => dueLine(state, event)),
    ),
    ...section(
      "Soon:",
      soon.slice(0, SHOWN_SOON).map((event) => line(state, event)),
    ),
    ...(later > 0 ? [`(${later} more planned: get_time shows them)`] : []),
  ].join("\n");
}

export function onToolCall(toolName, args, store, studio, context) {
  const input = args !== null && typeof args === "object" ? args : {};
  if (toolName === "get_time") return overview(stateOf(store));
  const does = { advance_time: advance, set_time: setTime, schedule_event: schedule, cancel_event: cancel }[toolName];
  if (does === undefined) return `[Unknown tool: ${toolName}]`;
  return performed(store, studio, (state) => does(state, input, context)).text;
}

/** `@time`, `@time 18:30`, `@time day 2 8:00`, `@time +2 hours`, `@time pace 5`. */
export function timeCommand(args, store, studio, context) {
  const text = oneLine(args);
  if (text === "") return shown(store, studio);
  const pace = /^pace\s+(\d{1,6})(?:\s*min\w*)?$/i.exec(text);
  const ahead = /^\+\s*(.+)$/.exec(text);
  return commanded(store, studio, (state) => {
    if (pace) return setPace(state, Number(pace[1]));
    return ahead ? advance(state, { time: ahead[1] }, context) : setTime(state, { time: text }, context);
  });
}

/** `@schedule`, `@schedule WHEN: WHAT`, `@schedule cancel NUMBER`. */
export function scheduleCommand(args, store, studio, context) {
  const text = oneLine(args);
  if (text === "" || text === "list") return shown(store, studio);
  const gone = /^(?:cancel|done)\s+(.+)$/i.exec(text);
  const plan = /^(.+?)(?::\s+|\s+=\s+|,\s+)(.+)$/.exec(text);
  if (!gone && !plan) return "Say when and what, as in: in 2 hours: the ferry comes. Or: cancel 3.";
  return commanded(store, studio, (state) =>
    gone ? cancel(state, { event: gone[1] }, context) : schedule(state, { when: plan[1], event: plan[2] }, context),
  );
}

/** When the response is asked for again, what it took of the story's time is given back. */
export function onBeforeResponse(event, store) {
  if (event?.regenerate !== true || !(store?.auto > 0)) return;
  const state = stateOf(store);
  state.now = clock(state) - state.auto;
  keep(store, { ...state, auto: 0 });
}

/** A response takes some minutes, where the character or the user wants that; due events age. */
export function onAfterResponse(event, store, studio, context) {
  const state = stateOf(store);
  const pace = paceOf(state, context);
  if (pace === 0 && state.due.length === 0 && !(state.auto > 0)) return;
  const before = new Set(state.due.map((one) => one.id));
  state.due = state.due
    .map((one) => ({ ...one, shown: (one.shown ?? 0) + 1 }))
    .filter((one) => one.shown < SHOWN_RESPONSES);
  state.auto = event?.stopped === true ? 0 : pace;
  if (state.auto > 0) state.now = Math.min(FARTHEST, clock(state) + state.auto);
  keep(store, state);
  const fresh = stateOf(store).due.filter((one) => !before.has(one.id));
  if (fresh.length > 0) studio?.log?.(`Due: ${fresh.map((one) => one.text).join("; ")}`);
}

/** Takes back what the removed calls did to the plans and to the clock. */
export function onAfterUserEdit(event, store, studio) {
  const gone = new Set(Array.isArray(event?.deletedToolCallIds) ? event.deletedToolCallIds : []);
  const state = stateOf(store);
  const before = { ...state };
  const stays = (one) => !gone.has(one.toolCallId);
  const back = state.cancelled.filter((one) => !stays(one)).map((one) => one.event);
  turnBack(
    state,
    state.moves.filter((one) => !stays(one)),
  );
  state.moves = state.moves.filter(stays);
  state.events = [...state.events, ...back].filter(stays);
  state.due = state.due.filter(stays);
  state.cancelled = state.cancelled.filter((one) => stays(one) && stays(one.event));
  const after = reckoned(state);
  const differs = (...keys) => keys.some((key) => JSON.stringify(after[key]) !== JSON.stringify(before[key]));
  if (!differs("now", "events", "due", "moves", "cancelled")) return;
  keep(store, after);
  if (!differs("now", "events", "due")) return;
  studio?.log?.("Time: went back to what it was before the calls that were removed.");
}

/** The clock without these moves; one that had never been set before them is as if never set. */
function turnBack(state, moves) {
  if (moves.length === 0 || state.now === null) return;
  state.now = moves.reduce((now, one) => now - one.by, state.now);
  const dated = moves.find((one) => one.date !== undefined);
  if (dated?.date === "") delete state.date;
  else if (dated) state.date = dated.date;
  if (moves.some((one) => one.first === true) && moves.length === state.moves.length) state.now = null;
}

// What the tools do; each gives { ok, text }

/** Do it on the cleaned state; what was done is kept and told. */
function performed(store, studio, does) {
  const state = stateOf(store);
  const result = does(state);
  if (!result.ok) return result;
  keep(store, state);
  studio?.log?.(result.text.split("\nNext: ")[0]);
  return result;
}

function commanded(store, studio, does) {
  const result = performed(store, studio, does);
  if (!result.ok) return result.text;
  studio?.toast?.(result.text.split("\n")[0]);
  return undefined;
}

function advance(state, input, context) {
  const given = oneLine(input.time ?? input.amount ?? input.minutes);
  const text = /^\d+(\.\d+)?$/.test(given) ? `${given} minutes` : given;
  const target = timeIn(text, state, "ahead");
  if (target.problem) return failed(`The clock was not moved: ${target.problem}`);
  if (target.at < clock(state))
    return failed("The clock was not moved: that is earlier than now. set_time can turn it back.");
  return moved(state, target.at, context, `${between(target.at - clock(state))} later`);
}

function setTime(state, input, context) {
  const target = timeIn(oneLine(input.time), state, "set");
  if (target.problem) return failed(`The clock was not set: ${target.problem}`);
  const before = state.date ?? "";
  if (target.date !== undefined) state.date = target.date;
  return moved(state, target.at, context, "", target.date === undefined ? {} : { date: before });
}

function moved(state, at, context, how, more = {}) {
  if (Math.abs(at) > FARTHEST || (at < 0 && state.date === undefined))
    return failed("The clock was not moved: that is too far away.");
  const before = new Set(state.due.map((event) => event.id));
  note(state, { by: at - clock(state), ...(state.now === null ? { first: true } : {}), ...more }, context);
  state.now = at;
  Object.assign(state, reckoned({ ...state, auto: 0 }));
  const fresh = state.due.filter((event) => !before.has(event.id));
  const next = state.events[0] === undefined ? "" : `\nNext: ${line(state, state.events[0]).slice(2)}`;
  const due = fresh.length > 0 ? `\nNow due: ${fresh.map((event) => `#${event.id} ${event.text}`).join("; ")}` : "";
  return done(`It is now ${spell(state, at)}${how ? `, ${how}` : ""}.${clip(due, 1500)}${next}`);
}

/** What calls of the model did to the clock; turns of the user by command are not taken back. */
function note(state, move, context) {
  if (Number.isInteger(context?.toolCallId)) {
    state.moves = [...state.moves, { ...move, toolCallId: context.toolCallId }].slice(-MAX_MOVES);
  }
}

function schedule(state, input, context) {
  const text = clip(oneLine(input.event ?? input.text ?? input.name), MAX_TEXT);
  if (text === "") return failed("Nothing was planned: event must say what is going to happen.");
  if (state.events.length >= MAX_EVENTS)
    return failed(`Nothing was planned: there are ${MAX_EVENTS} events already. Cancel some.`);
  const target = timeIn(oneLine(input.when ?? input.at), state, "ahead");
  if (target.problem) return failed(`Nothing was planned: ${target.problem}`);
  if (target.at < clock(state))
    return failed(
      `Nothing was planned: ${spell(state, target.at)} is past already. It is ${spell(state, clock(state))}.`,
    );
  if (target.at > FARTHEST) return failed("Nothing was planned: that is too far away.");
  const every = everyIn(input.every ?? input.repeat);
  const stamp = Number.isInteger(context?.toolCallId) ? { toolCallId: context.toolCallId } : {};
  const event = { id: state.nextId++, text, at: target.at, ...(every === null ? {} : { every }), ...stamp };
  state.events.push(event);
  Object.assign(state, reckoned(state));
  return done(`Planned: ${line(state, event).slice(2)}`);
}

function cancel(state, input, context) {
  const wanted = oneLine(input.event ?? input.id);
  const number = /^#?(\d+)$/.exec(wanted)?.[1];
  const words = folded(wanted)
    .split(" ")
    .filter((word) => word !== "" && !SMALL_WORDS.has(word));
  const named = (event) => words.length > 0 && words.every((word) => ` ${folded(event.text)}`.includes(` ${word}`));
  const all = [...state.due, ...state.events];
  const byNumber = number === undefined ? [] : all.filter((event) => event.id === Number(number));
  const found = byNumber.length > 0 ? byNumber : all.filter(named);
  if (found.length === 0)
    return failed(`No event has the number or the words “${clip(wanted, 80)}”. ${planned(state)}`);
  if (new Set(found.map((event) => event.id)).size > 1) {
    return failed(
      `Say the number, for several fit: ${clip(found.map((event) => `#${event.id} ${event.text}`).join("; "), 1000)}`,
    );
  }
  const [event] = found;
  const wasDue = state.due.includes(event);
  state.due = state.due.filter((one) => one !== event);
  state.events = state.events.filter((one) => one !== event);
  if (Number.isInteger(context?.toolCallId)) {
    state.cancelled = [...state.cancelled, { event, toolCallId: context.toolCallId }].slice(-MAX_CANCELLED);
  }
  return done(`${wasDue ? "Ticked off" : "Cancelled"}: #${event.id} ${event.text}`);
}

function setPace(state, minutes) {
  state.pace = Math.min(DAY, minutes);
  return done(state.pace > 0 ? `Every response takes ${between(state.pace)}.` : "Responses take no time of their own.");
}

function paceOf(state, context) {
  const given = state.pace ?? Number(context?.config?.minutesPerResponse);
  return given > 0 ? Math.min(DAY, Math.round(given)) : 0;
}

function done(text) {
  return { ok: true, text };
}

function failed(text) {
  return { ok: false, text };
}

// Showing

function overview(state) {
  const due = state.due.map((event) => dueLine(state, event));
  const coming = state.events.slice(0, MAX_SHOWN).map((event) => line(state, event));
  const more = state.events.length > MAX_SHOWN ? [`(${state.events.length - MAX_SHOWN} more, later)`] : [];
  const parts = [...section("Due now:", due), ...section("Planned:", [...coming, ...more])];
  return [`It is ${spell(state, clock(state))}.`, ...(parts.length > 0 ? parts : ["Nothing is planned."])].join("\n");
}

function shown(store, studio) {
  studio?.log?.(overview(stateOf(store)));
  return undefined;
}

function planned(state) {
  return state.due.length + state.events.length > 0 ? "get_time shows what is planned." : "Nothing is planned.";
}

function section(title, lines) {
  return lines.length > 0 ? [title, ...lines] : [];
}

function line(state, event) {
  const repeat = event.every ? `, every ${between(event.every).replace(/^1 (?=day$|h$)/, "")}` : "";
  return `- #${event.id} ${event.text} (${spell(state, event.at)}, in ${between(event.at - clock(state))}${repeat})`;
}

function dueLine(state, event) {
  const since = clock(state) - event.at;
  return `- #${event.id} ${event.text} (${since === 0 ? "just now" : `${between(since)} ago`})`;
}

function spell(state, at) {
  const minute = at - dayOf(at) * DAY;
  const hour = `${Math.floor(minute / 60)}`.padStart(2, "0");
  return `${spellDay(state, dayOf(at))}, ${hour}:${`${Math.floor(minute % 60)}`.padStart(2, "0")}`;
}

function spellDay(state, day) {
  if (state.date === undefined) return `day ${day + 1}`;
  const date = new Date((epochDay(state.date) + day) * 86400000);
  return `${WEEKDAYS[date.getUTCDay()]} ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

function between(minutes) {
  const days = Math.floor(minutes / DAY);
  const hours = Math.floor((minutes % DAY) / 60);
  const rest = Math.round(minutes % 60);
  const parts = [
    days > 0 ? `${days} ${days === 1 ? "day" : "days"}` : "",
    hours > 0 ? `${hours} h` : "",
    rest > 0 ? `${rest} min` : "",
  ];
  return (
    parts
      .filter((part) => part !== "")
      .slice(0, 2)
      .join(" ") || "0 min"
  );
}

// Reading times

/**
 * { at } or { problem }; with "set" also { date }, the calendar date of day 1. "ahead" takes a bare
 * time of day as the next one, "set" as that of today.
 */
function timeIn(given, state, mode) {
  const text = plainNumbers(given.slice(0, 200).toLowerCase());
  const now = clock(state);
  if (/^\s*(?:right )?now\s*$/.test(text)) return { at: now };
  const length = lengthIn(text);
  if (length !== null) return lengthFrom(text, length, now);
  const calendar = calendarIn(text, state, mode);
  if (calendar.found && calendar.day === null)
    return { problem: `“${clip(given, 80)}” is no whole date. Write it like 1911-11-09.` };
  if (calendar.found) return onDate(calendar, state, mode);
  const day = dayIn(text, state, mode);
  const minute = minuteIn(text);
  if (day === null && minute === null) return { problem: `“${clip(given, 80)}” says no time. ${EXAMPLES}` };
  if (day !== null) return { at: day * DAY + (minute ?? without(text, day, now)) };
  const today = dayOf(now) * DAY + minute;
  return { at: mode === "ahead" && today <= now ? today + DAY : today };
}

/** The time of day of a day without one: in the morning, or later when it is today. */
function without(text, day, now) {
  const minute = now - dayOf(now) * DAY;
  if (day !== dayOf(now) || minute < MORNING) return MORNING;
  return minute < 20 * 60 ? 20 * 60 : DAY - 1;
}

function plainNumbers(text) {
  return text
    .replace(/\b(?:an?|1|one)\s+(hour|day|week)\s+and\s+a\s+half\b/g, "1.5 $1")
    .replace(/\bhalf\s+an?\s+(hour|day)\b/g, "0.5 $1")
    .replace(/\b(?:a\s+)?couple\s+(?:of\s+)?(?=minute|hour|day|week|month)/g, "2 ")
    .replace(/\b(?:a\s+)?few\s+(?=minute|hour|day|week|month)/g, "3 ")
    .replace(/\b(?:an?|another|the\s+next)\s+(?=minute|hour|day\b|week|month)/g, "1 ")
    .replace(/\b[a-z]+\b/g, (word) => (Object.hasOwn(NUMBERS, word) ? NUMBERS[word] : word));
}

/** { minutes, whole }: what "2 hours and 5 minutes" comes to; `whole` when it is days alone. */
function lengthIn(text) {
  const unit = "(mo(?:nths?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?|w(?:ee)?ks?|w)";
  const parts = [...text.matchAll(new RegExp(`(\\d{1,9}(?:\\.\\d{1,3})?)\\s*${unit}\\b`, "g"))];
  if (parts.length === 0) return null;
  const minutes = parts.map(([, number, name]) => Number(number) * UNITS[/^mo/.test(name) ? "mo" : name[0]]);
  return {
    minutes: Math.round(minutes.reduce((sum, one) => sum + one, 0)),
    whole: parts.every(([, , name]) => /^(?:d|w|mo)/.test(name)),
  };
}

/** Minutes from a number of them, "6 hours", "day" or "daily"; null for anything else. */
function everyIn(given) {
  const text = oneLine(given).toLowerCase();
  const minutes =
    Number(text) || OFTEN[text] || lengthIn(plainNumbers(/^\D*$/.test(text) ? `1 ${text}` : text))?.minutes;
  return minutes >= EVERY[0] && minutes <= EVERY[1] ? Math.round(minutes) : null;
}

function lengthFrom(text, length, now) {
  const back = /\bago\b|^\s*[-−]/.test(text);
  const minute = length.whole ? minuteIn(text) : null;
  const at = back ? now - length.minutes : now + length.minutes;
  return { at: minute === null ? at : dayOf(at) * DAY + minute };
}

/** The number of a day: "day 4", "tomorrow", "friday"; null when the text names none. */
function dayIn(text, state) {
  const today = dayOf(clock(state));
  const numbered = /\bday\s+#?(\d{1,6})\b/.exec(text);
  if (numbered) return Math.max(0, Number(numbered[1]) - 1);
  if (/\bday after tomorrow\b/.test(text)) return today + 2;
  if (/\btomorrow\b/.test(text)) return today + 1;
  if (/\byesterday\b/.test(text)) return today - 1;
  if (/\b(?:today|tonight|this (?:morning|afternoon|evening))\b/.test(text)) return today;
  const weekday = WEEKDAYS.findIndex((name) => new RegExp(`\\b${name.toLowerCase()}\\b`).test(text));
  if (weekday < 0 || state.date === undefined) return null;
  const current = new Date((epochDay(state.date) + today) * 86400000).getUTCDay();
  return today + (((weekday - current + 6) % 7) + 1);
}

/** A calendar date: { found, day, rest }, where `day` counts from 1970 and is null for a wrong one. */
function calendarIn(text, state, mode) {
  const iso = /\b(\d{4})-(\d{1,2})-(\d{1,2})(?=\D|$)/.exec(text);
  if (iso) return { found: true, day: checked(iso[1], iso[2] - 1, iso[3]), rest: text.replace(iso[0], " ") };
  const names = MONTHS.map((name) => name.toLowerCase());
  const months = names.map((name) => `${name}|${name.slice(0, 3)}`).join("|");
  const match =
    new RegExp(`\\b(\\d{1,2})(?:st|nd|rd|th)?(?:\\s+of)?\\s+(${months})\\b\\.?(?:,?\\s+(\\d{4}))?`).exec(text) ??
    new RegExp(`\\b(${months})\\b\\.?\\s+(\\d{1,2})(?:st|nd|rd|th)?\\b(?!:)(?:,?\\s+(\\d{4}))?`).exec(text);
  if (!match) return { found: false };
  const [date, month] = /^\d/.test(match[1]) ? [match[1], match[2]] : [match[2], match[1]];
  const at = names.findIndex((name) => name.startsWith(month.slice(0, 3)));
  return {
    found: true,
    day: match[3] ? checked(match[3], at, date) : nearYear(state, mode, at, date),
    rest: text.replace(match[0], " "),
  };
}

/** A date without a year is of the story's own, or of the next one when it is past already. */
function nearYear(state, mode, month, date) {
  if (state.date === undefined) return null;
  const today = epochDay(state.date) + dayOf(clock(state));
  const year = new Date(today * 86400000).getUTCFullYear();
  const years = mode === "ahead" ? Array.from({ length: 9 }, (_, more) => year + more) : [year];
  const days = years.map((one) => checked(one, month, date)).filter((day) => day !== null);
  return days.find((day) => mode !== "ahead" || day >= today) ?? null;
}

function onDate(calendar, state, mode) {
  const minute = minuteIn(calendar.rest) ?? MORNING;
  if (state.date !== undefined) return { at: (calendar.day - epochDay(state.date)) * DAY + minute };
  if (mode !== "set") return { problem: "the story has no calendar date yet: set_time gives it one." };
  const today = state.now === null ? 0 : dayOf(state.now);
  return { at: today * DAY + minute, date: isoOf(calendar.day - today) };
}

function minuteIn(text) {
  const exact = /\b(\d{1,2})[:.](\d{2})\s*([ap])?\.?m?\b/.exec(text);
  const full = exact ?? /\b(\d{1,2})()\s*([ap])\.?m\b/.exec(text) ?? /\b(\d{1,2})()\s*o['’]?clock\b/.exec(text);
  if (full) {
    const half = full[3] === "p" && full[1] < 12 ? 12 : full[3] === "a" && full[1] === "12" ? -12 : 0;
    const [hour, minute] = [Number(full[1]) + half, Number(full[2] || 0)];
    return hour * 60 + minute <= DAY && minute < 60 ? hour * 60 + minute : null;
  }
  const word = Object.keys(HOURS).find((name) => new RegExp(`\\b${name}\\b`).test(text));
  return word === undefined ? null : HOURS[word] * 60;
}

function checked(year, month, date) {
  const made = new Date(0);
  made.setUTCFullYear(Number(year), Number(month), Number(date));
  const same = made.getUTCMonth() === Number(month) && made.getUTCDate() === Number(date);
  return same && Number(year) > 0 ? Math.round(made.getTime() / 86400000) : null;
}

function epochDay(iso) {
  const [year, month, date] = iso.split("-");
  return checked(year, month - 1, date);
}

function isoOf(day) {
  const date = new Date(day * 86400000);
  const part = (number, width) => `${number}`.padStart(width, "0");
  return `${part(date.getUTCFullYear(), 4)}-${part(date.getUTCMonth() + 1, 2)}-${part(date.getUTCDate(), 2)}`;
}

function dayOf(at) {
  return Math.floor(at / DAY);
}

// Text

function oneLine(value) {
  const text = typeof value === "string" || typeof value === "number" ? `${value}` : "";
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

// Store: whatever its shape, these give a good state and change nothing

/** A clock that was never set stands at the morning of day 1. */
function clock(state) {
  return state.now ?? MORNING;
}

function stateOf(store) {
  const { now, date, events, due, nextId, pace, auto, moves, cancelled, ...rest } = isRecord(store) ? store : {};
  const state = { ...rest, now: null, events: [], due: [], moves: listOf(moves).filter(isMove), cancelled: [] };
  if (typeof date === "string" && /^\d{4}-\d{1,2}-\d{1,2}$/.test(date) && epochDay(date) !== null) state.date = date;
  if (isTime(now)) state.now = Math.round(now);
  else if (typeof now === "string") begin(state, now);
  if (pace >= 0 && pace <= DAY) state.pace = pace;
  if (auto > 0 && auto <= DAY) state.auto = auto;
  for (const [key, given] of [
    ["events", events],
    ["due", due],
  ]) {
    const taken = new Set();
    state[key] = listOf(given)
      .map((one) => cleanEvent(one, state, taken))
      .filter((one) => one !== null);
  }
  const all = [...state.events, ...state.due];
  let last = all.reduce((most, event) => Math.max(most, event.id ?? 0), 0);
  for (const event of all) event.id ??= ++last;
  state.nextId = Math.max(last + 1, Number.isInteger(nextId) && nextId < 1e9 ? nextId : 1);
  state.cancelled = listOf(cancelled).filter(
    (one) => isRecord(one) && isTime(one.event?.at) && typeof one.event.text === "string",
  );
  return reckoned(state);
}

function begin(state, text) {
  const target = timeIn(text, state, "set");
  if (target.problem) return;
  state.now = target.at;
  if (target.date !== undefined) state.date = target.date;
}

/** A good event, with id null when it has none of its own, or null for what holds no text or time. */
function cleanEvent(given, state, taken) {
  const raw = isRecord(given) ? given : {};
  const text = clip(oneLine(raw.text ?? raw.event ?? raw.name), MAX_TEXT);
  const at = isTime(raw.at) ? Math.round(raw.at) : timeIn(oneLine(raw.when ?? raw.at), state, "ahead").at;
  if (text === "" || !isTime(at)) return null;
  const known = Number.isInteger(raw.id) && raw.id > 0 && raw.id < 1e9 && !taken.has(raw.id);
  if (known) taken.add(raw.id);
  const { when, event, name, every, repeat, toolCallId, ...rest } = raw;
  const kept = { ...rest, id: known ? raw.id : null, text, at };
  const again = everyIn(every ?? repeat);
  if (again !== null) kept.every = again;
  if (Number.isInteger(toolCallId)) kept.toolCallId = toolCallId;
  return kept;
}

/** Put events where they belong: due as soon as their time has come, planned when it has not. */
function reckoned(state) {
  const now = clock(state);
  const due = new Map();
  const events = new Map();
  for (const event of state.due) {
    const { shown, ...ahead } = event;
    if (event.at > now) events.set(event.id, ahead);
    else due.set(event.id, event);
  }
  for (const event of state.events) {
    if (event.at > now && !events.has(event.id)) events.set(event.id, event);
    if (event.at > now) continue;
    due.set(event.id, event);
    const { every } = event;
    if (every) events.set(event.id, { ...event, at: event.at + Math.ceil((now - event.at + 1) / every) * every });
  }
  const byTime = (a, b) => a.at - b.at || a.id - b.id;
  return {
    ...state,
    due: [...due.values()].sort(byTime).slice(-MAX_DUE),
    events: [...events.values()].sort(byTime).slice(0, MAX_EVENTS),
  };
}

function listOf(value) {
  return Array.isArray(value) ? value : [];
}

function isRecord(value) {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function isTime(value) {
  return typeof value === "number" && Math.abs(value) <= FARTHEST;
}

function isMove(value) {
  return isRecord(value) && isTime(value.by) && Number.isInteger(value.toolCallId);
}

/** Write the state back; what is empty is left out. */
function keep(store, state) {
  const next = reckoned(state);
  for (const key of Object.keys(store)) delete store[key];
  Object.assign(store, next);
  if (store.now === null) delete store.now;
  if (!(store.auto > 0)) delete store.auto;
  for (const key of ["moves", "cancelled"]) if (store[key].length === 0) delete store[key];
}
