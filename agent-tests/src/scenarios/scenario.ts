/** Describes a scenario: the steps that run with each agent, and the checks after them. */
import type { AgentKind } from '../agents/agent.ts';
import type { Conversation } from '../api/script.ts';
import type { Trial } from '../run/trial.ts';

export interface Scenario {
  readonly name: string;
  /** Returns the reason why the scenario cannot run with this agent, or `null`. */
  reasonToSkip?(agent: AgentKind): string | null;
  /** Runs the scenario. It may call `start` once. */
  run(agent: AgentKind, start: (conversations: readonly Conversation[]) => Promise<Trial>): Promise<void>;
}
