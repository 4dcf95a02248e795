/**
 * Describes an agent for the tests: how to start it, how a test controls it, and which rows the server must have.
 *
 * One module per agent implements `AgentKind`; `agents.ts` lists them.
 */
import VERSIONS from '../../versions.json' with { type: 'json' };
import type { CallOf, Outcome, ToolCall, Usage } from '../api/script.ts';

/** The name of an agent for `connect`. */
export type AgentName = keyof typeof VERSIONS;

/** Where one test runs an agent. */
export interface Place {
  /** The folder into which npm installed the agent. */
  readonly prefix: string;
  readonly home: string;
  /** The agent's working folder. */
  readonly project: string;
  /** URL of the model API. */
  readonly apiUrl: string;
  /** URL of the server that the agent is connected to. */
  readonly serverUrl: string;
}

export interface Turn {
  readonly prompt: string;
  readonly model: string;
  /** Whether the turn continues the newest session. */
  readonly isResumed: boolean;
  /** Whether tools run without a question. */
  readonly isAllowed: boolean;
  /** Whether the user trusts the hooks. It matters for an agent that runs only trusted hooks. */
  readonly areHooksTrusted: boolean;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
}

/** A turn in a terminal, in which a call waits for the user. */
export interface Dialog {
  args(turn: Turn): readonly string[];
  /** A call that needs the user's permission. */
  readonly call: ToolCall;
  /** Matches the text, without blanks, that the agent shows while it waits. */
  readonly question: RegExp;
  /** Matches the text, without blanks, that the agent shows once the user has refused. */
  readonly refusal: RegExp;
  /** Matches the answer `All done.`, for an agent that shows only what changes on the screen. */
  readonly answer?: RegExp;
  /** Whether the server shows that the session waits. */
  readonly hasWaits: boolean;
  /** Number of sessions that the server stores for one session in a terminal. */
  readonly sessions: number;
}

/** A call that is refused without a question. */
export interface Refused {
  readonly call: ToolCall;
  readonly endsTurn: boolean;
  /** Whether the call shows as a wait until the next hook. */
  readonly looksAsked?: boolean;
}

/** Expected results of an agent's mapping, in addition to tokens and calls. */
export interface Promised {
  /** Returns the cost of one answer in US dollars; `null` if the agent sends no cost. */
  cost(model: string, usage: Usage): number | null;
  /** Whether rows of calls have the call id of the model's answer. */
  readonly hasCallIds: boolean;
  /** Whether the agent reports tokens that are written to a cache. */
  readonly hasCacheWrites: boolean;
  /** Whether the agent resends telemetry that no server accepted. */
  readonly sendsAgain: boolean;
  /** Whether the agent reports side requests (titles). */
  readonly hasSideRequests: boolean;
  /** The model's names of tools by the names in hooks. A row has the name of the report that arrives first. */
  readonly hookTools: Readonly<Record<string, string>>;
  /** The status of a denied call's row; `none` if the server has no such row. */
  readonly deniedCall: 'none' | 'error';
  /** Whether a subagent is a session of its own. */
  readonly hasSubagentSessions: boolean;
  /** The status of a session whose process has ended; `null` if it depends on the order of arrival. */
  readonly endStatus: 'active' | 'ended' | null;
}

export interface AgentKind {
  readonly name: AgentName;
  readonly label: string;
  readonly agentType: string;
  readonly models: readonly [string, string];
  readonly promised: Promised;
  /** Returns the command that starts the agent, without arguments for a turn. */
  program(prefix: string): Command;
  /** Returns the files in the scratch home and the project that exist before `connect` runs. */
  settings(place: Place): Readonly<Record<string, unknown>>;
  env(place: Place): Readonly<Record<string, string>>;
  turn(place: Place, turn: Turn): readonly string[];
  /**
   * Arguments of a command that creates the agent's database. Otherwise two concurrent first turns would both create
   * it.
   */
  readonly firstRun: readonly string[] | null;
  shell(command: string): ToolCall;
  /** The status of a shell call whose command ends with a non-zero exit code. */
  readonly failedCommand: Outcome;
  /** A call that the agent cannot execute. */
  readonly broken: ToolCall;
  /** Returns the calls that start a subagent and wait for it. */
  subagent(prompt: string): readonly (ToolCall | CallOf)[];
  /** Whether the agent runs a new hook only once the user has trusted the hook. */
  readonly trustsHooks: boolean;
  /** A call that a turn without `isAllowed` refuses; `null` if such turns refuse no call. */
  readonly refused: Refused | null;
  /** The dialog for a permission; `null` for an agent that asks for none. */
  readonly dialog: Dialog | null;
  /** The call that ends a subagent; `null` if the subagent ends with its answer. */
  readonly completion: ToolCall | null;
}
