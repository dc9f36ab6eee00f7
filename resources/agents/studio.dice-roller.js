/**
 * @agent studio.dice-roller
 * @version 1.0.0
 * @description Rolls dice fairly: 2d6+1, 4d6kh3, d20 with advantage, d% and fudge dice. The user rolls with the roll command.
 *
 * @tool roll_dice
 * @tool-description Roll dice and get a truly random result. Call this every time dice, a roll, a throw, a check, a save, damage or plain chance decides something, and whenever the user asks you to roll; never invent a result yourself. Say how many dice in notation ("2d6+1") or in count and sides.
 * @tool-params {"type":"object","properties":{"notation":{"type":"string","description":"What to roll, in dice notation: 2d6+1, d20, 4d6kh3 (keep the highest 3), 2d20kl1 (keep the lowest), 3d6! (sixes roll again), d% (1 to 100), 4dF (fudge dice), 1d8+2d6-1."},"count":{"type":"integer","description":"How many dice, when notation is left out. 1 if absent.","minimum":1,"maximum":200},"sides":{"type":"integer","description":"How many sides each die has, when notation is left out. 6 if absent.","minimum":1,"maximum":10000},"modifier":{"type":"integer","description":"A number to add to the total; may be negative.","minimum":-1000000,"maximum":1000000},"advantage":{"type":"string","enum":["none","advantage","disadvantage"],"description":"Roll everything twice and keep the higher total (advantage) or the lower one (disadvantage)."},"reason":{"type":"string","description":"What the roll decides, in a few words."}}}
 *
 * @command @roll rollCommand
 *
 * @preload true
 * @hook afterUserEdit
 */

// Store: { rolls: [{ notation, total, detail, by: "model" | "user", at, reason?, toolCallId? }] },
// oldest first. `at` is the length of the conversation when it was rolled.

const MAX_DICE = 200; // of one roll
const MAX_AGAIN = 100; // dice that one roll may throw again
const MAX_SIDES = 10000;
const MAX_TERMS = 20;
const MAX_NUMBER = 1000000;
const MAX_INPUT = 200; // characters
const KEPT_ROLLS = 20;
const SHOWN_DICE = 40; // dice that one term lists
const FRESH = 6; // entries for which a roll of the user stays in the model's view

const HOW = "Write it as 2d6+1, 4d6kh3, d20, d% or 4dF.";
const DICE = /^(\d*)d(\d+|%|f)(!?)((?:kh|kl|dh|dl|k|d)\d*)?/;
const NUMBER_WORDS = [
  "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten",
  "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen",
  "nineteen", "twenty",
];

/** Only rolls that the user made by command: the model has seen the answers to its own. */
export function onLoad(store, studio, context) {
  const now = Number(context?.conversationLength) || 0;
  const rolls = rollsOf(store).filter((roll) => {
    const age = now - (Number(roll.at) || 0);
    return roll.by === "user" && age >= 0 && age <= FRESH;
  });
  if (rolls.length === 0) return null;
  return `## Dice that the user rolled a moment ago\n${rolls.map((roll) => `- ${line(roll)}`).join("\n")}`;
}

export function onToolCall(toolName, args, store, studio, context) {
  const request = requestOf(args);
  const outcome = request.problem ? request : rollAll(request);
  if (outcome.problem) return outcome.problem;
  const roll = record(store, { ...outcome, by: "model", reason: phrase(args?.reason) }, context);
  studio?.log?.(`Dice: ${line(roll)}`);
  return `Rolled ${line(roll)}`;
}

/** `@roll 2d6+1`, `@roll d20 advantage`: rolls and shows the result in the conversation. */
export function rollCommand(args, store, studio, context) {
  if (phrase(args) === "") return "Say what to roll, for example 2d6+1 or d20 advantage.";
  const outcome = rollAll(requestOf({ notation: args }));
  if (outcome.problem) return outcome.problem;
  const roll = record(store, { ...outcome, by: "user" }, context);
  studio?.log?.(`Dice: ${line(roll)}`);
  studio?.toast?.(`${roll.notation} = ${roll.total}`);
}

/** Forgets the rolls whose calls the user took out of the conversation. */
export function onAfterUserEdit(event, store) {
  const gone = new Set(Array.isArray(event?.deletedToolCallIds) ? event.deletedToolCallIds : []);
  const rolls = rollsOf(store);
  const left = rolls.filter((roll) => !gone.has(roll.toolCallId));
  if (left.length < rolls.length) store.rolls = left;
}

// What is asked for

