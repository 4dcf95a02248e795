/** The command line of `pnpm bench:binary`. */
import { type FlagTable, flagLines, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import { isTargetName, TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Parsed } from '../run-command.ts';
import { SCENARIO_NAMES, type ScenarioName } from './binary-result.ts';
import type { RunSize } from './sizes.ts';

export interface BinaryOptions {
  readonly targets: readonly TargetName[];
  readonly scenarios: readonly ScenarioName[];
  readonly size: RunSize;
  /** `undefined`: the committed result, or, where it is not to be replaced, a scratch file. */
  readonly out: string | undefined;
  readonly json: boolean;
  readonly build: boolean;
}

const FLAGS = {
  only: { value: 'NAME', help: 'measure one server alone (rs, ts)' },
  scenarios: { value: 'NAMES', help: `not all of ${SCENARIO_NAMES.join(', ')}` },
  quick: { help: 'tiny counts: feedback within a minute, never the committed result' },
  all: { help: 'the whole matrix, in up to 15 minutes instead of 5' },
  out: { value: 'FILE', help: 'where the result goes; into a result of bench:compare it is put as its part' },
  json: { help: 'print the result as JSON instead of the tables' },
  'no-build': { help: 'measure what is built, stale or not' },
} as const satisfies FlagTable<string>;

export function parseBinary(argv: readonly string[]): Parsed<BinaryOptions> {
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
  if (flags.has('quick') && flags.has('all')) problems.push('--quick and --all exclude each other');
  if (problems.length > 0) return { kind: 'invalid', problems };
  return {
    kind: 'run',
    options: {
      targets: only !== undefined && isTargetName(only) ? [only] : TARGET_NAMES,
      scenarios: SCENARIO_NAMES.filter((name) => asked === undefined || asked.includes(name)),
      size: flags.has('quick') ? 'quick' : flags.has('all') ? 'all' : 'default',
      out: flags.get('out'),
      json: flags.has('json'),
      build: !flags.has('no-build'),
    },
  };
}

const USAGE = `Usage: pnpm bench:binary [-- FLAGS]

Measures how binary data gets from both servers into an ArrayBuffer of a page, in a real Chromium,
and what /livez of another client takes while bodies of 64 MiB go through.

${flagLines(FLAGS)}
Exit: 0 measured, 1 a server, the browser or the measurement failed, or bytes differ, 2 a flag is wrong,
130 interrupted. A goal that is missed is reported, and is no failure.
`;
