/** The agents that `connect` configures and `doctor` reads, in display order. */
import type { Agent } from './agent.ts';
import { CLAUDE_CODE } from './claude-code.ts';
import { CODEX } from './codex.ts';
import { GEMINI } from './gemini.ts';
import { OPENCODE } from './opencode.ts';

export const AGENTS: readonly Agent[] = [CLAUDE_CODE, CODEX, GEMINI, OPENCODE];

export function agentOf(name: string | undefined): Agent | undefined {
  return AGENTS.find((agent) => agent.name === name);
}
