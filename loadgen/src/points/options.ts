/**
 * The command line of `pnpm bench:points`: a table of flags, and the one place that reads them.
 *
 * What must stay true: every problem is reported at once, and nothing wrong is replaced by a default.
 */
import { parseArgs } from 'node:util';
import { isTargetName, TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';

/** As many events as one request of each connection holds: fewer would leave connections unused. */
const LEAST_EVENTS = 40 * 50;

const COUNTS = {
  events: {
    preset: 1_000_000,
    least: LEAST_EVENTS,
    most: 100_000_000,
    help: 'events in the database that is full, and events of a load',
  },
  growth: {
    preset: 5_000_000,
    least: LEAST_EVENTS,
    most: 100_000_000,
    help: 'events in the database that has grown',
  },
  rounds: { preset: 5, least: 1, most: 100, help: 'values of each point, in the order A B B A' },
  starts: { preset: 15, least: 1, most: 1000, help: 'starts measured per server and database' },
  seconds: { preset: 20, least: 1, most: 3600, help: 'length of a load beside which is read' },
  'idle-seconds': { preset: 15, least: 0, most: 3600, help: 'how long an idle server is left alone' },
} as const;

type Count = keyof typeof COUNTS;

export interface PointsOptions {
  readonly targets: readonly TargetName[];
  readonly events: number;
  readonly growth: number;
  readonly rounds: number;
  readonly starts: number;
  readonly seconds: number;
  readonly idle_seconds: number;
  readonly build: boolean;
  readonly out: string;
}

export type ParsedPoints =
  | { readonly kind: 'run'; readonly options: PointsOptions }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

const OUT = '.bench/points.json';
const TEXTS = ['only', 'out'] as const;
const SWITCHES: readonly string[] = ['no-build', 'help'];

/** Flags as they stand after the program; a bare `--`, which pnpm passes on, means nothing. */
export function parsePoints(argv: readonly string[]): ParsedPoints {
  const problems: string[] = [];
  const given = readFlags(argv, problems);
  if (given.has('help')) return { kind: 'help', text: helpText() };
  const count = (name: Count): number => {
    const { preset, least, most } = COUNTS[name];
    const text = given.get(name);
    if (text === undefined) return preset;
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    problems.push(`--${name} must be an integer from ${least} to ${most}, not ${text}`);
    return preset;
  };
  const only = given.get('only');
  if (only !== undefined && !isTargetName(only)) problems.push(`--only must be one of rs, ts, not ${only}`);
  const options: PointsOptions = {
    targets: only !== undefined && isTargetName(only) ? [only] : TARGET_NAMES,
    events: count('events'),
    growth: count('growth'),
    rounds: count('rounds'),
    starts: count('starts'),
    seconds: count('seconds'),
    idle_seconds: count('idle-seconds'),
    build: !given.has('no-build'),
    out: given.get('out') ?? OUT,
  };
  return problems.length > 0 ? { kind: 'invalid', problems } : { kind: 'run', options };
}

function readFlags(argv: readonly string[], problems: string[]): Map<string, string> {
  const takesValue: readonly string[] = [...Object.keys(COUNTS), ...TEXTS];
  const { tokens } = parseArgs({
    args: argv.filter((argument) => argument !== '--'),
    options: Object.fromEntries(takesValue.map((name) => [name, { type: 'string' as const }])),
    strict: false,
    tokens: true,
  });
  const given = new Map<string, string>();
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`unexpected argument ${token.value}`);
    if (token.kind !== 'option') continue;
    const { name, rawName, value } = token;
    const isSwitch = SWITCHES.includes(name);
    const known = isSwitch || takesValue.includes(name);
    if (!known || !rawName.startsWith('--')) problems.push(`unknown flag ${rawName}; --help lists all`);
    else if (given.has(name)) problems.push(`${rawName} is given twice`);
    else if (isSwitch) {
      if (value !== undefined) problems.push(`${rawName} takes no value`);
      given.set(name, '');
    } else if (value === undefined || value === '' || value.startsWith('--'))
      problems.push(`${rawName} needs a value`);
    else given.set(name, value);
  }
  return given;
}

function helpText(): string {
  const line = (flag: string, help: string) => `  ${flag.padEnd(20)}${help}`;
  return [
    'Usage: pnpm bench:points [-- FLAGS]',
    '',
    'Single figures about each server: starts, memory, growth, reads beside a load, bytes. Needs Linux and wrk.',
    '',
    line('--only=NAME', 'measure one server alone (rs, ts)'),
    ...Object.entries(COUNTS).map(([name, { preset, help }]) => line(`--${name}=N`, `${help} [${preset}]`)),
    line('--out=FILE', `where the result is written [${OUT}]`),
    line('--no-build', 'measure what is built, although its sources may be newer'),
    line('--help', 'print this text and exit'),
    '',
    'Exit: 0 measured, 1 a server or the measurement failed, 2 a flag is wrong, 130 interrupted.',
    '',
  ].join('\n');
}
