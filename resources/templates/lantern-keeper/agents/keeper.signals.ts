/**
 * @agent keeper.signals
 * @version 1.0.0
 * @description Signals between the light and whoever can see it: Morse by the hand lamp, and the hoists of the Graypoint card.
 *
 * @tool send_signal
 * @tool-description Send a signal from the gallery, in Morse by the shuttered hand lamp or by a hoist of flags, and learn how it is spelled and how long it takes. Call this whenever anyone signals, flashes or hoists something to the lookout, the town or a ship.
 * @tool-params {"type":"object","properties":{"text":{"type":"string","description":"What is signalled, in a few plain words or as one hoist's name."},"means":{"type":"string","enum":["lamp","flags"],"description":"The hand lamp, which is the usual way after dark, or flags, which need daylight."},"to":{"type":"string","description":"Who is meant to read it. The pilot's lookout if absent."}},"required":["text"]}
 *
 * @tool read_signal
 * @tool-description Read a signal that comes in: turn Morse, or the letters of a hoist, into words. Call this when dots and dashes, flashes or a row of flags have to be understood.
 * @tool-params {"type":"object","properties":{"signal":{"type":"string","description":"Dots and dashes with a space after each letter and a slash between words, or the letters of a hoist."}},"required":["signal"]}
 *
 * @command @signal signalCommand
 *
 * @preload true
 * @hook afterUserEdit
 */

enum Means {
  Lamp = "lamp",
  Flags = "flags",
}

interface Signal {
  id: number;
  to: string;
  means: Means;
  text: string;
  toolCallId?: number;
}

interface Store {
  sent?: Signal[];
  nextId?: number;
}

interface Studio {
  log?(message: string): void;
  toast?(message: string): void;
}

interface Context {
  toolCallId?: number;
}

type Input = Partial<Record<"text" | "means" | "to" | "signal", unknown>>;
type Sent = { ok: true; text: string } | { ok: false; text: string };

const MAX_SENT = 60;
const MAX_TEXT = 120; // characters: nobody reads more from a lamp
const MAX_NAME = 60;
const DOT_SECONDS = 0.25; // a steady hand on the shutter
const LOOKOUT = "the pilot's lookout";

const MORSE: Readonly<Record<string, string>> = {
  A: ".-", B: "-...", C: "-.-.", D: "-..", E: ".", F: "..-.", G: "--.", H: "....", I: "..",
  J: ".---", K: "-.-", L: ".-..", M: "--", N: "-.", O: "---", P: ".--.", Q: "--.-", R: ".-.",
  S: "...", T: "-", U: "..-", V: "...-", W: ".--", X: "-..-", Y: "-.--", Z: "--..",
  0: "-----", 1: ".----", 2: "..---", 3: "...--", 4: "....-", 5: ".....", 6: "-....",
  7: "--...", 8: "---..", 9: "----.", "?": "..--..",
};

const LETTERS: ReadonlyMap<string, string> = new Map(
  Object.entries(MORSE).map(([letter, code]): [string, string] => [code, letter]),
);

/** The card of hoists that hangs beside the hatch; Graypoint has never used another. */
const HOISTS: Readonly<Record<string, string>> = {
  B: "Bar not passable",
  BT: "Bar passable, come in",
  D: "Doctor wanted",
  F: "Fog coming",
  K: "Keep clear of the Teeth",
  L: "Lifeboat wanted",
  NO: "No",
  P: "Pilot wanted",
  R: "Rope wanted",
  S: "Stay where you are",
  V: "Vessel ashore",
  YS: "Yes, understood",
};

// The player's calls

export function onLoad(store: Store): string | null {
  const latest = good(store?.sent).slice(-3);
  if (latest.length === 0) return null;
  return `## Signals sent tonight\n${latest.map(line).join("\n")}`;
}

export function onToolCall(
  toolName: string, args: unknown, store: Store, studio?: Studio, context?: Context,
): string {
  const input: Input = args !== null && typeof args === "object" ? args : {};
  switch (toolName) {
    case "send_signal":
      return send(input, store, studio, context).text;
    case "read_signal":
      return read(words(input.signal));
    default:
      return `[Unknown tool: ${toolName}]`;
  }
}

/** `@signal Come with the rope`, `@signal flags pilot wanted`. */
export function signalCommand(
  args: unknown, store: Store, studio?: Studio, context?: Context,
): string | undefined {
  const [, means, text] = /^(?:(lamp|flags)(?:\s+|$))?([\s\S]*)$/i.exec(words(args)) ?? [];
  const done = send({ text, means }, store, studio, context);
  if (!done.ok) return done.text;
  studio?.toast?.(done.text);
}

/** Signals of removed calls were never sent. */
export function onAfterUserEdit(event: { deletedToolCallIds?: unknown }, store: Store): void {
  const ids = event?.deletedToolCallIds;
  const gone = new Set<unknown>(Array.isArray(ids) ? ids : []);
  store.sent = good(store.sent).filter(({ toolCallId }) => !gone.has(toolCallId));
}

// Sending