/** The arguments as { text, modifier, luck }, or { problem }. `text` is dice notation. */
function requestOf(args) {
  const input = args !== null && typeof args === "object" ? args : { notation: args };
  let text = phrase(input.notation ?? input.dice).toLowerCase();
  if (text.length > MAX_INPUT) return { problem: `That is too long for one roll. ${HOW}` };
  const luck = luckOf(input.advantage, text);
  text = text.replace(/\b(?:with\s+)?(?:dis)?advantage\b|\b(?:dis|adv)\b/g, " ").trim();
  if (text === "") {
    const count = number(input.count, 1);
    const sides = number(input.sides, 6);
    if (count === null || sides === null) return { problem: "count and sides must be whole numbers." };
    text = `${count}d${sides}`;
  }
  const modifier = number(input.modifier, 0);
  if (modifier === null) return { problem: "modifier must be a whole number." };
  return { text, modifier, luck };
}

function luckOf(advantage, text) {
  const said = `${typeof advantage === "string" ? advantage.toLowerCase() : ""} ${text}`;
  if (/\bdis(?:advantage)?\b/.test(said)) return "disadvantage";
  return advantage === true || /\badv(?:antage)?\b/.test(said) ? "advantage" : "none";
}

/** The whole number that `value` means, `fallback` when there is none, null when it is none. */
function number(value, fallback) {
  if (value === undefined || value === null || value === "") return fallback;
  const whole = typeof value === "object" ? NaN : Number(value);
  return Number.isInteger(whole) ? whole : null;
}

// Reading notation

/** The terms of a notation: { sign, value } or { sign, count, sides, explode, keep }. */
function parse(text) {
  const terms = read(text.replace(/\s+/g, "").replace(/[−–]/g, "-")) ?? read(fromWords(text));
  if (terms === null) return { problem: `“${text}” is no dice notation. ${HOW}` };
  return check(terms) ?? { terms };
}

function read(text) {
  const terms = [];
  let rest = text;
  while (rest !== "") {
    const sign = /^[+-]/.exec(rest)?.[0] ?? (terms.length === 0 ? "+" : null);
    if (sign === null) return null;
    rest = rest.replace(/^[+-]/, "");
    const dice = DICE.exec(rest);
    const plain = dice ? null : /^\d+/.exec(rest);
    if (!dice && !plain) return null;
    const factor = sign === "-" ? -1 : 1;
    terms.push(dice ? diceTerm(dice, factor) : { sign: factor, value: Number(plain[0]) });
    rest = rest.slice((dice ?? plain)[0].length);
  }
  return terms.length > 0 ? terms : null;
}

function diceTerm([text, count, sides, explode, keep], sign) {
  return {
    sign,
    text,
    count: count === "" ? 1 : Number(count),
    fudge: sides === "f",
    sides: sides === "f" ? 3 : sides === "%" ? 100 : Number(sides),
    explode: explode === "!",
    keep: keep ? keepRule(keep) : null,
  };
}

/** "kh3" as { high: true, keep: true, n: 3 }; a bare "k" keeps high, a bare "d" drops low. */
function keepRule(text) {
  const [, kind, side, n] = /^([kd])([hl]?)(\d*)$/.exec(text);
  const keep = kind === "k";
  return { keep, high: side === "" ? keep : side === "h", n: n === "" ? 1 : Number(n) };
}

/** Dice notation from everyday words ("two dice", "a d20", "3 ten-sided dice"), "" if there is none. */
function fromWords(text) {
  const digits = text
    .replace(/[a-z]+/g, (word) => (NUMBER_WORDS.includes(word) ? NUMBER_WORDS.indexOf(word) : word))
    .replace(/\b(\d+)[\s-]+sided\b/g, "$1sided");
  const notation = /(?:\b\d+\s*)?(?<![a-z])d(?:\d+|%|f\b)!?(?:[kd][hl]?\d*)?(?:\s*[+-]\s*\d*(?:d\d+)?)*/.exec(digits);
  if (notation) return notation[0].replace(/\s+/g, "").replace(/[+-]$/, "");
  const words = /(?:(\d+)\s+)?(?:[a-z]+\s+)?(?:(\d+)sided\s+)?(?:dice|die)\b/.exec(digits);
  if (!words) return "";
  const bonus = /\b(?:plus|\+)\s*(\d+)/.exec(digits);
  return `${words[1] ?? 1}d${words[2] ?? 6}${bonus ? `+${bonus[1]}` : ""}`;
}

/** The problem with terms that read well but ask too much, else null. */
function check(terms) {
  const dice = terms.filter((term) => term.count !== undefined);
  const total = dice.reduce((sum, term) => sum + term.count, 0);
  let problem = null;
  if (dice.length === 0) problem = `There are no dice in that. ${HOW}`;
  else if (terms.length > MAX_TERMS) problem = `At most ${MAX_TERMS} terms can be added in one roll.`;
  else if (total > MAX_DICE) problem = `At most ${MAX_DICE} dice can be rolled at once.`;
  else if (dice.some((term) => term.count < 1)) problem = "Roll at least one die.";
  else if (dice.some((term) => term.sides < 1 || term.sides > MAX_SIDES)) {
    problem = `A die has 1 to ${MAX_SIDES} sides.`;
  } else if (dice.some((term) => term.explode && (term.fudge || term.sides < 2))) {
    problem = "Only dice with two or more sides can roll again on their highest face.";
  } else if (terms.some((term) => term.value > MAX_NUMBER)) {
    problem = `Numbers in a roll go up to ${MAX_NUMBER}.`;
  }
  return problem === null ? null : { problem };
}

