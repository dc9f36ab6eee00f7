/**
 * What the player hands to an agent: the bridge `studio`, the store, the context of the call, and
 * the events of hooks.
 *
 * The names are the same in JavaScript, TypeScript, Python and Lua. What differs is how a promise is
 * waited for, `await` in the first three and `:await()` in Lua, and that handlers have snake_case
 * names in Python and Lua: `onLoad` is `on_load` there.
 *
 * For other editors: put this file into the project, and name the types in comments, as in
 * `@param {Studio} studio`. Nothing of it runs.
 */

/** A value that JSON can spell; only such values pass between an agent and the player. */
type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * The agent's own memory of this conversation: an object of any shape, at first that of the default
 * file, else empty. Change it as you like; it is saved when the handler returns. A handler that
 * fails leaves it as it was.
 */
interface Store {
  [key: string]: any;
}

/** The bridge to the player. Another player may know fewer methods: test for those you can spare. */
interface Studio {
  /**
   * Shows a short notice to the user. It is not kept and no model reads it.
   */
  toast(message: unknown): Promise<void>;

  /**
   * Adds a line to the conversation that the user reads and that stays, but that is never sent to a
   * model. For what somebody may want to look up later, such as what was stored.
   */
  log(message: unknown): Promise<void>;

  /**
   * Asks one of the user's two models once, without streaming, and gives the text of its answer.
   *
   * It costs the user's tokens and counts against the caps for agents, except in a call that the user
   * made with a command. When a cap is spent it rejects: return a sentence to the model then.
   * With this namespace a call may take 120 seconds in place of 8.
   *
   * @api studio.model
   * @param systemPrompt What the model is to be and do.
   * @param messages The turns that it answers, oldest first; may be empty.
   * @param maxTokens How long the answer may be, 1 to 8192; 1024 without it.
   * @param opts Which of the two models, and how it samples.
   */
  callModel(
    systemPrompt: string,
    messages: ModelMessage[],
    maxTokens?: number,
    opts?: ModelOptions,
  ): Promise<string>;

  /** The conversation so far: what the user and the character said. */
  readonly history: StudioHistory;

  /** The character's context files. */
  readonly context: StudioContext;

  /** The stores of other agents, as far as they are granted. */
  readonly grants: StudioGrants;

  /** The web, where the user allows it for this character. */
  readonly web: StudioWeb;
}

/** What was said, without tool calls and log lines. */
interface StudioHistory {
  /**
   * Finds the turns that hold a text; upper and lower case do not matter.
   *
   * @api studio.history
   * @param query The text that is looked for, to the letter.
   */
  search(query: string): Promise<Turn[]>;

  /**
   * Gives the turns from one place to another. Ends that lie outside are moved inside.
   *
   * @api studio.history
   * @param start The first place, counted from 0.
   * @param end The place after the last one; `context.conversationLength` for all that follow.
   */
  range(start: number, end: number): Promise<Turn[]>;
}

/** Reading what lies in the context folder, files with a dot in front too. */
interface StudioContext {
  /**
   * Reads a file of the context folder; null where there is none of that name, and for a name that
   * leads out of the folder.
   *
   * @api studio.context
   * @param name The file's name relative to the folder, such as ".cars.json".
   */
  readFile(name: string): Promise<string | null>;
}

/** Reading the stores that a sub-agent was granted. */
interface StudioGrants {
  /**
   * Gives the store of a granted agent as it is now; changing what comes changes nothing. Rejects
   * where nothing is granted under that name.
   *
   * @api studio.grants
   * @param ref A short id, the end of an id, a whole id or an implementation; private grants first.
   */
  readStore(ref: string): Promise<Store>;
}

/** Reading public pages. Off until the user allows it, so be ready for a refusal. */
interface StudioWeb {
  /**
   * Reads a page as plain text. Rejects where the web is off, the address is no public one, or the
   * page cannot be had: say so honestly, and never make up what it might hold.
   *
   * @api studio.web
   * @param url An address that begins with http or https.
   * @param options How much of the page is wanted.
   */
  fetch(url: string, options?: WebOptions): Promise<WebPage>;
}

/** One turn of the conversation. */
interface Turn {
  /** Who said it. */
  role: "user" | "assistant";
  /** What was said. */
  content: string;
  /** Its place in the conversation, where every entry counts; from 0. */
  index: number;
}

/** A turn that `studio.callModel` is given. */
interface ModelMessage {
  /** Whose turn it is. */
  role: "user" | "assistant" | "system";
  /** Its text. */
  content: string;
}

/** How `studio.callModel` asks. */
interface ModelOptions {
  /** Which of the models that the user chose; the worker where nothing is said. */
  model?: "worker" | "main";
  /** How freely words are chosen, 0 to 2. */
  temperature?: number;
  /** How much of the likely words is considered, 0 to 1. */
  topP?: number;
}

