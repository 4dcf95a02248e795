/** The command line of `pnpm bench:codecs`. */
import { type FlagTable, flagLines, numberOf, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import { isTargetName, TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Parsed } from '../run-command.ts';
import { SCENARIO_NAMES, type ScenarioName } from './codecs-result.ts';
import type { RunSize } from './sizes.ts';

export interface CodecsOptions {
  readonly targets: readonly TargetName[];
  readonly scenarios: readonly ScenarioName[];
  readonly size: RunSize;
  readonly corpus: string | undefined;
  readonly seed: number;
  /** `undefined`: the committed result, or, where it is not to be replaced, a scratch file. */
  readonly out: string | undefined;
  readonly json: boolean;
  /** Every row is printed, not the short tables alone. */
  readonly tables: boolean;
  readonly build: boolean;
}

const MOST_SEED = 2 ** 32 - 1;

const FLAGS = {
  only: { value: 'NAME', help: 'measure one server alone (rs, ts)' },
  scenarios: { value: 'NAMES', help: `not all of ${SCENARIO_NAMES.join(', ')}` },
  quick: { help: 'tiny counts: feedback within a minute, never the committed result' },
  all: { help: 'the whole matrix, in up to 20 minutes instead of 5' },
  corpus: { value: 'FILE', help: 'recorded events, one a line, in the place of generated ones' },
  seed: { value: 'N', help: `of the events, from 0 to ${MOST_SEED} [1]` },
  out: { value: 'FILE', help: 'where the result goes; into a result of bench:compare it is put as its part' },
  json: { help: 'print the result as JSON instead of the tables' },
  tables: { help: 'print every row too, in lines of up to 300 characters' },
  'no-build': { help: 'measure what is built, stale or not' },
} as const satisfies FlagTable<string>;

export function parseCodecs(argv: readonly string[]): Parsed<CodecsOptions> {
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
      corpus: flags.get('corpus'),
      seed,
      out: flags.get('out'),
      json: flags.has('json'),
      tables: flags.has('tables'),
      build: !flags.has('no-build'),
    },
  };
}

const USAGE = `Usage: pnpm bench:codecs [-- FLAGS]

Measures formats (JSON, NDJSON, MessagePack, Protobuf, Arrow) and transports (TCP, socket, standard input):
codecs alone in both languages, and both servers end to end.

${flagLines(FLAGS)}
Exit: 0 measured, 1 a server or the measurement failed, or rows differ, 2 a flag is wrong, 130 interrupted.
A goal that is missed is reported, and is no failure.
`;
