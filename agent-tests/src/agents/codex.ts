/** Codex: its OTLP logs report tokens and calls; its command hooks run only once they are trusted. */
import { join } from 'node:path';
import type { AgentKind } from './agent.ts';

const AGENTS_OF_MODEL = { namespace: 'multi_agent_v1' };

export const CODEX: AgentKind = {
  name: 'codex',
  label: 'Codex',
  agentType: 'codex',
  models: ['gpt-5.1-codex', 'gpt-5.2'],
  promised: {
    cost: () => null,
    hasCallIds: true,
    hasCacheWrites: false,
    sendsAgain: false,
    hasSideRequests: true,
    hookTools: { Bash: 'exec_command', multi_agent_v1wait_agent: 'wait_agent' },
    deniedCall: 'none',
    hasSubagentSessions: true,
    // Its hooks and its telemetry arrive in any order.
    endStatus: null,
  },
  program: (prefix) => ({
    file: process.execPath,
    args: [join(prefix, 'node_modules/@openai/codex/bin/codex.js')],
  }),
  settings: ({ home, project, apiUrl }) => ({
    [join(home, '.codex/config.toml')]: `model_provider = "test"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.test]
name = "test"
base_url = "${apiUrl}/v1"
wire_api = "responses"
env_key = "TEST_KEY"
request_max_retries = 0
stream_max_retries = 0

[projects."${project}"]
trust_level = "trusted"
`,
  }),
  env: () => ({ TEST_KEY: 'dummy' }),
  firstRun: null,
  turn: (_, { prompt, model, isResumed, areHooksTrusted }) => [
    ...['exec', '--skip-git-repo-check', '-m', model],
    ...(areHooksTrusted ? ['--dangerously-bypass-hook-trust'] : []),
    ...(isResumed ? ['resume', '--last'] : []),
    prompt,
  ],
  shell: (command) => ({ name: 'exec_command', input: { cmd: command } }),
  failedCommand: 'success',
  broken: { name: 'view_image', input: { path: '/missing/file' } },
  subagent: (prompt) => [
    { ...AGENTS_OF_MODEL, name: 'spawn_agent', input: { message: prompt } },
    (body) => ({ ...AGENTS_OF_MODEL, name: 'wait_agent', input: { targets: [agentIdIn(body)] } }),
  ],
  trustsHooks: true,
  refused: null,
  dialog: {
    args: ({ prompt, model }) => [
      ...['-a', 'on-request', '-s', 'read-only', '-m', model],
      ...['--dangerously-bypass-hook-trust', prompt],
    ],
    call: {
      name: 'exec_command',
      input: {
        cmd: 'touch made',
        sandbox_permissions: 'require_escalated',
        justification: 'A step of the test',
      },
    },
    question: /Wouldyouliketorunthefollowingcommand/,
    refusal: /Youcanceled/,
    hasWaits: true,
    // Codex generates the name of a session in a second session.
    sessions: 2,
  },
  completion: null,
};

/** Returns the id of the subagent that the result of `spawn_agent` names. */
function agentIdIn(body: string): string {
  return /agent_id\W+([0-9a-f-]{36})/.exec(body)?.[1] ?? 'no agent';
}
