/**
 * `twin-ingest bench`: compares the two servers on this machine, in about two minutes.
 *
 * The package `@twin-ingest/bench` measures, since a user of the dashboard does not need its load generators. This
 * command finds both servers, and gets the package where it is not installed. It runs in this process, so Ctrl-C
 * reaches it as it would reach a command of its own.
 */
import { type FlagTable, flagLines, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import type { Comparing } from '@twin-ingest/testkit/servers/comparison.ts';
import { TARGETS, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { measuringModule } from './bench/module.ts';
import { missingServer } from './bench/servers.ts';
import { COMMAND } from './command-name.ts';
import { built } from './launch/build.ts';
import { factsOf } from './launch/facts.ts';
import { isRuntime, RUNTIMES } from './lifecycle/program.ts';
import { complainOf, printHelp } from './terminal.ts';

const complain = complainOf('bench');

const FLAGS: FlagTable<'only' | 'rounds' | 'events' | 'json'> = {
  only: { value: 'NAME', help: `measure one server alone: ${RUNTIMES.join(' or ')}` },
  rounds: { value: 'N', help: 'fresh processes of each server; fewer than 4 give no verdict [4]' },
  events: { value: 'N', help: 'events of a round at saturation, at least 2000 [100000]' },
  json: { help: 'print the result as JSON' },
};

const HELP = `Usage: ${COMMAND} bench [flags]

Compares the server in Rust with the one in TypeScript on this machine, in about two minutes: CPU time, latency,
throughput, memory, start, size. Ends with which one to choose. Uses databases in a temporary folder, and no other.
Ctrl-C prints what has been measured so far.

${flagLines(FLAGS)}
Exit code: 0 compared, 1 not compared, 2 a wrong flag, 130 interrupted.
`;

const RUNTIME_TARGETS = { rust: 'rs', node: 'ts' } as const;

/** Runs the command; returns its exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  const parsed = parseFlags(argv, FLAGS);
  if (parsed.kind === 'help') {
    printHelp(HELP);
    return 0;
  }
  const problems =
    parsed.kind === 'wrong'
      ? [...parsed.problems]
      : parsed.words.map((word) => `unexpected argument ${word}`);
  const given = parsed.kind === 'wrong' ? new Map<string, string>() : parsed.flags;
  const runtime = given.get('only');
  if (runtime !== undefined && !isRuntime(runtime)) problems.push(`--only must be ${RUNTIMES.join(' or ')}`);
  const numbers = { rounds: given.get('rounds'), events: given.get('events') };
  problems.push(...wrongNumbers(numbers));
  if (problems.length > 0) {
    for (const problem of problems) complain(problem);
    return 2;
  }
  const only: TargetName | null = runtime === undefined ? null : RUNTIME_TARGETS[runtime as 'rust' | 'node'];
  const missing = missingServer(await factsOf(null), only);
  if (missing !== null) {
    complain(missing);
    return 1;
  }
  const failed = await built(only === null ? ['rs', 'ts'] : [only], complain);
  if (failed !== 0) {
    if (only === null) complain('--only node measures the TypeScript server alone');
    return failed;
  }
  const found = await measuringModule(complain);
  if (found === null) return 1;
  const { compare } = (await import(found)) as Comparing;
  return await compare({ targets: TARGETS, only, ...numbers, json: given.has('json') });
}

/** Smallest and largest values. With fewer events, a connection of the generator would have no request. */
const BOUNDS = { rounds: [1, 20], events: [2000, 10_000_000] } as const;

function wrongNumbers(numbers: Readonly<Record<keyof typeof BOUNDS, string | undefined>>): string[] {
  return Object.entries(BOUNDS).flatMap(([name, [least, most]]) => {
    const text = numbers[name as keyof typeof BOUNDS];
    const isRight =
      text === undefined || (/^\d+$/.test(text) && Number(text) >= least && Number(text) <= most);
    return isRight ? [] : [`--${name} must be an integer from ${least} to ${most}, not ${text}`];
  });
}

process.exitCode = await run(process.argv.slice(2));
