/** A scenario: what is played with each agent, and what must hold afterwards. */
import type { AgentKind } from '../agents/agent.ts';
import type { Conversation } from '../api/script.ts';
import type { Trial } from '../run/trial.ts';

export interface Scenario {
  readonly name: string;
  /** Why it cannot be played with this agent, or `null`. */
  reasonToSkip?(agent: AgentKind): string | null;
  /** `start` may be called once. */
  run(agent: AgentKind, start: (conversations: readonly Conversation[]) => Promise<Trial>): Promise<void>;
}
