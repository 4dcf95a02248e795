/**
 * 100,000 nested dictionaries: whether the calls complete, the memory of the server, and the times of `GET /livez` for
 * another client during them.
 *
 * Invariant: the process is fresh and has answered small calls before its memory is read the first time.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { LivezProbe } from '../../binary/livez-probe.ts';
import { probe } from '../../observe/probe.ts';
import { CallServer } from '../caller.ts';
import { figuresOf } from '../figure.ts';
import { Pool, timesOf } from '../pool.ts';
import { type Scenario, type ScenarioContext, usualCall } from '../scenario.ts';
import { LARGE_LENGTH, REST_S } from '../sizes.ts';
import type { Strings } from '../values.ts';

const SMALL_LENGTH = 10;
const SMALL_S = 0.3;

export const largeScenario: Scenario = {
  name: 'large',
  async measure(servers, context) {
    for (const strings of context.sizes.large_strings) {
      for (const server of servers) await measureServer(server, strings, context);
    }
  },
};

async function measureServer(
  name: TargetName,
  strings: Strings,
  { launch, caller, sizes, seed, add }: ScenarioContext,
): Promise<void> {
  const { lifetime } = launch;
  const server = await CallServer.start(name, launch, caller);
  const { pid, url } = server.host;
  const call = usualCall({ type: 'nestedDict', length: LARGE_LENGTH, strings });
  await server.prepare({ ...call, length: SMALL_LENGTH }, seed, SMALL_S);
  const before = await probe(pid);
  const idle = new LivezProbe(url);
  await lifetime.orInterrupted(sleep(sizes.livez_s * 1000));
  const rested = await idle.end();
  await server.prepare(call, seed, 0);
  const busy = new LivezProbe(url);
  const { sliced, cpu_us } = await server.run(0, sizes.large_calls);
  const waited = await busy.end();
  const highest = await probe(pid);
  await lifetime.orInterrupted(sleep(REST_S * 1000));
  const after = await probe(pid);
  await server.end();
  const pool = new Pool();
  pool.add(sliced, cpu_us);
  const parameters = { type: call.type, length: LARGE_LENGTH, strings };
  const figures = figuresOf({
    ...pool.figures(),
    rss_before_bytes: before.rss_bytes,
    rss_peak_bytes: highest.peak_rss_bytes,
    rss_after_bytes: after.rss_bytes,
  });
  add({ server: name, parameters: { ...parameters, what: 'calls' }, figures });
  for (const [what, times] of [
    ['livez, idle', rested],
    ['livez, meanwhile', waited],
  ] as const) {
    const us = times.map((ms) => ms * 1000);
    add({
      server: name,
      parameters: { ...parameters, what },
      figures: figuresOf({ calls: us.length, ...timesOf(us) }),
    });
  }
}
