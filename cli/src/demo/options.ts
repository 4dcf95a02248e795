/**
 * Parses the command lines of `twin-ingest demo` and `pnpm demo:swap`: one table; the first uses a part of it.
 *
 * Paths are relative to the caller: pnpm runs scripts in the root of the checkout and passes the caller's folder in
 * `INIT_CWD`.
 */
import { existsSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type FlagTable, flagLines, numberOf, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import { isTargetName, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { COMMAND } from '../command-name.ts';

export interface DemoOptions {
  /** The server to start. */
  readonly server: TargetName;
  /** File of recorded events; `null` for generated agents. */
  readonly corpus: string | null;
  /** Speed factor; 1 is real time. */
  readonly speed: number;
  readonly port: number;
  /** Whether the page opens in the system's browser. */
  readonly open: boolean;
  /** Duration in seconds; `null` means until the user ends the demo. */
  readonly seconds: number | null;
  /** Whether stale programs are built first. */
  readonly build: boolean;
  /** Seconds between two swaps. */
  readonly interval: number;
  /** Ends after this many swaps; `null`: no limit. */
  readonly swaps: number | null;
}

export type ParsedDemo =
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }
  | { readonly kind: 'run'; readonly options: DemoOptions };

type Name =
  | 'server'
  | 'corpus'
  | 'speed'
  | 'port'
  | 'no-open'
  | 'seconds'
  | 'no-build'
  | 'interval'
  | 'swaps';

/** Default speeds. All other defaults are shared. */
const SPEEDS = { demo: 1, swap: 20 };

/** Smallest, default and largest value of each flag. */
const BOUNDS = {
  port: [0, 0, 65_535],
  seconds: [0.1, 0, 86_400],
  interval: [0.2, 8, 3_600],
  swaps: [1, 0, 10_000],
} as const;

const tableOf = (speed: number): FlagTable<Name> => ({
  server: { value: 'rs|ts', help: 'the server that starts (default rs)' },
  corpus: { value: 'FILE', help: 'events to replay: NDJSON, also gzipped (default: made-up agents)' },
  speed: { value: 'N', help: `so many times as fast as it happened (default ${speed})` },
  port: { value: 'N', help: 'port to listen on (default: any free one)' },
  'no-open': { help: 'print where the page is, and open no browser' },
  seconds: { value: 'N', help: 'end after this long (default: on Ctrl-C)' },
  'no-build': { help: 'start what is built already, stale or not' },
  interval: { value: 'N', help: `seconds between two swaps (default ${BOUNDS.interval[1]})` },
  swaps: { value: 'N', help: 'end after so many swaps' },
});

const USAGES = {
  demo: `Usage: ${COMMAND} demo [flags]

Starts a server on a database of its own, plays a day of coding agents into it (Claude Code, Codex and
Gemini CLI, through the addresses that they send to), and opens the dashboard that shows them.
`,
  swap: `Usage: pnpm demo:swap [flags]

The demo, while the servers take turns: one is killed in mid-load, the other goes on with its file and its port.
Counts what was sent, acknowledged, stored and streamed. Exit code 1 when an event was missed or doubled.
`,
};

export function parseDemo(
  kind: 'demo' | 'swap',
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): ParsedDemo {
  const { interval: _, swaps: __, ...forDemo } = tableOf(SPEEDS.demo);
  const table = kind === 'demo' ? (forDemo as FlagTable<Name>) : tableOf(SPEEDS.swap);
  const parsed = parseFlags(argv, table);
  if (parsed.kind === 'help') return { kind: 'help', text: `${USAGES[kind]}\n${flagLines(table)}` };
  if (parsed.kind === 'wrong') return parsed;
  const { flags, words } = parsed;
  const problems = words.map((word) => `unexpected argument ${word}`);
  const server = flags.get('server') ?? 'rs';
  if (!isTargetName(server)) problems.push(`--server must be rs or ts, not ${server}`);
  const corpus = flags.has('corpus') ? resolve(env.INIT_CWD || '.', flags.get('corpus')!) : null;
  if (corpus !== null && !existsSync(corpus)) problems.push(`--corpus ${corpus} does not exist`);
  else if (corpus !== null && statSync(corpus).isDirectory())
    problems.push(`--corpus ${corpus} is a folder, not a file`);
  const number = (name: keyof typeof BOUNDS) => numberOf(flags, name, BOUNDS[name], problems);
  const whole = (name: 'port' | 'swaps') => {
    const value = number(name);
    if (!Number.isInteger(value)) problems.push(`--${name} must be a whole number, not ${value}`);
    return value;
  };
  const options: DemoOptions = {
    server: isTargetName(server) ? server : 'rs',
    corpus,
    speed: numberOf(flags, 'speed', [0.01, SPEEDS[kind], 10_000], problems),
    port: whole('port'),
    open: !flags.has('no-open'),
    seconds: flags.has('seconds') ? number('seconds') : null,
    build: !flags.has('no-build'),
    interval: number('interval'),
    swaps: flags.has('swaps') ? whole('swaps') : null,
  };
  return problems.length > 0 ? { kind: 'wrong', problems } : { kind: 'run', options };
}
