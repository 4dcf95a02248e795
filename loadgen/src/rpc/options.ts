/** The command line of `pnpm bench:rpc`. */
import { type FlagTable, flagLines, numberOf, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import { isTargetName, TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Parsed } from '../run-command.ts';
import { SCENARIO_NAMES, type ScenarioName } from './rpc-result.ts';
import type { RunSize } from './sizes.ts';

export interface RpcOptions {
  readonly targets: readonly TargetName[];
  readonly scenarios: readonly ScenarioName[];
  readonly size: RunSize;
  readonly seed: number;
  /** `undefined`: the committed result, or, where it is not to be replaced, a scratch file. */
  readonly out: string | undefined;
  /** Every row as well. */
  readonly tables: boolean;
  readonly json: boolean;
  readonly build: boolean;
}

const MOST_SEED = 2 ** 32 - 1;

const FLAGS = {
  only: { value: 'NAME', help: 'measure one server alone (rs, ts)' },
  scenarios: { value: 'NAMES', help: `not all of ${SCENARIO_NAMES.join(', ')}` },
  quick: { help: 'tiny counts: feedback within a minute, never the committed result' },
  all: { help: 'the whole matrix, in up to 20 minutes instead of 5' },
  seed: { value: 'N', help: `of the values, from 0 to ${MOST_SEED} [1]` },
  out: { value: 'FILE', help: 'where the result goes; into a result of bench:compare it is put as its part' },
  tables: { help: 'print every row as well' },
  json: { help: 'print the result as JSON instead of the tables' },
  'no-build': { help: 'measure what is built, stale or not' },
} as const satisfies FlagTable<string>;

export function parseRpc(argv: readonly string[]): Parsed<RpcOptions> {
  const parsed = parseFlags(argv, FLAGS);
  if (parsed.kind === 'help') return { kind: 'help', text: USAGE };
  if (parsed.kind === 'wrong') return { kind: 'invalid', problems: parsed.problems };
  const { flags, words } = parsed;
  const problems = words.map((word) => `unexpected argument ${word}`);
  const only = flags.get('only');
  if (only !== undefined && !isTargetName(only)) problems.push(`--only must be one of rs, ts, not ${only}`);
  const asked = flags.get('scenarios')?.split(',');
  for (const name of asked ?? []) {
    if (!(SCENARIO_NAMES as readonly string[]).includes(name))
      problems.push(`--scenarios knows ${SCENARIO_NAMES.join(', ')}, not ${name}`);
  }
  const seed = numberOf(flags, 'seed', [0, 1, MOST_SEED], problems);
  if (!Number.isInteger(seed)) problems.push('--seed must be a whole number');
  if (flags.has('quick') && flags.has('all')) problems.push('--quick and --all exclude each other');
  if (problems.length > 0) return { kind: 'invalid', problems };
  return {
    kind: 'run',
    options: {
      targets: only !== undefined && isTargetName(only) ? [only] : TARGET_NAMES,
      scenarios: SCENARIO_NAMES.filter((name) => asked === undefined || asked.includes(name)),
      size: flags.has('quick') ? 'quick' : flags.has('all') ? 'all' : 'default',
      seed,
      out: flags.get('out'),
      tables: flags.has('tables'),
      json: flags.has('json'),
      build: !flags.has('no-build'),
    },
  };
}

const USAGE = `Usage: pnpm bench:rpc [-- FLAGS]

Measures typed calls (POST /api/rpc, methods echo.*) of both servers by the caller of client-ts: single values and
sequences, identical and random strings, with and without the client's checks, one and eight in flight.

${flagLines(FLAGS)}
Exit: 0 measured, 1 a server or the measurement failed, or an answer differs, 2 a flag is wrong,
130 interrupted. A goal that is missed is reported, and is no failure.
`;
