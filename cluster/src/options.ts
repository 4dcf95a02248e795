/** Parses the command line of `pnpm cluster`. */
import { resolve } from 'node:path';
import { type FlagTable, flagLines, numberOf, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import { isTargetName, TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';

type Name = 'folder' | 'servers' | 'runtimes' | 'port' | 'seconds' | 'no-build';

export interface ClusterOptions {
  /** The folder of all files; `null`: a new one, removed at the end. */
  readonly folder: string | null;
  /** The runtime of each server. */
  readonly runtimes: readonly TargetName[];
  readonly port: number;
  /** Duration in seconds; `null` means until the user ends it. */
  readonly seconds: number | null;
  readonly build: boolean;
}

export type Parsed<Options> =
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }
  | { readonly kind: 'run'; readonly options: Options };

/** Smallest, default and largest value of each flag. */
const BOUNDS = { servers: [1, 4, 12], port: [0, 0, 65_000], seconds: [0.1, 0, 86_400] } as const;

const FLAGS: FlagTable<Name> = {
  folder: {
    value: 'DIR',
    help: 'keep all files in this folder, and continue what it holds (default: a new one)',
  },
  servers: { value: 'N', help: `number of servers (default ${BOUNDS.servers[1]})` },
  runtimes: { value: 'LIST', help: 'runtimes that the servers take in turn (default rs,ts)' },
  port: { value: 'N', help: 'port of the first server; the others have the next ones (default: free ones)' },
  seconds: { value: 'N', help: 'end after this long (default: on Ctrl-C)' },
  'no-build': { help: 'start what is built already, stale or not' },
};

const USAGE = `Usage: pnpm cluster [flags]

Starts three servers of NATS and several ingest servers on loopback, which share one stream, and prints their addresses.
Ctrl-C ends all of them.

${flagLines(FLAGS)}
Exit code: 0 at the end, 1 something did not start, 2 a wrong flag.
`;

/** Parses flags. Paths are relative to the caller, whose folder pnpm passes in `INIT_CWD`. */
export function parseCluster(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Parsed<ClusterOptions> {
  const parsed = parseFlags(argv, FLAGS);
  if (parsed.kind === 'help') return { kind: 'help', text: USAGE };
  if (parsed.kind === 'wrong') return parsed;
  const { flags, words } = parsed;
  const problems = words.map((word) => `unexpected argument ${word}`);
  const whole = (name: keyof typeof BOUNDS): number => {
    const value = numberOf(flags, name, BOUNDS[name], problems);
    if (!Number.isInteger(value)) problems.push(`--${name} must be a whole number, not ${value}`);
    return value;
  };
  const listed = (flags.get('runtimes') ?? TARGET_NAMES.join(',')).split(',');
  const mix = listed.filter(isTargetName);
  if (mix.length < listed.length || mix.length === 0)
    problems.push(`--runtimes must be rs and ts, separated by commas, not ${listed.join(',')}`);
  const count = whole('servers');
  const options: ClusterOptions = {
    folder: flags.has('folder') ? resolve(env.INIT_CWD || '.', flags.get('folder')!) : null,
    runtimes: Array.from({ length: count }, (_, index) => mix[index % mix.length] ?? 'rs'),
    port: whole('port'),
    seconds: flags.has('seconds') ? numberOf(flags, 'seconds', BOUNDS.seconds, problems) : null,
    build: !flags.has('no-build'),
  };
  return problems.length > 0 ? { kind: 'wrong', problems } : { kind: 'run', options };
}
