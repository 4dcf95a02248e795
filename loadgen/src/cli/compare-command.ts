/** The command `bench:compare`: its flags, the checks of flags that depend on each other, and the run. */
import { existsSync } from 'node:fs';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { FLAG_ENTRIES } from '../plan/flags.ts';
import { type Given, type Parsed, parseCommand, type Usage } from '../plan/parse.ts';
import { type Options, parseRates } from '../plan/spec.ts';
import { specsOf } from '../plan/suite.ts';
import { compare } from '../run/compare.ts';
import type { Contenders } from '../run/contenders.ts';
import { runCommand } from './run-command.ts';

const COMPARE: Usage = {
  name: 'compare',
  about: `Starts both servers in turn, sends them the same events, and reports how they compare.
bench:full is bench:compare --mode=all, bench:quick is bench:compare --quick. Only bench:full -- --publish replaces
benchmark-results.json, and bench:soak -- --publish docs/suites/soak.json.`,
  exit: 'Exit: 0 compared, 1 a server or the comparison failed, 2 a flag is wrong, 130 interrupted.',
};

/** Returns the exit code: 0 compared, 1 failed, 2 a flag is wrong, 130 interrupted. */
export function compareCommand(argv: readonly string[], contenders: Contenders, program?: string) {
  const run = (options: Options, lifetime: Lifetime) => compare(argv, options, contenders, lifetime);
  return runCommand('compare', parseOptions(argv), run, program);
}

export function parseOptions(argv: readonly string[]): Parsed<Options> {
  return parseCommand(COMPARE, argv, finish);
}

function finish(values: Given, problems: string[]): Options {
  const options = {
    ...values,
    // A given duration replaces the default number of events of a quick run.
    events: values.given.has('duration') && !values.given.has('events') ? undefined : values.events,
    rates: values.rate === undefined ? undefined : parseRates(values.rate, problems),
  };
  const { corpus, given, mode, rates } = options;
  if (problems.length > 0) return options;
  if (corpus !== undefined && !existsSync(corpus)) problems.push(`--corpus ${corpus} does not exist`);
  for (const [name, { modes }] of FLAG_ENTRIES)
    if (given.has(name) && modes?.includes(mode) === false)
      problems.push(`--${name} has no meaning with --mode=${mode}`);
  if (mode !== 'open' && given.has('events') && given.has('duration'))
    problems.push('--events and --duration both say how long a round is; give one of them');
  if (mode === 'soak' && rates !== undefined && (rates.length > 1 || rates[0]!.kind !== 'fixed'))
    problems.push('--rate of a soak is one rate in events per second');
  if (mode === 'soak' && given.has('publish') && corpus !== undefined)
    problems.push('--publish excludes --corpus: the committed soak has generated events');
  // The names of the measurements are known only when all other flags are valid.
  if (problems.length === 0) problems.push(...pickProblems(options));
  return options;
}

/** Returns the unknown names of `--pick`. A mistyped name would silently leave out its measurement. */
function pickProblems(options: Options): string[] {
  const names = specsOf({ ...options, pick: undefined }, { k6: false, wrk: true }).map(({ name }) => name);
  const measured = `--mode=${options.mode} measures ${names.join(', ') || 'nothing but starts'}`;
  const unknown = (options.pick ?? []).filter((name) => !names.includes(name));
  return unknown.map((name) => `--pick names ${name || 'nothing'}; ${measured}`);
}
