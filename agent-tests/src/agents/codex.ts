/** Codex: OTLP logs for tokens and calls; its command hooks run only once they are trusted. */
import { join } from 'node:path';
import type { AgentKind } from './agent.ts';

export const CODEX: AgentKind = {
  name: 'codex',
  label: 'Codex',
  agentType: 'codex',
  models: ['gpt-5.1-codex', 'gpt-5.2'],
  promised: {
    cost: () => null,
    hasCallIds: true,
    hasCacheWrites: false,
    hasSideRequests: true,
    deniedCall: 'error',
    hasSubagentSessions: true,
    endStatus: 'active',
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
  turn: (_, { prompt, model, isResumed }) => [
    ...['exec', '--skip-git-repo-check', '-m', model],
    ...(isResumed ? ['resume', '--last'] : []),
    prompt,
  ],
  shell: (command) => ({ name: 'exec_command', input: { cmd: command } }),
  subagent: (prompt) => ({ name: 'spawn_agent', input: { message: prompt } }),
  dialog: null,
};
