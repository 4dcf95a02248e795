/** GitHub Copilot CLI: its spans report tokens and calls; its hooks report prompts, waits and ends of sessions. */
import { join } from 'node:path';
import type { AgentKind } from './agent.ts';

export const COPILOT_CLI: AgentKind = {
  name: 'copilot-cli',
  label: 'GitHub Copilot CLI',
  agentType: 'copilot_cli',
  models: ['claude-sonnet-4.5', 'claude-haiku-4.5'],
  promised: {
    cost: () => null,
    hasCallIds: true,
    hasCacheWrites: true,
    sendsAgain: false,
    hasSideRequests: true,
    hookTools: {},
    deniedCall: 'error',
    hasSubagentSessions: false,
    // Its hooks and its telemetry arrive in any order.
    endStatus: null,
  },
  program: (prefix) => ({
    file: join(prefix, `node_modules/@github/copilot-${process.platform}-${process.arch}/copilot`),
    args: [],
  }),
  settings: ({ home, project }) => ({
    [join(home, '.copilot/config.json')]: { trustedFolders: [project] },
  }),
  env: ({ apiUrl, serverUrl }) => ({
    COPILOT_PROVIDER_TYPE: 'anthropic',
    COPILOT_PROVIDER_API_KEY: 'dummy',
    COPILOT_PROVIDER_BASE_URL: apiUrl,
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    // What `connect` advises, since no setting switches telemetry on.
    OTEL_EXPORTER_OTLP_ENDPOINT: serverUrl,
  }),
  firstRun: null,
  turn: (_, { prompt, model, isResumed, isAllowed }) => [
    ...['--model', model, '-p', prompt],
    ...(isResumed ? ['--continue'] : []),
    ...(isAllowed ? ['--allow-all'] : []),
  ],
  shell: (command) => ({ name: 'bash', input: { command, description: 'A step of the test' } }),
  failedCommand: 'success',
  broken: { name: 'view', input: { path: '/missing/file' } },
  subagent: (prompt) => [
    {
      name: 'task',
      input: { name: 'helper', description: 'A step of the test', agent_type: 'task', prompt, mode: 'sync' },
    },
  ],
  trustsHooks: false,
  refused: {
    call: { name: 'bash', input: { command: 'touch made', description: 'A step of the test' } },
    endsTurn: false,
    // Its hook says that the user is asked, also where it is impossible.
    looksAsked: true,
  },
  dialog: {
    args: ({ prompt, model }) => ['--model', model, '-i', prompt],
    call: { name: 'bash', input: { command: 'touch made', description: 'A step of the test' } },
    question: /Doyouwanttorunthiscommand/,
    refusal: /Rejected|Cancelled|cancelled|rejected/,
    answer: /All\W*d/,
    hasWaits: true,
    sessions: 1,
  },
  completion: null,
};
