/**
 * @agent studio.sub-agent
 * @version 1.0.0
 * @description Answers with a prompt and a model call of its own. Write the prompt in agents/NAME.subagent.md and list that file in "agents".
 *
 * @api studio.model
 * @api studio.history
 * @api studio.context
 * @api studio.grants
 */

// The player gives { meta, promptBody } as context.config: meta has the fields of the frontmatter under the
// overrides of config.json, promptBody what stands below it. Tool and command are made by the player from these.
// No store: what a sub-agent remembers is in the agents that it is granted.

const MACRO = /%%(?:(CONTEXT|CHARACTER_INSTRUCTIONS|HISTORY)|STORE:((?:(?!%%)[^\r\n])*))%%/g;
const CHARACTERS_PER_TOKEN = 4; // an estimate
const TOKENS_PER_MESSAGE = 4; // for its role
const LARGEST_CALL = 480000; // characters of JSON that a player passes on
const UNKNOWN_WINDOW = 32768; // tokens
const FIRST_LOOK = 64; // entries of the history that are read at once, doubled each time
const LEFT_OUT = "(The beginning of the conversation is left out: it is longer than what fits here.)";
const NO_ANSWER = "(The sub-agent gave no answer.)";

export async function onToolCall(toolName, args, store, studio, context) {
  return ask(requestOf(args, context?.config?.meta), studio, context);
}

/** Handles the command of every sub-agent, @name request. */
export async function subAgentCommand(text, store, studio, context) {
  const request = typeof text === "string" ? text.trim() : "";
  if (request === "") return "Write what you want to ask after the name.";
  studio.log(await ask(request, studio, context));
  return undefined;
}

async function ask(request, studio, context) {
  const { meta, promptBody } = context?.config ?? {};
  if (meta === null || typeof meta !== "object" || typeof promptBody !== "string") {
    throw new Error("this sub-agent was given no prompt; list its .subagent.md file in config.json");
  }
  const { system, messages } = await prompt({ meta, body: promptBody, request, studio, context });
  try {
    const reply = await studio.callModel(system, messages, meta.maxTokens ?? 1024, options(meta));
    return typeof reply === "string" && reply.trim() !== "" ? reply : NO_ANSWER;
  } catch (error) {
    const reason = `${error?.message ?? error}`;
    const spent = /budget exhausted[^]*/i.exec(reason);
    if (spent !== null) return `could not answer: ${spent[0]}`;
    throw new Error(`could not answer: ${reason}`);
  }
}

function options(meta) {
  const chosen = { model: meta.model === "main" ? "main" : "worker" };
  if (typeof meta.temperature === "number") chosen.temperature = meta.temperature;
  if (typeof meta.topP === "number") chosen.topP = meta.topP;
  return chosen;
}

/** One text is the request itself; several parameters are sent as JSON. Neither is expanded. */
function requestOf(args, meta) {
  const given = args !== null && typeof args === "object" ? args : {};
  const properties = Object.entries(meta?.params?.properties ?? { request: { type: "string" } });
  const names = Object.keys(given);
  if (properties.length === 1 && names.length === 1 && names[0] === properties[0][0]) {
    const [value] = Object.values(given);
    if (typeof value === "string") return value;
  }
  return JSON.stringify(given);
}

// The prompt

async function prompt(call) {
  const found = [...call.body.matchAll(MACRO)];
  const used = new Set(found.map((match) => match[1]));
  const values = new Map();
  values.set("CHARACTER_INSTRUCTIONS", text(call.meta.characterInstructions));
  values.set("CONTEXT", await contextFiles(call));
  values.set("HISTORY", "");
  for (const match of found.filter(([, name]) => name === undefined)) {
    if (!values.has(match[0])) values.set(match[0], await grantedStore(match[2].trim(), call.studio));
  }
  const expanded = () => call.body.replace(MACRO, (whole, name) => values.get(name ?? whole));
  const above = used.has("CONTEXT") ? "" : values.get("CONTEXT");
  const system = () => [above, expanded().trim()].filter((part) => part !== "").join("\n\n");
  const request = { role: "user", content: call.request };
  const turns = await history(call, system());
  if (!used.has("HISTORY")) return { system: system(), messages: [...asMessages(turns), request] };
  values.set("HISTORY", asText(turns, call));
  return { system: system(), messages: [request] };
}

