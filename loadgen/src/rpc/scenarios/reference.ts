/**
 * 10,000 nested dictionaries: the library's time in a server, compared with the JSON of the same language for the same
 * bytes without a server.
 *
 * Invariants: each process is fresh. The reference runs right after the server. Both get the bytes of the same call.
 */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { runAlone } from '../../codecs/alone.ts';
import { pinningCommand } from '../../plan/placement.ts';
import { CallServer } from '../caller.ts';
import { figuresOf } from '../figure.ts';
import { Pool, timesOf } from '../pool.ts';
import { type Scenario, type ScenarioContext, usualCall } from '../scenario.ts';
import { REFERENCE_LENGTH } from '../sizes.ts';
import { argumentOf, callOf, type Strings, type Subject } from '../values.ts';

/** The mode of `alone-main.ts` and of `server-rs/examples/codecs`. */
const CODEC = 'json calls';
const ENOUGH_CALLS = 4;

export const referenceScenario: Scenario = {
  name: 'reference',
  async measure(servers, context) {
    for (const strings of ['identical', 'random'] as const) await measureStrings(strings, servers, context);
  },
};

interface Track {
  readonly pool: Pool;
  /** Nanoseconds by step of the program. */
  readonly times: Map<string, number[]>;
  bytes: number;
}

async function measureStrings(
  strings: Strings,
  servers: readonly TargetName[],
  { launch, caller, sizes, seed, add }: ScenarioContext,
): Promise<void> {
  const { lifetime, placement } = launch;
  const subject: Subject = { type: 'nestedDict', length: REFERENCE_LENGTH, strings };
  const folder = await lifetime.temporaryFolder();
  const file = join(folder.path, 'call.json');
  await writeFile(file, JSON.stringify(callOf(subject, argumentOf(subject, seed))));
  const wrapper = pinningCommand(placement.generator_cpus);
  const order = { events: file, codec: CODEC, counts: [REFERENCE_LENGTH], seconds: sizes.reference_s };
  const tracks = new Map(
    servers.map((name): [TargetName, Track] => [name, { pool: new Pool(), times: new Map(), bytes: 0 }]),
  );
  for (let pair = 0; pair < sizes.pairs; pair++) {
    for (const name of pair % 2 === 0 ? servers : servers.toReversed()) {
      const track = tracks.get(name)!;
      const server = await CallServer.start(name, launch, caller);
      await server.prepare(usualCall(subject), seed, sizes.reference_s);
      const { sliced, cpu_us } = await server.run(sizes.reference_s, ENOUGH_CALLS);
      track.pool.add(sliced, cpu_us);
      await server.end();
      for (const { step, ns, bytes } of await runAlone(name, { ...order, wrapper, lifetime })) {
        track.bytes = bytes;
        track.times.set(step, [...(track.times.get(step) ?? []), ...ns]);
      }
    }
  }
  await folder.release();
  for (const [server, { pool, times, bytes }] of tracks) {
    const parameters = { type: subject.type, length: REFERENCE_LENGTH, strings };
    add({ server, parameters: { ...parameters, what: 'server' }, figures: pool.figures() });
    for (const [step, ns] of times) {
      const us = ns.map((one) => one / 1000);
      const figures = figuresOf({ samples: us.length, ...timesOf(us), sent_bytes: bytes });
      add({ server, parameters: { ...parameters, what: step }, figures });
    }
  }
}
