/** Lists all agents, in the order of the report. */
import type { AgentKind, AgentName } from './agent.ts';
import { CLAUDE_CODE } from './claude-code.ts';
import { CODEX } from './codex.ts';
import { COPILOT_CLI } from './copilot-cli.ts';
import { GEMINI } from './gemini.ts';
import { OPENCODE } from './opencode.ts';
import { QWEN_CODE } from './qwen-code.ts';

export const AGENTS: readonly AgentKind[] = [CLAUDE_CODE, CODEX, COPILOT_CLI, GEMINI, OPENCODE, QWEN_CODE];

export const AGENT_NAMES: readonly AgentName[] = AGENTS.map(({ name }) => name);
