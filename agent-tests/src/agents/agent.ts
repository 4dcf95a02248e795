/**
 * What the tests know of an agent: how it is started, how a test talks to it, and what its mapping promises.
 *
 * One module per agent implements `AgentKind`; `agents.ts` lists them.
 */
import type { CallOf, Outcome, ToolCall, Usage } from '../api/script.ts';

export type AgentName = 'claude-code' | 'codex' | 'gemini' | 'opencode';

/** Where one test runs an agent. */
export interface Place {
  /** The folder that npm installed into. */
  readonly prefix: string;
  readonly home: string;
  /** The agent's working folder. */
  readonly project: string;
  /** Of the model API. */
  readonly apiUrl: string;
}

export interface Turn {
  readonly prompt: string;
  readonly model: string;
  /** Continues the newest session. */
  readonly isResumed: boolean;
  /** Whether tools run without a question. */
  readonly isAllowed: boolean;
  /** Of an agent that runs new hooks only once they are trusted. */
  readonly areHooksTrusted: boolean;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/** A turn in a terminal, in which a call waits for the user. */
export interface Dialog {
  args(turn: Turn): readonly string[];
  /** A call that the agent asks about. */
  readonly call: ToolCall;
  /** Shown while the agent waits, without blanks. */
  readonly question: RegExp;
  /** Shown once the user has refused. */
  readonly refusal: RegExp;
  /** Whether the server shows that the session waits. */
  readonly hasWaits: boolean;
  /** Sessions that the server has of one session in a terminal. */
  readonly sessions: number;
}

/** What the mapping of an agent promises beyond tokens and calls. */
export interface Promised {
  /** US dollars of one answer, or `null` where the agent sends no cost. */
  cost(model: string, usage: Usage): number | null;
  /** Whether rows of calls have the id that the model gave. */
  readonly hasCallIds: boolean;
  /** Whether the agent reports tokens that are written to a cache. */
  readonly hasCacheWrites: boolean;
  /** Whether it sends telemetry again that no server took. */
  readonly sendsAgain: boolean;
  /** Whether the agent reports side requests (titles). */
  readonly hasSideRequests: boolean;
  /** The model's names of tools, by those that hooks have for them: the row has the name of what arrives first. */
  readonly hookTools: Readonly<Record<string, string>>;
  /** What the row of a denied call is; `none` where there is no row of a call. */
  readonly deniedCall: 'none' | 'error';
  /** Whether a subagent is a session of its own. */
  readonly hasSubagentSessions: boolean;
  /** The status of a session whose process has ended; `null` where it depends on what arrives last. */
  readonly endStatus: 'active' | 'ended' | null;
}

export interface AgentKind {
  readonly name: AgentName;
  readonly label: string;
  readonly agentType: string;
  readonly models: readonly [string, string];
  readonly promised: Promised;
  /** The program without arguments. */
  program(prefix: string): Command;
  /** Files below the scratch home and the project, which are there before `connect`. */
  settings(place: Place): Readonly<Record<string, unknown>>;
  env(place: Place): Readonly<Record<string, string>>;
  turn(place: Place, turn: Turn): readonly string[];
  /** Arguments of a command that makes the agent's own database, which two first turns at once would both make. */
  readonly firstRun: readonly string[] | null;
  shell(command: string): ToolCall;
  /** The status of a shell call whose command ends with another exit code than 0. */
  readonly failedCommand: Outcome;
  /** A call that the agent itself cannot carry out. */
  readonly broken: ToolCall;
  /** The calls that start a subagent and wait for it. */
  subagent(prompt: string): readonly (ToolCall | CallOf)[];
  /** Whether it runs a new hook only once the user has trusted it. */
  readonly trustsHooks: boolean;
  /** A call that a turn without `isAllowed` refuses, or `null` where such turns refuse none. */
  readonly refused: { readonly call: ToolCall; readonly endsTurn: boolean } | null;
  /** `null` for an agent that asks for no permission. */
  readonly dialog: Dialog | null;
  /** What ends a subagent, where it does not end with its answer. */
  readonly completion: ToolCall | null;
}
