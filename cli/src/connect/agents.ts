/** The agents that `connect` configures and `doctor` reads, in the order of the contract. */
import type { Agent } from './agent.ts';
import { CLAUDE_CODE } from './claude-code.ts';
import { CODEX } from './codex.ts';
import { jsonAgent } from './json-agent.ts';
import { OPENCODE } from './opencode.ts';
import { ALL_RECIPES } from './recipe.ts';

/** The agents whose format no other agent has. */
const OWN_FORMATS: Readonly<Record<string, Agent>> = { env: CLAUDE_CODE, toml: CODEX, plugin: OPENCODE };

export const AGENTS: readonly Agent[] = ALL_RECIPES.map(
  (recipe) => OWN_FORMATS[recipe.format] ?? jsonAgent(recipe),
);

export function agentOf(name: string | undefined): Agent | undefined {
  return AGENTS.find((agent) => agent.name === name);
}
