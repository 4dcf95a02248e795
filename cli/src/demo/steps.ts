/** Defines the steps of coding agents, independent of the agent. A demo derives hooks and telemetry from them. */

export const AGENT_NAMES = ['claude_code', 'codex', 'gemini_cli'] as const;
export type AgentName = (typeof AGENT_NAMES)[number];

export interface Session {
  readonly id: string;
  readonly agent: AgentName;
  readonly model: string;
  readonly project: string;
  readonly branch: string;
}

/** Each agent has its own names for these tools. */
export type ToolKind = 'shell' | 'read' | 'edit' | 'search';

export interface Call {
  readonly id: string;
  readonly tool: ToolKind;
  /** The command, the file or the pattern. */
  readonly input: string;
  readonly duration_ms: number;
  /** The message of a failed call; `null` if the call succeeds. */
  readonly error: string | null;
  /** The subagent that makes the call; `null`: the main agent. */
  readonly agent_id: string | null;
}

/** An answer of a model. Each token counts in exactly one of the four. */
export interface Reply {
  readonly tokens_in: number;
  readonly tokens_out: number;
  readonly cache_read_tokens: number;
  readonly cache_write_tokens: number;
  /** Billionths of a dollar; `null` when the agent sends no cost. */
  readonly cost_nanos: number | null;
  readonly duration_ms: number;
}

export interface Subagent {
  readonly id: string;
  readonly name: string;
  readonly task: string;
}

export type Step =
  | { readonly kind: 'start' }
  | { readonly kind: 'prompt'; readonly id: string; readonly text: string }
  | { readonly kind: 'reply'; readonly reply: Reply }
  /** A request to a model fails. */
  | { readonly kind: 'failure'; readonly error: string; readonly duration_ms: number }
  | { readonly kind: 'call'; readonly call: Call }
  /** The call waits until the user allows it. */
  | { readonly kind: 'ask'; readonly call: Call }
  | { readonly kind: 'result'; readonly call: Call }
  | { readonly kind: 'subagent'; readonly subagent: Subagent }
  | { readonly kind: 'subagent end'; readonly subagent: Subagent }
  | { readonly kind: 'turn end'; readonly text: string }
  | { readonly kind: 'end' };

/** A step of a session. */
export interface Action {
  readonly session: Session;
  readonly step: Step;
}
