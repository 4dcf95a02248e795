/**
 * The times of `GET /livez` for one client while another client moves bodies of 64 MiB, and without that load.
 *
 * Invariants: each pair has a fresh server. Its slices run in one order and then in the opposite one. The process that
 * moves the bodies is not the process that sends `/livez`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { quantile } from '../../analyse/statistics.ts';
import { Helper } from '../../run/helper.ts';
import { Host } from '../../run/host.ts';
import type { BodyOrders } from '../body-process.ts';
import { FigureValues } from '../figure.ts';
import { LivezProbe } from '../livez-probe.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';

/** `idle`: only `/livez`. */
const LOADS = ['idle', 'echo', 'blob'] as const;
type Load = (typeof LOADS)[number];

export const livezScenario: Scenario = {
  name: 'livez',
  async measure(servers, context) {
    const { sizes, launch } = context;
    const program = new URL('../body-main.ts', import.meta.url);
    const mover = new Mover({ name: 'the process that moves bodies', program, ...launch });
    const key = (server: TargetName, load: Load) => `${server} ${load}`;
    const values = new Map(
      servers.flatMap((server) => LOADS.map((load) => [key(server, load), new FigureValues()])),
    );
    for (let pair = 0; pair < sizes.livez_pairs; pair++) {
      for (const server of pair % 2 === 0 ? servers : servers.toReversed()) {
        const host = await Host.start(server, launch, { flags: ['--bench'] });
        for (const load of [...LOADS, ...LOADS.toReversed()])
          values.get(key(server, load))!.add(await slice(host, load, mover, context));
        await host.stop();
        await host.discard();
      }
    }
    await mover.close();
    for (const server of servers) {
      for (const load of LOADS) {
        const parameters = { load, bytes: load === 'idle' ? 0 : sizes.body_bytes };
        context.add({ server, parameters, figures: values.get(key(server, load))!.all() });
      }
    }
  },
};

type Found = Parameters<FigureValues['add']>[0];

async function slice(host: Host, load: Load, mover: Mover, context: ScenarioContext): Promise<Found> {
  const { livez_s, body_bytes } = context.sizes;
  if (load !== 'idle') await mover.ask('first', host.port, load, body_bytes);
  const probe = new LivezProbe(host.url);
  const mb_per_s =
    load === 'idle'
      ? await context.launch.lifetime.orInterrupted(sleep(livez_s * 1000, null))
      : await mover.run(livez_s, body_bytes);
  const times = await probe.end();
  return {
    requests: times.length,
    p50_ms: quantile(times, 0.5),
    p99_ms: quantile(times, 0.99),
    max_ms: quantile(times, 1),
    mb_per_s,
  };
}

/** The parent's side of the process that moves bodies. */
class Mover extends Helper<BodyOrders> {
  /** Moves bodies, and returns megabytes a second. */
  async run(seconds: number, bytes: number): Promise<number> {
    const { bodies, duration_ms } = await this.ask('run', seconds);
    return (bodies * bytes) / duration_ms / 1000;
  }
}
