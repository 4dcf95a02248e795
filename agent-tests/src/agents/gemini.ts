/** Gemini CLI: its OTLP logs contain no cost and no call ids. */
import { join } from 'node:path';
import type { AgentKind } from './agent.ts';

export const GEMINI: AgentKind = {
  name: 'gemini',
  label: 'Gemini CLI',
  agentType: 'gemini_cli',
  models: ['gemini-2.5-pro', 'gemini-2.5-flash'],
  promised: {
    cost: () => null,
    hasCallIds: false,
    hasCacheWrites: false,
    sendsAgain: true,
    hasSideRequests: true,
    hookTools: {},
    deniedCall: 'error',
    hasSubagentSessions: false,
    endStatus: 'active',
  },
  program: (prefix) => ({
    file: process.execPath,
    args: [join(prefix, 'node_modules/@google/gemini-cli/bundle/gemini.js')],
  }),
  settings: ({ home, project }) => ({
    [join(home, '.gemini/settings.json')]: {
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      general: {
        disableAutoUpdate: true,
        enableAutoUpdate: false,
        disableUpdateNag: true,
        enableAutoUpdateNotification: false,
      },
      privacy: { usageStatisticsEnabled: false },
    },
    [join(home, '.gemini/trustedFolders.json')]: { [project]: 'TRUST_FOLDER' },
  }),
  env: ({ apiUrl }) => ({
    GEMINI_API_KEY: 'dummy',
    GOOGLE_GEMINI_BASE_URL: apiUrl,
    // Without this variable the CLI starts a second process of itself.
    GEMINI_CLI_NO_RELAUNCH: 'true',
  }),
  firstRun: null,
  turn: (_, { prompt, model, isResumed, isAllowed }) => [
    ...['-m', model, '-p', prompt],
    ...(isResumed ? ['--resume', 'latest'] : []),
    ...(isAllowed ? ['--approval-mode', 'yolo'] : []),
  ],
  shell: (command) => ({ name: 'run_shell_command', input: { command, description: 'A step of the test' } }),
  failedCommand: 'success',
  broken: { name: 'read_file', input: { file_path: 'missing/file' } },
  subagent: (prompt) => [{ name: 'invoke_agent', input: { agent_name: 'generalist', prompt } }],
  trustsHooks: false,
  refused: {
    call: { name: 'run_shell_command', input: { command: 'touch made', description: 'A step of the test' } },
    endsTurn: false,
  },
  dialog: {
    args: ({ prompt, model }) => ['-m', model, '-i', prompt],
    call: { name: 'run_shell_command', input: { command: 'touch made', description: 'A step of the test' } },
    question: /Allowexecutionof/,
    refusal: /Requestcancelled/,
    hasWaits: false,
    sessions: 1,
  },
  completion: { name: 'complete_task', input: { result: { response: 'Done' } } },
};
