/**
 * The command line: what was asked for, checked as a whole before anything runs.
 *
 * What must stay true: every problem is reported at once, and nothing wrong is replaced by a default. Starts
 * nothing and reads no file but to see whether one exists.
 */
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { isTargetName, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { METRIC_KEYS } from '../metrics.ts';
import { parseThreshold, type Threshold } from '../threshold.ts';
import { checkTogether } from './checks.ts';
import { FLAGS, type FlagName, helpText, QUICK } from './flags.ts';
import { parseRates, type RequestedRate } from './rates.ts';
import type { Durability, Options, RunMode } from './types.ts';

export type ParsedOptions =
  | { readonly kind: 'run'; readonly options: Options }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

type Given = ReadonlyMap<FlagName, readonly string[]>;

/** Flags as they stand after the program; a bare `--`, which pnpm passes on, means nothing. */
export function parseOptions(argv: readonly string[]): ParsedOptions {
  const problems: string[] = [];
  const given = readFlags(argv, problems);
  if (given.has('help')) return { kind: 'help', text: helpText() };
  const quick = given.has('quick');
  const options: Options = {
    mode: choice(given, 'mode', problems) as RunMode,
    quick,
    only: onlyTarget(choice(given, 'only', problems)),
    pick: text(given, 'pick')?.split(','),
    events:
      integer(given, 'events', problems) ?? (quick && !given.has('duration') ? QUICK.events : undefined),
    duration: integer(given, 'duration', problems),
    driver: choice(given, 'driver', problems) as 'autocannon' | 'wrk',
    concurrency: integer(given, 'concurrency', problems)!,
    batchSize: integer(given, 'batch-size', problems)!,
    rates: rates(given, problems),
    streamClients: integer(given, 'stream-clients', problems),
    soakMinutes:
      quick && !given.has('soak-minutes') ? QUICK.soakMinutes : integer(given, 'soak-minutes', problems)!,
    warmup: integer(given, 'warmup', problems) ?? (quick ? QUICK.warmup : undefined),
    rounds: quick && !given.has('rounds') ? QUICK.rounds : integer(given, 'rounds', problems)!,
    starts: quick && !given.has('starts') ? QUICK.starts : integer(given, 'starts', problems)!,
    corpus: text(given, 'corpus'),
    payload: choice(given, 'payload', problems) as 'mixed' | 'small',
    ids: choice(given, 'ids', problems) as 'random' | 'time',
    seed: integer(given, 'seed', problems)!,
    preload: integer(given, 'preload', problems)!,
    durability: choice(given, 'durability', problems) as Durability,
    maxMetadataBytes: integer(given, 'max-metadata-bytes', problems),
    thresholds: thresholds(given, problems),
    out: text(given, 'out'),
    json: given.has('json'),
    md: text(given, 'md'),
    html: text(given, 'html'),
    build: !given.has('no-build'),
    given: new Set(given.keys()),
  };
  if (problems.length === 0) {
    const { corpus } = options;
    if (corpus !== undefined && !existsSync(corpus)) problems.push(`--corpus ${corpus} does not exist`);
    problems.push(...checkTogether(options));
  }
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'run', options };
}

function readFlags(argv: readonly string[], problems: string[]): Given {
  const { tokens } = parseArgs({
    args: argv.filter((argument) => argument !== '--'),
    options: Object.fromEntries(
      Object.entries(FLAGS).map(([name, flag]) => [
        name,
        { type: flag.value ? ('string' as const) : ('boolean' as const) },
      ]),
    ),
    strict: false,
    tokens: true,
  });
  const given = new Map<FlagName, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`unexpected argument ${token.value}`);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    if (!isFlag(name) || !rawName.startsWith('--')) {
      problems.push(`unknown flag ${rawName}; --help lists all`);
      continue;
    }
    const values = given.get(name) ?? [];
    if (values.length > 0 && FLAGS[name].repeatable !== true) problems.push(`${rawName} is given twice`);
    else if (FLAGS[name].value === undefined) {
      if (value !== undefined) problems.push(`${rawName} takes no value`);
      given.set(name, ['']);
    } else if (value === undefined || value === '' || value.startsWith('--'))
      problems.push(`${rawName} needs a value`);
    else given.set(name, [...values, value]);
  }
  return given;
}

function isFlag(name: string): name is FlagName {
  return Object.hasOwn(FLAGS, name);
}

function text(given: Given, name: FlagName): string | undefined {
  return given.get(name)?.[0];
}

function onlyTarget(name: string | undefined): TargetName | undefined {
  return name !== undefined && isTargetName(name) ? name : undefined;
}

function integer(given: Given, name: FlagName, problems: string[]): number | undefined {
  const flag = FLAGS[name];
  const value = text(given, name);
  if (value === undefined) return typeof flag.default === 'number' ? flag.default : undefined;
  const { minimum = 0, maximum = Number.MAX_SAFE_INTEGER } = flag;
  const number = /^\d+$/.test(value) ? Number(value) : Number.NaN;
  if (number >= minimum && number <= maximum) return number;
  problems.push(`--${name} must be an integer from ${minimum} to ${maximum}, not ${value}`);
  return minimum;
}

function choice(given: Given, name: FlagName, problems: string[]): string | undefined {
  const flag = FLAGS[name];
  const value = text(given, name) ?? (flag.default as string | undefined);
  if (value === undefined || flag.choices!.includes(value)) return value;
  problems.push(`--${name} must be one of ${flag.choices!.join(', ')}, not ${value}`);
  return flag.choices![0];
}

function rates(given: Given, problems: string[]): readonly RequestedRate[] | undefined {
  const value = text(given, 'rate');
  if (value === undefined) return undefined;
  const parsed = parseRates(value);
  if (typeof parsed !== 'string') return parsed;
  problems.push(parsed);
  return undefined;
}

function thresholds(given: Given, problems: string[]): Threshold[] {
  const parsed = (given.get('threshold') ?? []).map((value) => parseThreshold(value, METRIC_KEYS));
  problems.push(
    ...parsed.filter((found) => typeof found === 'string').map((problem) => `--threshold ${problem}`),
  );
  return parsed.filter((found) => typeof found !== 'string');
}
