/** `pnpm cluster`: starts servers that share a stream of NATS, and prints where they are. */
import { mkdirSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { loopbackPlaces } from '@twin-ingest/testkit/nats/cluster.ts';
import { natsProgram } from '@twin-ingest/testkit/nats/program.ts';
import { Failure } from '@twin-ingest/testkit/process/failure.ts';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { addressesOf } from './addresses.ts';
import { Board } from './board.ts';
import { runCommand } from './command.ts';
import { type ClusterOptions, parseCluster } from './options.ts';

/** The longest timer of Node. */
const FOREVER_MS = 2 ** 31 - 1;
const NODES = 3;

async function main(): Promise<number> {
  const parsed = parseCluster(process.argv.slice(2), process.env);
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  if (parsed.kind === 'wrong') {
    for (const problem of parsed.problems) process.stderr.write(`cluster: ${problem}\n`);
    return 2;
  }
  const { options } = parsed;
  const { runtimes, build } = options;
  return await runCommand({
    name: 'cluster',
    runtimes,
    build,
    interrupted: 0,
    work: (lifetime) => share(options, lifetime),
  });
}

async function share(options: ClusterOptions, lifetime: Lifetime): Promise<number> {
  const program = await lifetime.orInterrupted(natsProgram());
  if ('missing' in program) throw new Failure('nats_missing', program.missing);
  const folder = options.folder ?? (await lifetime.temporaryFolder()).path;
  mkdirSync(folder, { recursive: true });
  const places = await loopbackPlaces(folder, NODES);
  const { runtimes, port } = options;
  const board = await Board.start({ program: program.path, folder, places, runtimes, port }, lifetime);
  process.stdout.write(addressesOf(board));
  const ms = options.seconds === null ? FOREVER_MS : options.seconds * 1000;
  await sleep(ms, undefined, { signal: lifetime.signal }).catch(() => undefined);
  return 0;
}

process.exitCode = await main();
