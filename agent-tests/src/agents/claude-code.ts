/** Claude Code: its hooks report calls and waits, its OTLP logs report tokens and cost. */
import { join } from 'node:path';
import type { Usage } from '../api/script.ts';
import type { AgentKind, Place, Turn } from './agent.ts';

/** US dollars per million tokens of input, output, cache reads and cache writes. */
const PRICES: Readonly<Record<string, readonly [number, number, number, number]>> = {
  'claude-sonnet-4-5': [3, 15, 0.3, 3.75],
  'claude-haiku-4-5': [1, 5, 0.1, 1.25],
};

export const CLAUDE_CODE: AgentKind = {
  name: 'claude-code',
  label: 'Claude Code',
  agentType: 'claude_code',
  models: ['claude-sonnet-4-5', 'claude-haiku-4-5'],
  promised: {
    cost: costOf,
    hasCallIds: true,
    hasCacheWrites: true,
    sendsAgain: true,
    hasSideRequests: true,
    hookTools: {},
    deniedCall: 'none',
    hasSubagentSessions: false,
    endStatus: 'ended',
  },
  program: (prefix) => ({
    file: join(prefix, `node_modules/@anthropic-ai/claude-code-${process.platform}-${process.arch}/claude`),
    args: [],
  }),
  settings: ({ project, home }) => ({
    [join(home, '.claude.json')]: {
      hasCompletedOnboarding: true,
      customApiKeyResponses: { approved: ['dummy'], rejected: [] },
      projects: { [project]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
    },
  }),
  env: ({ apiUrl }) => ({
    IS_SANDBOX: '1',
    ANTHROPIC_API_KEY: 'dummy',
    ANTHROPIC_BASE_URL: apiUrl,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
    // At most one retry, so that a failed request does not delay the test.
    CLAUDE_CODE_MAX_RETRIES: '1',
  }),
  firstRun: null,
  turn: (_: Place, { prompt, model, isResumed, isAllowed }: Turn) => [
    ...['-p', prompt, '--model', model],
    ...(isResumed ? ['--continue'] : []),
    ...(isAllowed ? ['--allowedTools', 'Bash,Read'] : []),
  ],
  shell: (command) => ({ name: 'Bash', input: { command, description: 'A step of the test' } }),
  failedCommand: 'error',
  broken: { name: 'Read', input: { file_path: '/missing/file' } },
  subagent: (prompt) => [
    {
      name: 'Agent',
      input: {
        description: 'A step of the test',
        prompt,
        subagent_type: 'general-purpose',
        run_in_background: false,
      },
    },
  ],
  trustsHooks: false,
  refused: {
    call: { name: 'Bash', input: { command: 'touch made', description: 'A step of the test' } },
    endsTurn: false,
  },
  dialog: {
    args: ({ prompt, model }) => [prompt, '--model', model],
    call: { name: 'Bash', input: { command: 'touch made', description: 'A step of the test' } },
    question: /Doyouwanttoproceed/,
    refusal: /Interrupted/,
    hasWaits: true,
    sessions: 1,
  },
  completion: null,
};

function costOf(model: string, { input, output, cacheRead, cacheWrite }: Usage): number {
  const [perInput, perOutput, perRead, perWrite] = PRICES[model]!;
  return (input * perInput + output * perOutput + cacheRead * perRead + cacheWrite * perWrite) / 1_000_000;
}
