/**
 * @agent scaffold.agent-name
 * @version 1.0.0
 * @description Says in one sentence what this agent adds to the character.
 *
 * Take the # away to switch a line on:
 * # @preload true
 * # @hook afterResponse
 * # @command @scaffold_tool noteCommand
 * # @api studio.history
 * # @api studio.context
 * # @debug true
 *
 * @tool scaffold_tool
 * @tool-description Says when the model should call this tool, and for what.
 * @tool-params {"type":"object","properties":{"text":{"type":"string","description":"What to note down."}},"required":["text"]}
 */

/** Kept for each conversation. */
interface Store {
  notes?: string[];
  responses?: number;
}

interface Studio {
  log(message: string): void;
  toast(message: string): void;
}

interface Args {
  text?: string;
}

/** What the model is told before each turn; called with `@preload true`. */
export function onLoad(store: Store, studio: Studio): string | null {
  const notes = store.notes ?? [];
  return notes.length ? "Noted so far: " + notes.join("; ") : null;
}

/** A tool call of the model; what is returned is what the model reads. */
export async function onToolCall(
  toolName: string,
  args: Args,
  store: Store,
  studio: Studio,
): Promise<string> {
  const text = (args.text ?? "").trim();
  if (!text) return "Nothing was given to note down.";
  store.notes = [...(store.notes ?? []), text];
  studio.log("noted: " + text);
  return "Noted. There are " + store.notes.length + " notes now.";
}

/** After each response; called with `@hook afterResponse`. */
export function onAfterResponse(event: object, store: Store): void {
  store.responses = (store.responses ?? 0) + 1;
}

/** The user's own command; called with `@command`. A sentence that is returned is an error. */
export function noteCommand(args: string, store: Store, studio: Studio): string | void {
  if (!args.trim()) return "Write what is to be noted.";
  store.notes = [...(store.notes ?? []), args.trim()];
  studio.log("noted: " + args.trim());
}