/** How `studio.web.fetch` reads. */
interface WebOptions {
  /** How many characters of the text are wanted, 500 to 30000; 8000 without it. */
  maxChars?: number;
}

/** A page that was read. */
interface WebPage {
  /** Where it lies, after all redirections. */
  url: string;
  /** The status that the server gave. */
  status: number;
  /** What kind of content the server said it is. */
  contentType: string;
  /** The title of an HTML page, null for others. */
  title: string | null;
  /** What a reader would read, without menus and scripts. */
  text: string;
  /** Whether the text goes on beyond what was wanted. */
  truncated: boolean;
}

/** What the call is about. It is made anew for each one. */
interface Context {
  /** Who calls: a model, the user with a command, the start of a turn, or an event. */
  invokedBy: "model" | "direct" | "preload" | "hook";
  /** How many entries the conversation has, of every kind. */
  conversationLength: number;
  /** The character's name. */
  characterName: string;
  /** The id of this instance in config.json. */
  agentId: string;
  /** The whole entry of config.json where it is an object, else empty. */
  config: { [key: string]: any };
  /**
   * The number of the tool call, there only where a model made it. Numbers rise and are never used
   * again in a conversation; store one beside what it made, to find that when it is taken back.
   */
  toolCallId?: number;
}

/** A tool call of a turn that has ended. */
interface ToolCall {
  /** The tool's name. */
  name: string;
  /** What it was given. */
  args: { [key: string]: any };
  /** What it answered. */
  result: string;
  /** The number of the call. */
  toolCallId: number;
}

/** Told once, before anything else happens in a conversation. */
interface ConversationStartEvent {
  /** False where the agent was added to a conversation that had begun already. */
  isNewConversation: boolean;
}

/** Told after the user has sent a message and before the request is made. */
interface BeforeResponseEvent {
  /** What the user wrote. */
  userText: string;
  /** Whether the same message is answered once more. */
  regenerate: boolean;
  /** Whether a person is answered; false among the members of a party. */
  respondingToHuman: boolean;
}

/** Told after the character has answered, tool calls and all. */
interface AfterResponseEvent {
  /** What the user wrote. */
  userText: string;
  /** What the character answered. */
  responseText: string;
  /** The calls that the model made meanwhile. */
  toolCalls: ToolCall[];
  /** Whether the user, or an error, ended it early. */
  stopped: boolean;
  /** Whether the model had tools at all. */
  toolsOffered: boolean;
}

/** Told after another agent has answered a tool call of the model. */
interface AfterToolCallEvent {
  /** The agent that was called. */
  agentId: string;
  /** Its tool. */
  toolName: string;
  /** What it was given. */
  args: { [key: string]: any };
  /** What it answered. */
  result: string;
  /** The number of the call. */
  toolCallId: number;
}

/** Told after the user has removed turns with tool calls in them, and in the copy after a fork. */
interface AfterUserEditEvent {
  /** The numbers of the calls that are gone, rising. */
  deletedToolCallIds: number[];
  /** The highest number that is still there; 0 where none is. */
  lastViableToolCallId: number;
}

/** What an agent may export. Parameters that are not needed can be left out. */
interface Handlers {
  /**
   * Asked before each turn of an agent with `@preload true`: the text that is returned is told to the
   * model, nothing where null is.
   */
  onLoad(
    store: Store,
    studio: Studio,
    context: Context,
  ): string | null | Promise<string | null>;

  /**
   * Answers a call of one of the agent's tools. The text that is returned is what the model reads;
   * anything else is sent as JSON.
   */
  onToolCall(
    toolName: string,
    args: { [key: string]: any },
    store: Store,
    studio: Studio,
    context: Context,
  ): unknown;

  /** Hears that a conversation begins; declared with `@hook conversationStart`. */
  onConversationStart(
    event: ConversationStartEvent,
    store: Store,
    studio: Studio,
    context: Context,
  ): void | Promise<void>;

  /** Hears of a message before it is answered; declared with `@hook beforeResponse`. */
  onBeforeResponse(
    event: BeforeResponseEvent,
    store: Store,
    studio: Studio,
    context: Context,
  ): void | Promise<void>;

  /** Hears of each response; declared with `@hook afterResponse`. */
  onAfterResponse(
    event: AfterResponseEvent,
    store: Store,
    studio: Studio,
    context: Context,
  ): void | Promise<void>;

  /** Hears of the calls of other agents' tools; declared with `@hook afterToolCall`. */
  onAfterToolCall(
    event: AfterToolCallEvent,
    store: Store,
    studio: Studio,
    context: Context,
  ): void | Promise<void>;

  /** Hears which tool calls the user took back; declared with `@hook afterUserEdit`. */
  onAfterUserEdit(
    event: AfterUserEditEvent,
    store: Store,
    studio: Studio,
    context: Context,
  ): void | Promise<void>;
}
