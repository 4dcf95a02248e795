/**
 * What the dashboard writes about each agent: `contract/agent-texts.json`, which is generated from the folders of the
 * agents. So no other source of the dashboard names one.
 */
import TEXTS from '../../contract/agent-texts.json' with { type: 'json' };

export interface Summaries {
  readonly object_paths: readonly string[];
  /** Paths that other columns show, or that are irrelevant to a reader. */
  readonly known: readonly string[];
  readonly hooks: Readonly<Record<string, readonly string[]>>;
  readonly other: readonly string[];
  readonly for_others?: boolean;
}

export interface AgentText {
  readonly label: string;
  /** Its name for `connect`; absent for agents that `connect` does not know. */
  readonly connect?: string;
  /** Absent for an agent without hooks. */
  readonly summaries?: Summaries;
}

const AGENTS: Readonly<Record<string, AgentText>> = TEXTS;

/** The templates for agents without their own. */
export const FOR_OTHERS: Summaries = Object.values(AGENTS).find(({ summaries }) => summaries?.for_others)!
  .summaries!;

/** The first agent that `connect` knows. */
export const EXAMPLE: AgentText = Object.values(AGENTS).find(({ connect }) => connect !== undefined)!;

/** Returns the texts of the agent with this `agent_type`. */
export function agentText(agentType: string): AgentText | undefined {
  return Object.hasOwn(AGENTS, agentType) ? AGENTS[agentType] : undefined;
}
