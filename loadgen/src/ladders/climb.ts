/** Measures one ladder on one server: its rungs one after the other, on one file. Its types are those of the result. */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { quantile, type Summary, summarise } from '../analyse/statistics.ts';
import type { Environment } from '../observe/environment.ts';
import { createProbe } from '../observe/probe.ts';
import { Clients } from './clients.ts';
import type { Ladder } from './ladders.ts';
import { createLoad, type Posted } from './load.ts';

/** Slices of a rung. */
const SLICES = 3;

export interface RungFigures {
  readonly rung: number;
  /** CPU time of the server's process; `null` where the system does not report it. */
  readonly cpu_us_per_event: Summary | null;
  readonly events_per_s: Summary;
  readonly p99_ms: Summary;
  readonly peak_rss_bytes: number | null;
}

/** A ladder with the figures of both servers. */
export interface Climbed extends Pick<Ladder, 'name' | 'title' | 'unit'> {
  readonly servers: Readonly<Record<TargetName, readonly RungFigures[]>>;
}

/** The result of `pnpm bench:ladders`. */
export interface LaddersResult {
  readonly measured_on: string;
  readonly environment: Environment;
  readonly ladders: readonly Climbed[];
}

const probe = createProbe();

export async function climb(
  ladder: Ladder,
  target: TargetName,
  lifetime: Lifetime,
  slices = SLICES,
): Promise<RungFigures[]> {
  const folder = await lifetime.temporaryFolder();
  const server = await startServer(target, { flags: ['--db', `${folder.path}/events.db`, ...ladder.flags] });
  const release = lifetime.add(() => server.stop());
  const load = createLoad(server.port, ladder);
  const figures: RungFigures[] = [];
  try {
    for (const rung of ladder.rungs) {
      await load.fill(rung, lifetime.signal);
      const clients = await Clients.open(server.port, ladder.clients(rung));
      const measured: Awaited<ReturnType<typeof sliceOf>>[] = [];
      for (let number = 0; number <= slices; number++) {
        lifetime.signal.throwIfAborted();
        measured.push(await sliceOf(server.pid, ladder.events(rung), load.slice(rung), clients));
      }
      clients.close();
      // The first slice of a rung warms up what the rung changes.
      const counted = measured.slice(1);
      figures.push({
        rung,
        cpu_us_per_event: summarise(counted.flatMap(({ cpu_us_per_event }) => cpu_us_per_event ?? [])),
        events_per_s: summarise(counted.map(({ events_per_s }) => events_per_s))!,
        p99_ms: summarise(counted.map(({ p99_ms }) => p99_ms))!,
        peak_rss_bytes: (await probe(server.pid)).peak_rss_bytes,
      });
    }
  } finally {
    load.close();
    await release();
    await folder.release();
  }
  return figures;
}

/** Measures a slice. Its CPU time includes all that the clients of the stream receive. */
async function sliceOf(pid: number, events: number, run: () => Promise<Posted>, clients: Clients) {
  const before = await probe(pid);
  const { seconds, latencies } = await run();
  await clients.quiet();
  const after = await probe(pid);
  const cpu = before.cpu_us === null || after.cpu_us === null ? null : after.cpu_us - before.cpu_us;
  const sorted = latencies.toSorted((a, b) => a - b);
  return {
    cpu_us_per_event: cpu === null ? null : cpu / events,
    events_per_s: events / seconds,
    p99_ms: quantile(sorted, 0.99),
  };
}
