/**
 * Parses the command line of the suite by one table of flags.
 *
 * Invariant: all flags are checked before anything runs.
 */
import { parseArgs } from 'node:util';
import { isTargetName, TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';

export interface Options {
  readonly targets: readonly TargetName[];
  /** The port of a loopback server that already runs. */
  readonly basePort: number | undefined;
  /** Whether the servers share a stream of NATS. */
  readonly isJetStream: boolean;
  /** Texts in names, of which a test that runs has one; empty for all tests. */
  readonly only: readonly string[];
  readonly reportJson: string | undefined;
  /** Number of kills per server in the crash scenario. */
  readonly kills: number;
  /** Number of requests in the differential scenario; hostile-records sends twice as many. */
  readonly requests: number;
  readonly seed: number;
  /** Length of the retention-load scenario. */
  readonly soakSeconds: number;
  /** Only cases, no scenario. */
  readonly cases: boolean;
  /** Only scenarios that inject a fault. */
  readonly faults: boolean;
  readonly attacks: boolean;
  /** Whether the scenario of kills at writes visits every write instead of a sample. */
  readonly everyWrite: boolean;
  /** Number of groups of which the scenario of every write visits each write. */
  readonly groups: number;
  /** Number of images per durability in the power-loss scenario. */
  readonly images: number;
  readonly corpus: string | undefined;
  readonly hooks: string | undefined;
  readonly saveCase: string | undefined;
  /** Whether to run scenarios that wait for more than a minute. */
  readonly slow: boolean;
}

/** `help`: the user requested the help text. `wrong`: every problem, one a line. */
export type Parsed =
  | { readonly kind: 'options'; readonly options: Options }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] };

export const HELP = `Usage: pnpm parity [flags]

Runs the cases and the scenarios against both servers and compares every answer with the expected one.

  --target rs|ts       only this server
  --base-url URL       against a server on loopback that runs already (http://127.0.0.1:PORT)
  --store jetstream    on servers with streams of NATS, with the differences of differences/jetstream.json
  --only TEXT          only cases and scenarios whose FILE/NAME holds this text; may be given several times
  --report-json FILE   also write every result to this file
  --cases              only cases, no scenario
  --faults             only scenarios that inject a fault (pnpm test:faults)
  --attacks            only scenarios of hostile clients, files and names (pnpm test:attack)
  --every-write        kill at every write of a short run, instead of a sample
  --groups N           groups of the scenario that stops after every write (default 10)
  --images N           images per durability of the power-loss scenario (default 60)
  --kills N            kills per server of the crash scenario, SIGTERMs of faults/sigterm (default 5, pnpm check:long 50)
  --requests N         requests of the differential scenario, half of those of hostile-records (default 800, pnpm check:long 20000)
  --soak-seconds N     length of the retention-load scenario (default 12, pnpm check:long 60)
  --seed N             seed of the differential, hostile-records and crash scenarios (default 1)
  --corpus FILE        NDJSON of real events, also gzipped, for the corpus scenario (or TWIN_CORPUS)
  --hooks FOLDER       payloads of hooks, one a .json file, for the hooks scenario (or TWIN_HOOKS)
  --save-case FILE     where the differential scenario saves a difference as a case
  --slow               also the scenarios that wait for more than a minute
  --help               print this text

Exit code: 0 all passed, 1 something failed, 2 a wrong flag or a server that is not built.
`;

const FLAGS = {
  target: { type: 'string' },
  'base-url': { type: 'string' },
  store: { type: 'string' },
  only: { type: 'string', multiple: true },
  'report-json': { type: 'string' },
  cases: { type: 'boolean', default: false },
  faults: { type: 'boolean', default: false },
  attacks: { type: 'boolean', default: false },
  'every-write': { type: 'boolean', default: false },
  groups: { type: 'string', default: '10' },
  images: { type: 'string', default: '60' },
  kills: { type: 'string', default: '5' },
  requests: { type: 'string', default: '800' },
  seed: { type: 'string', default: '1' },
  'soak-seconds': { type: 'string', default: '12' },
  corpus: { type: 'string' },
  hooks: { type: 'string' },
  'save-case': { type: 'string' },
  slow: { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Parses the flags. A bare `--`, which pnpm passes on, is ignored. */
export function parseOptions(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Parsed {
  let values: ReturnType<typeof read>;
  try {
    values = read(argv);
  } catch (error) {
    return { kind: 'wrong', problems: [error instanceof Error ? error.message : String(error)] };
  }
  if (values.help) return { kind: 'help' };
  const problems: string[] = [];
  const whole = (
    name: 'groups' | 'images' | 'kills' | 'requests' | 'seed' | 'soak-seconds',
    minimum: number,
  ): number => {
    const text = values[name];
    const number = Number(text);
    if (!/^\d+$/.test(text) || number < minimum || !Number.isSafeInteger(number)) {
      problems.push(`--${name} must be a whole number of at least ${minimum}, not ${text}`);
    }
    return number;
  };
  const { target } = values;
  if (target !== undefined && !isTargetName(target))
    problems.push(`--target must be rs or ts, not ${target}`);
  const base = values['base-url'];
  const basePort = base === undefined ? undefined : loopbackPort(base);
  if (base !== undefined && basePort === undefined) {
    problems.push(`--base-url must be http://127.0.0.1:PORT or http://localhost:PORT, not ${base}`);
  }
  if (base !== undefined && target !== undefined) problems.push('--base-url and --target exclude each other');
  const { store } = values;
  if (store !== undefined && store !== 'jetstream') problems.push(`--store must be jetstream, not ${store}`);
  if (base !== undefined && store !== undefined) problems.push('--base-url and --store exclude each other');
  for (const part of ['faults', 'attacks'] as const)
    if (values.cases && values[part]) problems.push(`--cases and --${part} exclude each other`);
  const corpus = values.corpus ?? env.TWIN_CORPUS;
  const hooks = values.hooks ?? env.TWIN_HOOKS;
  const options: Options = {
    targets: target !== undefined && isTargetName(target) ? [target] : TARGET_NAMES,
    basePort,
    isJetStream: store !== undefined,
    only: values.only ?? [],
    reportJson: values['report-json'],
    cases: values.cases,
    faults: values.faults,
    attacks: values.attacks,
    everyWrite: values['every-write'],
    groups: whole('groups', 1),
    images: whole('images', 1),
    kills: whole('kills', 1),
    requests: whole('requests', 1),
    seed: whole('seed', 0),
    soakSeconds: whole('soak-seconds', 6),
    corpus: corpus === '' ? undefined : corpus,
    hooks: hooks === '' ? undefined : hooks,
    saveCase: values['save-case'],
    slow: values.slow,
  };
  return problems.length > 0 ? { kind: 'wrong', problems } : { kind: 'options', options };
}

function read(argv: readonly string[]) {
  return parseArgs({ args: argv.filter((one) => one !== '--'), options: FLAGS, strict: true }).values;
}

/** Returns the port of a loopback URL only: the cases send bytes that no other machine should receive. */
function loopbackPort(text: string): number | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  if (url.protocol !== 'http:' || !['127.0.0.1', 'localhost'].includes(url.hostname)) return undefined;
  return Number(url.port || '80');
}
