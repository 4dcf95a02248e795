/** Reads the command line of `pnpm test:agents`. */
import { resolve } from 'node:path';
import { type FlagTable, flagLines, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import { isTargetName, TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { AgentKind } from './agents/agent.ts';
import { AGENT_NAMES, AGENTS } from './agents/agents.ts';

type Name = 'agent' | 'server' | 'only' | 'latest' | 'keep' | 'capture' | 'no-build';

export interface Options {
  readonly agents: readonly AgentKind[];
  readonly targets: readonly TargetName[];
  readonly only: string;
  readonly isLatest: boolean;
  readonly build: boolean;
  readonly keep: boolean;
  readonly capture: string | null;
}

const FLAGS: FlagTable<Name> = {
  agent: { value: 'NAME', help: `this agent alone: ${AGENT_NAMES.join(', ')}` },
  server: { value: 'rs|ts', help: 'this server alone' },
  only: { value: 'TEXT', help: 'scenarios whose name holds this text' },
  latest: { help: 'the newest versions of npm instead of those of agent-tests/versions.json' },
  capture: {
    value: 'DIR',
    help: 'write what the agents send, without texts of this machine, as parity-tests/captured has it',
  },
  'no-build': { help: 'use the servers as they are built' },
  keep: { help: 'keep the scratch homes and databases, and print their paths' },
};

export const HELP = `Usage: pnpm test:agents [flags]

Installs the agents from npm into .bench/agents, connects each to both servers, plays turns through a model API on
loopback, and compares what the servers stored with what the model API served.

${flagLines(FLAGS)}
Exit code: 0 all passed, 1 a test failed, 2 a wrong flag. Agents that do not install or start are skipped.
The last lines name each agent as verified or unverified.
`;

export type Parsed =
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }
  | { readonly kind: 'run'; readonly options: Options };

export function parseOptions(argv: readonly string[]): Parsed {
  const parsed = parseFlags(argv, FLAGS);
  if (parsed.kind !== 'given') return parsed;
  const { flags, words } = parsed;
  const problems = words.map((word) => `unexpected argument ${word}`);
  const name = flags.get('agent');
  const agents = AGENTS.filter((one) => name === undefined || one.name === name);
  if (agents.length === 0) problems.push(`--agent must be one of ${AGENT_NAMES.join(', ')}, not ${name}`);
  const server = flags.get('server');
  if (server !== undefined && !isTargetName(server))
    problems.push(`--server must be rs or ts, not ${server}`);
  if (problems.length > 0) return { kind: 'wrong', problems };
  return {
    kind: 'run',
    options: {
      agents,
      targets: TARGET_NAMES.filter((one) => server === undefined || one === server),
      only: flags.get('only') ?? '',
      isLatest: flags.has('latest'),
      build: !flags.has('no-build'),
      keep: flags.has('keep'),
      capture: flags.has('capture') ? resolve(process.env.INIT_CWD ?? '', flags.get('capture')!) : null,
    },
  };
}
