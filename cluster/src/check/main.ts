/**
 * `pnpm cluster:check`: injects faults into servers that share a stream, and judges the history of the run.
 *
 * The seed decides the faults, their order, places and lengths, and what is sent. The speed of the machine decides the
 * rest, so the history is kept.
 */

import { loopbackPlaces } from '@twin-ingest/testkit/nats/cluster.ts';
import type { NatsPlace } from '@twin-ingest/testkit/nats/node.ts';
import { natsProgram } from '@twin-ingest/testkit/nats/program.ts';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { Board } from '../board.ts';
import { runCommand } from '../command.ts';
import { FakeClock, faketimeLibrary } from './fake-clock.ts';
import { FAULT_KINDS, type FaultKind, SMALL_DISK } from './faults.ts';
import { History, readHistory } from './history.ts';
import { isIsolated, isolatingPrefix, runIsolated } from './isolation.ts';
import { Judge } from './judge.ts';
import { mountSmallDisk, setUpNetwork, unmount } from './network.ts';
import { type CheckOptions, parseCheck } from './options.ts';
import { verdictOf } from './report.ts';
import { runFaults } from './run.ts';

const NODES = 3;
const RUNTIMES = ['rs', 'ts', 'rs', 'ts'] as const;
/** Room for the streams of a few hundred faults. */
const SMALL_DISK_BYTES = 256 << 20;

async function main(): Promise<number> {
  const parsed = parseCheck(process.argv.slice(2), process.env);
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  if (parsed.kind === 'wrong') {
    for (const problem of parsed.problems) process.stderr.write(`cluster:check: ${problem}\n`);
    return 2;
  }
  const { options } = parsed;
  if (options.judge !== null) return judgeFile(options.judge);
  const prefix = isIsolated() ? undefined : isolatingPrefix();
  if (prefix !== undefined) {
    const program = await natsProgram();
    return 'missing' in program ? skipped(program.missing) : await runIsolated(prefix);
  }
  const program = await natsProgram();
  if ('missing' in program) return skipped(program.missing);
  return await runCommand({
    name: 'cluster:check',
    runtimes: TARGET_NAMES,
    build: options.build,
    interrupted: 130,
    work: (lifetime) => check(options, program.path, lifetime),
  });
}

function skipped(reason: string): number {
  process.stdout.write(`cluster:check is skipped: ${reason}\n`);
  return 0;
}

function judgeFile(path: string): number {
  const judge = new Judge();
  for (const entry of readHistory(path)) judge.take(entry);
  process.stdout.write(verdictOf(judge.counts, judge.violations));
  return judge.violations.length === 0 ? 0 : 1;
}

async function check(options: CheckOptions, program: string, lifetime: Lifetime): Promise<number> {
  const say = (line: string) => void process.stdout.write(`${line}\n`);
  const { path: folder } = await lifetime.temporaryFolder();
  const places = await placesOf(folder, lifetime);
  const library = faketimeLibrary();
  const clock = library === undefined ? undefined : new FakeClock(library, folder);
  const kinds = possible(options, clock !== undefined, say);
  const board = await Board.start({ program, folder, places, runtimes: RUNTIMES, port: 0 }, lifetime);
  const judge = new Judge();
  const history = new History(options.history, (entry) => judge.take(entry));
  lifetime.add(async () => history.close());
  const { faults, seed, minutes } = options;
  await runFaults({ faults, seed, minutes, kinds }, { board, clock, history, signal: lifetime.signal, say });
  say(`the history is ${history.path}`);
  process.stdout.write(verdictOf(judge.counts, judge.violations));
  if (judge.violations.length > 0) return 1;
  return lifetime.signal.aborted ? 130 : 0;
}

/** Returns the places of the nodes, with a network and a small disk where the machine allows them. */
async function placesOf(folder: string, lifetime: Lifetime): Promise<readonly NatsPlace[]> {
  if (!isIsolated()) return await loopbackPlaces(folder, NODES);
  const places = setUpNetwork(folder, NODES);
  const small = places[SMALL_DISK]!.folder;
  mountSmallDisk(small, SMALL_DISK_BYTES);
  lifetime.add(async () => unmount(small));
  return places;
}

/** Returns the kinds that this machine allows, and names the others. */
function possible({ kinds }: CheckOptions, hasFaketime: boolean, say: (line: string) => void): FaultKind[] {
  const chosen = FAULT_KINDS.filter(({ name }) => kinds.includes(name));
  const allowed = { isolation: isIsolated(), faketime: hasFaketime };
  const skippedKinds = chosen.filter(({ needs }) => needs !== undefined && !allowed[needs]);
  for (const { name, needs } of skippedKinds)
    say(`skipped: ${name} needs ${needs === 'isolation' ? 'network namespaces (unshare, ip)' : 'faketime'}`);
  return chosen.filter((kind) => !skippedKinds.includes(kind));
}

process.exitCode = await main();
