/**
 * The command line of `pnpm bench:sync`: a table of flags, and the one place that reads them.
 *
 * What must stay true: every problem is reported at once, and nothing wrong is replaced by a default.
 */
import { parseArgs } from 'node:util';
import { isTargetName, TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { SCENE_NAMES, type SceneName } from './sync-result.ts';

export interface SyncRunOptions {
  readonly targets: readonly TargetName[];
  readonly scenes: readonly SceneName[];
  readonly quick: boolean;
  readonly seed: number;
  /** `undefined`: the committed result, or, where it is not to be replaced, a scratch file. */
  readonly out: string | undefined;
  readonly json: boolean;
  readonly build: boolean;
}

export type ParsedSync =
  | { readonly kind: 'run'; readonly options: SyncRunOptions }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

const DEFAULT_SEED = 1;
const MOST_SEED = 2 ** 32 - 1;

const FLAGS = {
  only: { value: 'NAME', help: 'measure one server alone (rs, ts)' },
  scenes: { value: 'NAME,NAME', help: `not all of ${SCENE_NAMES.join(', ')}` },
  quick: { value: null, help: 'tiny counts: feedback within a minute, never the committed result' },
  seed: {
    value: 'N',
    help: `of ids, faults and waits between attempts, from 0 to ${MOST_SEED} [${DEFAULT_SEED}]`,
  },
  out: { value: 'FILE', help: 'where the result goes; into a result of bench:compare it is put as its part' },
  json: { value: null, help: 'print the result as JSON instead of the table' },
  'no-build': { value: null, help: 'measure what is built, stale or not' },
  help: { value: null, help: 'print this text and exit' },
} as const;

type Flag = keyof typeof FLAGS;

/** Flags as they stand after the program; a bare `--`, which pnpm passes on, means nothing. */
export function parseSync(argv: readonly string[]): ParsedSync {
  const problems: string[] = [];
  const given = readFlags(argv, problems);
  if (given.has('help')) return { kind: 'help', text: helpText() };
  const only = given.get('only');
  if (only !== undefined && !isTargetName(only)) problems.push(`--only must be one of rs, ts, not ${only}`);
  const seedText = given.get('seed') ?? String(DEFAULT_SEED);
  const seed = /^\d+$/.test(seedText) ? Number(seedText) : Number.NaN;
  if (!(seed <= MOST_SEED))
    problems.push(`--seed must be an integer from 0 to ${MOST_SEED}, not ${seedText}`);
  const asked = given.get('scenes')?.split(',');
  for (const name of asked ?? []) {
    if (!isScene(name)) problems.push(`--scenes knows ${SCENE_NAMES.join(', ')}, not ${name}`);
  }
  if (problems.length > 0) return { kind: 'invalid', problems };
  return {
    kind: 'run',
    options: {
      targets: only !== undefined && isTargetName(only) ? [only] : TARGET_NAMES,
      scenes: SCENE_NAMES.filter((name) => asked === undefined || asked.includes(name)),
      quick: given.has('quick'),
      seed,
      out: given.get('out'),
      json: given.has('json'),
      build: !given.has('no-build'),
    },
  };
}

function isScene(name: string): name is SceneName {
  return (SCENE_NAMES as readonly string[]).includes(name);
}

function readFlags(argv: readonly string[], problems: string[]): Map<Flag, string> {
  const names = Object.keys(FLAGS) as Flag[];
  const takesValue = (name: Flag) => FLAGS[name].value !== null;
  const { tokens } = parseArgs({
    args: argv.filter((argument) => argument !== '--'),
    options: Object.fromEntries(names.filter(takesValue).map((name) => [name, { type: 'string' as const }])),
    strict: false,
    tokens: true,
  });
  const given = new Map<Flag, string>();
  for (const token of tokens) {
    if (token.kind === 'positional') problems.push(`unexpected argument ${token.value}`);
    if (token.kind !== 'option') continue;
    const { rawName, value } = token;
    const name = names.find((known) => rawName === `--${known}`);
    if (name === undefined) problems.push(`unknown flag ${rawName}; --help lists all`);
    else if (given.has(name)) problems.push(`${rawName} is given twice`);
    else if (!takesValue(name)) {
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
    'Usage: pnpm bench:sync [-- FLAGS]',
    '',
    'Measures keeping in step: the shipped client, the invalidation stream and the snapshots of both servers.',
    '',
    ...Object.entries(FLAGS).map(([name, { value, help }]) =>
      line(`--${name}${value === null ? '' : `=${value}`}`, help),
    ),
    '',
    'Exit: 0 measured, 1 a server or the measurement failed, or a client was out of step, 2 a flag is wrong,',
    '130 interrupted. A target that is missed is told, and no failure.',
    '',
  ].join('\n');
}