function send(input: Input, store: Store, studio?: Studio, context?: Context): Sent {
  const text = words(input.text);
  if (text === "") return { ok: false, text: "Nothing was signalled: there are no words." };
  if (text.length > MAX_TEXT) {
    return { ok: false, text: `Too long for a signal: at most ${MAX_TEXT} characters, so say it shorter.` };
  }
  const means = words(input.means).toLowerCase() === Means.Flags ? Means.Flags : Means.Lamp;
  const spelled = means === Means.Flags ? byFlags(text) : byLamp(text);
  if (spelled === null) {
    return { ok: false, text: "Nothing was signalled: the lamp and the flags know only A to Z and figures." };
  }
  const signal = note(store, means, text, words(input.to).split(":")[0].slice(0, MAX_NAME) || LOOKOUT, context);
  studio?.log?.(`Signal by ${means} to ${signal.to}: ${text}`);
  return { ok: true, text: `Sent to ${signal.to}. ${spelled}` };
}

function note(store: Store, means: Means, text: string, to: string, context?: Context): Signal {
  const sent = good(store.sent);
  const highest = Math.max(0, ...sent.map(({ id }) => id));
  const next = Number.isSafeInteger(store.nextId) ? (store.nextId as number) : 1;
  const signal: Signal = { id: Math.max(highest + 1, next), to, means, text };
  if (Number.isInteger(context?.toolCallId)) signal.toolCallId = context?.toolCallId;
  store.sent = [...sent, signal].slice(-MAX_SENT);
  store.nextId = signal.id + 1;
  return signal;
}

/** Null where nothing in the text has a code. */
function byLamp(text: string): string | null {
  const spelled = plain(text)
    .split(" ")
    .map((word) => [...word].map((letter) => MORSE[letter]).filter(Boolean).join(" "))
    .filter((word) => word !== "")
    .join(" / ");
  if (spelled === "") return null;
  return `By the hand lamp, ${Math.ceil(units(spelled) * DOT_SECONDS)} seconds at the shutter: ${spelled}`;
}

/** A dash is three dots long; so is the gap between letters, and the one between words is seven. */
function units(spelled: string): number {
  const length: Record<string, number> = { ".": 2, "-": 4, " ": 2, "/": 2 };
  return [...spelled].reduce((sum, sign) => sum + (length[sign] ?? 0), 0) - 1;
}

function byFlags(text: string): string | null {
  const hoist = hoistFor(text);
  if (hoist !== null) return `One hoist from the card, ${hoist}: “${HOISTS[hoist]}”.`;
  const letters = [...plain(text)].filter((letter) => /[A-Z0-9]/.test(letter));
  if (letters.length === 0) return null;
  return `The card has no hoist for it, so it is spelled flag by flag: ${letters.join(" ")}.`;
}

/** The hoist of that name, else the one with most words of the text, two at least. */
function hoistFor(text: string): string | null {
  const name = plain(text).replace(/ /g, "");
  if (Object.hasOwn(HOISTS, name)) return name;
  const wanted = new Set(plain(text).split(" "));
  const shared = ([, meaning]: [string, string]): number =>
    plain(meaning).split(" ").filter((word) => wanted.has(word)).length;
  const [best] = Object.entries(HOISTS).sort((one, other) => shared(other) - shared(one));
  return shared(best) >= 2 ? best[0] : null;
}

// Reading

function read(signal: string): string {
  if (signal === "") return "There is nothing to read: give the dots and dashes, or the flags.";
  if (signal.length > MAX_TEXT * 8) return "Too long to be read in one go. Give it in parts.";
  const hoist = plain(signal).replace(/ /g, "");
  if (Object.hasOwn(HOISTS, hoist)) return `${hoist} on the card: “${HOISTS[hoist]}”.`;
  const marks = signal.replace(/[·•*]/g, ".").replace(/[–—−_]/g, "-");
  if (!/^[-./|\s]+$/.test(marks)) return `No hoist on the card is ${signal.slice(0, 40)}, and it is no Morse.`;
  const text = marks
    .split(/[/|]/)
    .map((word) => word.trim().split(/\s+/).map((code) => LETTERS.get(code) ?? "(?)").join(""))
    .join(" ");
  return `It reads: ${text}`;
}

// Words and stores

function line({ to, means, text }: Signal): string {
  return `- to ${to}, by ${means}: ${text}`;
}

/** Capitals without accents; whatever has no code becomes a space. */
function plain(text: string): string {
  const bare = text.normalize("NFD").replace(/\p{M}/gu, "").replace(/['’]/g, "");
  return bare.toUpperCase().replace(/[^A-Z0-9?]+/g, " ").trim();
}

function words(value: unknown): string {
  return typeof value === "string" || typeof value === "number" ? `${value}`.replace(/\s+/g, " ").trim() : "";
}

function isSignal(value: any): value is Signal {
  const whole = typeof value?.text === "string" && value.text !== "" && typeof value.to === "string";
  return whole && Number.isSafeInteger(value.id) && (value.means === Means.Lamp || value.means === Means.Flags);
}

function good(sent: unknown): Signal[] {
  return Array.isArray(sent) ? sent.filter(isSignal) : [];
}
