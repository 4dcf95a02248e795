/** Measures throughput, latency and processor time: without NATS, and with one to four servers of a stream. */
import { join } from 'node:path';
import { loopbackPlaces } from '@twin-ingest/testkit/nats/cluster.ts';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { Board } from '../board.ts';
import { cpuSeconds } from './cpu.ts';
import { closedLoop } from './load.ts';
import { briefly, type Measuring } from './measuring.ts';

interface Setting {
  readonly name: string;
  readonly nodes: number;
  readonly runtimes: readonly TargetName[];
}

const SETTINGS: readonly Setting[] = [
  ...TARGET_NAMES.flatMap((target) => [
    { name: `${target}, no NATS`, nodes: 0, runtimes: [target] },
    { name: `${target}, 1 node of NATS`, nodes: 1, runtimes: [target] },
    { name: `${target}, 3 nodes of NATS`, nodes: 3, runtimes: [target] },
  ]),
  { name: 'rs+ts, 3 nodes of NATS', nodes: 3, runtimes: ['rs', 'ts'] },
  { name: 'rs+ts+rs+ts, 3 nodes of NATS', nodes: 3, runtimes: ['rs', 'ts', 'rs', 'ts'] },
];
const BATCHES = [1, 50];
const CONNECTIONS = 16;
const WARM_SECONDS = 1;

/** Measures each setting with single events and with batches. */
export async function measureThroughput(measuring: Measuring): Promise<void> {
  for (const setting of SETTINGS)
    await briefly(measuring, (lifetime) => measureSetting(setting, measuring, lifetime));
}

async function measureSetting(
  setting: Setting,
  { program, seconds, add }: Measuring,
  lifetime: Lifetime,
): Promise<void> {
  const { ports, servers, nats } = await start(setting, program, lifetime);
  for (const batch of BATCHES) {
    const load = { ports, connections: CONNECTIONS, batch };
    await closedLoop({ ...load, seconds: WARM_SECONDS });
    const [ofServers, ofNats] = [cpuSeconds(servers), cpuSeconds(nats)];
    const result = await closedLoop({ ...load, seconds });
    const perEvent = (used: number): number => Math.round((used * 1e6) / result.events);
    add({
      what: 'throughput',
      setting: setting.name,
      batch,
      ...result,
      server_cpu_us: perEvent(cpuSeconds(servers) - ofServers),
      nats_cpu_us: perEvent(cpuSeconds(nats) - ofNats),
    });
  }
}

async function start({ nodes, runtimes }: Setting, program: string, lifetime: Lifetime) {
  const { path: folder } = await lifetime.temporaryFolder();
  if (nodes === 0) {
    const server = await startServer(runtimes[0]!, {
      cwd: folder,
      flags: ['--db', join(folder, 'events.db')],
    });
    lifetime.add(() => server.stop());
    return { ports: [server.port], servers: [server.pid], nats: [] };
  }
  const places = await loopbackPlaces(folder, nodes);
  const board = await Board.start({ program, folder, places, runtimes, port: 0 }, lifetime);
  return {
    ports: board.members.map(({ port }) => port),
    servers: board.members.map(({ pid }) => pid),
    nats: board.nats.nodes.map(({ pid }) => pid),
  };
}
