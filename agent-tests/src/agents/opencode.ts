/** OpenCode: the plugin that `connect` writes reports its events. */
import { join } from 'node:path';
import type { Usage } from '../api/script.ts';
import type { AgentKind } from './agent.ts';

/** US dollars per million tokens. */
const PRICES = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };

const MODEL = {
  tool_call: true,
  cost: PRICES,
  limit: { context: 200_000, output: 8_000 },
};

export const OPENCODE: AgentKind = {
  name: 'opencode',
  label: 'OpenCode',
  agentType: 'opencode',
  models: ['test/one', 'test/two'],
  promised: {
    cost: (_, { input, output, cacheRead, cacheWrite }: Usage) =>
      (input * PRICES.input +
        output * PRICES.output +
        cacheRead * PRICES.cache_read +
        cacheWrite * PRICES.cache_write) /
      1_000_000,
    hasCallIds: true,
    hasCacheWrites: true,
    sendsAgain: true,
    hasSideRequests: false,
    hookTools: {},
    deniedCall: 'error',
    hasSubagentSessions: false,
    endStatus: 'active',
  },
  program: (prefix) => ({
    file: join(prefix, `node_modules/opencode-${process.platform}-${process.arch}/bin/opencode`),
    args: [],
  }),
  settings: ({ home, apiUrl }) => ({
    [join(home, '.config/opencode/opencode.json')]: {
      autoupdate: false,
      share: 'disabled',
      // The command `run` refuses every call that needs the user's permission.
      permission: { bash: { '*': 'allow', 'touch *': 'ask' } },
      provider: {
        test: {
          npm: '@ai-sdk/anthropic',
          name: 'test',
          options: { baseURL: `${apiUrl}/v1`, apiKey: 'dummy' },
          models: { one: { name: 'one', ...MODEL }, two: { name: 'two', ...MODEL } },
        },
      },
    },
  }),
  env: ({ home }) => ({
    XDG_CONFIG_HOME: join(home, '.config'),
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
  }),
  firstRun: ['session', 'list'],
  turn: (_, { prompt, model, isResumed }) => [
    ...['run', '-m', model],
    ...(isResumed ? ['--continue'] : []),
    prompt,
  ],
  shell: (command) => ({ name: 'bash', input: { command, description: 'A step of the test' } }),
  failedCommand: 'success',
  broken: { name: 'read', input: { filePath: 'missing/file' } },
  subagent: (prompt) => [
    {
      name: 'task',
      input: { description: 'A step of the test', prompt, subagent_type: 'general' },
    },
  ],
  trustsHooks: false,
  refused: {
    call: { name: 'bash', input: { command: 'touch made', description: 'A step of the test' } },
    endsTurn: true,
  },
  dialog: null,
  completion: null,
};