async function contextFiles({ meta, studio }) {
  const texts = [];
  for (const name of Array.isArray(meta.contextFiles) ? meta.contextFiles : []) {
    const content = await studio.context.readFile(name);
    texts.push(typeof content === "string" ? content : `(There is no context file ${name}.)`);
  }
  return texts.join("\n\n");
}

async function grantedStore(ref, studio) {
  try {
    return JSON.stringify(await studio.grants.readStore(ref));
  } catch {
    return `(no such grant: ${ref})`; // the player says no more than that nothing is granted under this name
  }
}

// The conversation

/** What the sub-agent may see of it: { turns, cut }, or null where it sees nothing. */
async function history({ meta, request, studio, context }, system) {
  const [tier, count] = `${meta.history ?? "none"}`.split(":");
  if (tier !== "recent" && tier !== "full") return null;
  const most = tier === "recent" ? Math.max(1, Number(count) || 1) : Infinity;
  const room = roomFor(meta, system, request);
  const turns = await latest(studio, context, (seen) => seen.length >= most || room(seen) < seen.length);
  const wanted = turns.slice(-Math.min(most, turns.length));
  const fitting = room(wanted);
  return { turns: fitting > 0 ? wanted.slice(-fitting) : [], cut: fitting < wanted.length };
}

/** A function that tells how many of the latest turns fit, counted from the end. */
function roomFor(meta, system, request) {
  const free = UNKNOWN_WINDOW - tokens(system) - tokens(request) - (meta.maxTokens ?? 1024);
  const mostTokens = typeof meta.historyTokens === "number" ? meta.historyTokens : free;
  const mostCharacters = LARGEST_CALL - length(system) - length(request);
  return (turns) => {
    let usedTokens = 0;
    let usedCharacters = 0;
    let fitting = 0;
    for (let at = turns.length - 1; at >= 0; at--) {
      usedTokens += tokens(turns[at].content) + TOKENS_PER_MESSAGE;
      usedCharacters += length(turns[at].content) + 40;
      if (usedTokens > mostTokens || usedCharacters > mostCharacters) break;
      fitting++;
    }
    return fitting;
  };
}

/** The turns up to the end, or to the message that is being answered; read backwards until enough. */
async function latest(studio, context, enough) {
  let start = Math.max(0, Number(context?.conversationLength) || 0);
  let turns = [];
  let open = context?.invokedBy === "model";
  for (let size = FIRST_LOOK; start > 0; size *= 2) {
    const end = start;
    start = Math.max(0, end - size);
    turns = [...(await turnsBetween(studio, start, end)), ...turns];
    const asked = turns.findLastIndex((turn) => turn.role === "user");
    if (open && asked < 0) continue; // so far only the unfinished answer
    if (open) turns = turns.slice(0, asked + 1);
    open = false;
    if (enough(turns)) break;
  }
  return turns;
}

async function turnsBetween(studio, start, end) {
  const turns = await studio.history.range(start, end);
  return (Array.isArray(turns) ? turns : [])
    .filter(({ role, content }) => (role === "user" || role === "assistant") && typeof content === "string")
    .map(({ role, content }) => ({ role, content }));
}

function asMessages(history) {
  if (history === null) return [];
  return history.cut ? [{ role: "user", content: LEFT_OUT }, ...history.turns] : history.turns;
}

function asText(history, { context }) {
  if (history === null) return "";
  const name = text(context?.characterName) || "Character";
  const lines = history.turns.map(({ role, content }) => `${role === "user" ? "User" : name}: ${content}`);
  if (history.cut) lines.unshift(LEFT_OUT);
  return lines.length > 0 ? lines.join("\n\n") : "(Nothing has been said yet.)";
}

// Texts

function text(value) {
  return typeof value === "string" ? value : "";
}

function tokens(value) {
  return Math.ceil(value.length / CHARACTERS_PER_TOKEN);
}

function length(value) {
  return JSON.stringify(value).length;
}
