/** Parses the command line of `pnpm cluster:check`. */
import { resolve } from 'node:path';
import { type FlagTable, flagLines, numberOf, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import type { Parsed } from '../options.ts';
import { FAULT_KINDS } from './faults.ts';

type Name = 'faults' | 'seed' | 'minutes' | 'only' | 'history' | 'judge' | 'no-build';

export interface CheckOptions {
  readonly faults: number;
  readonly seed: number;
  /** No fault begins after this time. */
  readonly minutes: number;
  readonly kinds: readonly string[];
  /** The file of the history. */
  readonly history: string;
  /** A history to judge, instead of a run. */
  readonly judge: string | null;
  readonly build: boolean;
}

/** Smallest, default and largest value of each flag. */
const BOUNDS = {
  faults: [1, 10, 10_000],
  seed: [0, 1, 4_294_967_295],
  minutes: [0.1, 1_440, 1_440],
} as const;

const FLAGS: FlagTable<Name> = {
  faults: { value: 'N', help: `number of faults (default ${BOUNDS.faults[1]})` },
  seed: { value: 'N', help: 'seed of the faults, their places and lengths (default 1)' },
  minutes: { value: 'N', help: 'begin no fault after so many minutes' },
  only: { value: 'LIST', help: 'only these kinds of faults, separated by commas' },
  history: { value: 'FILE', help: 'where the history goes (default .bench/cluster/history-SEED.ndjson)' },
  judge: { value: 'FILE', help: 'judge the history in this file; start nothing' },
  'no-build': { help: 'start what is built already, stale or not' },
};

const USAGE = `Usage: pnpm cluster:check [flags]

Starts three servers of NATS and four ingest servers, sends events to all of them, and injects faults one after the
other. After each it checks that no acknowledged event is lost and none is stored twice, that all copies are equal, that
reads never go backwards, and that a client of the stream sees every event once, in order.

${flagLines(FLAGS)}
The kinds of faults: ${FAULT_KINDS.map(({ name }) => name).join(', ')}.
Exit code: 0 no violation, also where nats-server cannot be installed; 1 a violation, 2 a wrong flag.
`;

export function parseCheck(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Parsed<CheckOptions> {
  const parsed = parseFlags(argv, FLAGS);
  if (parsed.kind === 'help') return { kind: 'help', text: USAGE };
  if (parsed.kind === 'wrong') return parsed;
  const { flags, words } = parsed;
  const problems = words.map((word) => `unexpected argument ${word}`);
  const whole = (name: 'faults' | 'seed'): number => {
    const value = numberOf(flags, name, BOUNDS[name], problems);
    if (!Number.isInteger(value)) problems.push(`--${name} must be a whole number, not ${value}`);
    return value;
  };
  const known = FAULT_KINDS.map(({ name }) => name);
  const kinds = flags.get('only')?.split(',') ?? known;
  for (const kind of kinds)
    if (!known.includes(kind)) problems.push(`--only must be of ${known.join(', ')}, not ${kind}`);
  const path = (name: 'history' | 'judge'): string | null =>
    flags.has(name) ? resolve(env.INIT_CWD || '.', flags.get(name)!) : null;
  const seed = whole('seed');
  const options: CheckOptions = {
    faults: whole('faults'),
    seed,
    minutes: numberOf(flags, 'minutes', BOUNDS.minutes, problems),
    kinds,
    history: path('history') ?? `${ROOT}.bench/cluster/history-${seed}.ndjson`,
    judge: path('judge'),
    build: !flags.has('no-build'),
  };
  return problems.length > 0 ? { kind: 'wrong', problems } : { kind: 'run', options };
}
