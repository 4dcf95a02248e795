/** Qwen Code: its OTLP logs report tokens and calls without ids; its hooks report prompts and waits. */
import { join } from 'node:path';
import type { AgentKind } from './agent.ts';

export const QWEN_CODE: AgentKind = {
  name: 'qwen-code',
  label: 'Qwen Code',
  agentType: 'qwen_code',
  models: ['claude-sonnet-4-5', 'claude-haiku-4-5'],
  promised: {
    cost: () => null,
    hasCallIds: false,
    hasCacheWrites: false,
    sendsAgain: true,
    hasSideRequests: true,
    hookTools: {},
    deniedCall: 'error',
    hasSubagentSessions: false,
    // A headless turn runs no hook at its end.
    endStatus: 'active',
  },
  program: (prefix) => ({
    file: process.execPath,
    args: [join(prefix, 'node_modules/@qwen-code/qwen-code/cli.js')],
  }),
  settings: ({ home, project }) => ({
    [join(home, '.qwen/settings.json')]: {
      security: { auth: { selectedType: 'anthropic' }, folderTrust: { enabled: false } },
      general: { disableAutoUpdate: true, enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
    },
    [join(home, '.qwen/trustedFolders.json')]: { [project]: 'TRUST_FOLDER' },
  }),
  env: ({ apiUrl }) => ({
    ANTHROPIC_API_KEY: 'dummy',
    ANTHROPIC_BASE_URL: apiUrl,
    ANTHROPIC_MODEL: 'claude-sonnet-4-5',
    // Without this variable the CLI starts a second process of itself.
    QWEN_CODE_NO_RELAUNCH: 'true',
  }),
  firstRun: null,
  turn: (_, { prompt, model, isResumed, isAllowed }) => [
    ...['-m', model, '-p', prompt],
    ...(isResumed ? ['--continue'] : []),
    ...(isAllowed ? ['--approval-mode', 'yolo'] : []),
  ],
  shell: (command) => ({
    name: 'run_shell_command',
    input: { command, description: 'A step of the test', is_background: false },
  }),
  failedCommand: 'success',
  broken: { name: 'read_file', input: { file_path: '/missing/file' } },
  subagent: (prompt) => [
    {
      name: 'agent',
      input: { description: 'A step of the test', subagent_type: 'general-purpose', prompt },
    },
  ],
  trustsHooks: false,
  refused: {
    call: {
      name: 'run_shell_command',
      input: { command: 'touch made', description: 'A step of the test', is_background: false },
    },
    endsTurn: false,
  },
  dialog: {
    args: ({ prompt, model }) => ['-m', model, '-i', prompt],
    call: {
      name: 'run_shell_command',
      input: { command: 'touch made', description: 'A step of the test', is_background: false },
    },
    question: /Allowexecutionof/,
    refusal: /cancelled|PressEscagaintorewind/,
    hasWaits: true,
    sessions: 1,
  },
  completion: null,
};
