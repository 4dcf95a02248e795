/** Measures one ladder on both servers: its rungs one after the other, on one file. Its types are those of the result. */
import { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { quantile } from '../analyse/statistics.ts';
import { eventOf, FIRST_MEASURED, type Ladder, USUAL } from './ladders.ts';
import { openClients, post, requestsOf } from './load.ts';
import { type Provenance, say, summaries, withCost } from './shared.ts';

/** Slices of a rung. */
const SLICES = 3;
/** Events of a request that fills the file. */
const FILL_BATCH = 1_000;

export type Climbed = Awaited<ReturnType<typeof climb>>;
export type RungFigures = Awaited<ReturnType<typeof climbOn>>[number];

/** The result of `pnpm bench:ladders`. */
export interface LaddersResult extends Provenance {
  readonly ladders: readonly Climbed[];
}

export async function climb(ladder: Ladder, lifetime: Lifetime, slices = SLICES) {
  const { name, title, unit, rungs } = ladder;
  say(`${title}: ${rungs.length} rungs on each server`);
  const rs = await climbOn('rs', ladder, lifetime, slices);
  const ts = await climbOn('ts', ladder, lifetime, slices);
  return { name, title, unit, servers: { rs, ts } };
}

/** Returns the figures of each rung; `null` where the system does not report a figure. */
async function climbOn(target: TargetName, ladder: Ladder, lifetime: Lifetime, slices: number) {
  const folder = await lifetime.temporaryFolder();
  const flags = ['--db', `${folder.path}/events.db`, ...(ladder.flags ?? [])];
  const server = await startServer(target, { flags });
  const stop = lifetime.add(() => server.stop());
  const client = new ApiClient(server.port);
  let stored = 0;
  let next = FIRST_MEASURED;
  const figures = await Array.fromAsync(ladder.rungs, async (rung) => {
    const load = { ...USUAL, ...ladder.load?.(rung) };
    const eventAt = (number: number) => eventOf(ladder, rung, number);
    await post(client, requestsOf(stored, load.stored, FILL_BATCH, eventAt), lifetime.signal);
    stored = load.stored;
    const clients = await openClients(server.port, load.clients);
    const slice = async () => {
      // The bodies of a slice exist before its time begins.
      const requests = [...requestsOf(next, next + load.events, load.batch, eventAt)];
      next += load.events;
      const measured = await withCost(server.pid, async () => {
        const posted = await post(client, requests.values(), lifetime.signal);
        // The CPU time includes all that the clients of the stream receive.
        await clients.quiet();
        return posted;
      });
      return {
        cpu_us_per_event: measured.cpuPer(load.events),
        events_per_s: load.events / measured.seconds,
        p99_ms: quantile(Float64Array.from(measured.latencies).sort(), 0.99),
        peak_rss_bytes: measured.peak_rss_bytes,
      };
    };
    // The first slice of a rung warms up what the rung changes.
    await slice();
    const measured = await Array.fromAsync({ length: slices }, slice);
    clients.close();
    return { rung, ...summaries(measured), peak_rss_bytes: measured.at(-1)!.peak_rss_bytes };
  });
  client.close();
  await stop();
  await folder.release();
  return figures;
}