// Rolling

/** { notation, total, detail } or { problem }. */
function rollAll(request) {
  if (request.problem) return request;
  const parsed = parse(request.text);
  if (parsed.problem) return parsed;
  const terms = withModifier(parsed.terms, request.modifier);
  if (Math.abs(request.modifier) > MAX_NUMBER) return { problem: `Numbers in a roll go up to ${MAX_NUMBER}.` };
  const notation = terms.map(spell).join("").replace(/^\+/, "");
  const first = rollTerms(terms);
  if (request.luck === "none") return { notation, ...first };
  return twice(notation, first, rollTerms(terms), request.luck);
}

/** A notation that has a number already keeps it: models tend to say the same modifier twice. */
function withModifier(terms, modifier) {
  if (modifier === 0 || terms.some((term) => term.value !== undefined)) return terms;
  return [...terms, { sign: Math.sign(modifier), value: Math.abs(modifier) }];
}

function twice(notation, first, second, luck) {
  const higher = first.total >= second.total ? first : second;
  const best = luck === "advantage" ? higher : higher === first ? second : first;
  const other = best === first ? second : first;
  const detail = `${best.detail}; the other roll was ${other.total}`;
  return { notation: `${notation} with ${luck}`, total: best.total, detail };
}

function rollTerms(terms) {
  const budget = { again: MAX_AGAIN };
  const named = terms.filter((term) => term.count !== undefined).length > 1;
  const parts = terms.map((term) => rollTerm(term, budget, named));
  const total = parts.reduce((sum, part) => sum + part.value, 0);
  return { total, detail: parts.map((part) => part.detail).join("; ") };
}

function rollTerm(term, budget, named) {
  if (term.value !== undefined) return { value: term.sign * term.value, detail: spell(term) };
  const faces = throwDice(term, budget);
  const kept = keptOf(faces, term.keep);
  const sum = faces.reduce((total, face, index) => total + (kept.has(index) ? face : 0), 0);
  const dropped = faces.filter((_, index) => !kept.has(index));
  const shown = list(faces.filter((_, index) => kept.has(index)), term.fudge);
  const tail = dropped.length > 0 ? `, dropped ${list(dropped, term.fudge)}` : "";
  const name = named ? `${spell(term).replace(/^\+/, "")}: ` : "";
  return { value: term.sign * sum, detail: `${name}${shown}${tail}` };
}

function throwDice(term, budget) {
  const faces = [];
  const throwOne = () => {
    const face = 1 + Math.floor(Math.random() * term.sides);
    faces.push(term.fudge ? face - 2 : face);
    return face;
  };
  for (let die = 0; die < term.count; die += 1) {
    let face = throwOne();
    while (term.explode && face === term.sides && budget.again > 0) {
      budget.again -= 1;
      face = throwOne();
    }
  }
  return faces;
}

/** The positions of the dice that count. */
function keptOf(faces, rule) {
  const order = faces.map((_, index) => index);
  if (rule === null) return new Set(order);
  order.sort((a, b) => (rule.high ? faces[b] - faces[a] : faces[a] - faces[b]));
  return new Set(rule.keep ? order.slice(0, rule.n) : order.slice(rule.n));
}

// Words

function spell(term) {
  const sign = term.sign < 0 ? "-" : "+";
  return `${sign}${term.value ?? term.text.replace("f", "F")}`;
}

function list(faces, fudge) {
  const shown = faces.slice(0, SHOWN_DICE).map((face) => (fudge && face > 0 ? `+${face}` : `${face}`));
  const more = faces.length - shown.length;
  return `${shown.join(", ") || "none"}${more > 0 ? ` and ${more} more` : ""}`;
}

function line(roll) {
  const reason = phrase(roll.reason);
  return `${roll.notation} = ${roll.total} (${roll.detail})${reason ? ` for: ${reason}` : ""}`;
}

function phrase(value) {
  return typeof value === "string" ? value.replace(/\s+/g, " ").trim().slice(0, MAX_INPUT + 1) : "";
}

// Store

function rollsOf(store) {
  const rolls = Array.isArray(store?.rolls) ? store.rolls : [];
  return rolls.filter((roll) => typeof roll?.notation === "string" && Number.isFinite(roll.total));
}

function record(store, roll, context) {
  const entry = { notation: roll.notation, total: roll.total, detail: roll.detail, by: roll.by };
  entry.at = Number(context?.conversationLength) || 0;
  if (roll.reason) entry.reason = roll.reason;
  if (Number.isInteger(context?.toolCallId)) entry.toolCallId = context.toolCallId;
  store.rolls = [...rollsOf(store), entry].slice(-KEPT_ROLLS);
  return entry;
}
