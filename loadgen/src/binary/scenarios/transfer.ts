/**
 * Each method at each size, in a page of each server.
 *
 * Invariants: each size has a fresh server, page and renderer process. A round measures the methods in the same order
 * on both servers. Each result has the SHA-256 of the bytes that BEN-04 describes.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../../failure.ts';
import { Host } from '../../run/host.ts';
import { keepAttachment } from '../attachment.ts';
import type { BenchPage } from '../bench-page.ts';
import { blobBytes, hashOf } from '../blob-bytes.ts';
import { FigureValues } from '../figure.ts';
import type { LapFound } from '../in-page.ts';
import { type Contestant, contestantsOf, isFast } from '../methods.ts';
import { orderOf } from '../order.ts';
import type { Scenario, ScenarioContext } from '../scenario.ts';
import type { Transfer } from '../sizes.ts';

export const transferScenario: Scenario = {
  name: 'transfer',
  async measure(servers, context) {
    for (const transfer of context.sizes.transfers) await measureSize(servers, transfer, context);
  },
};

interface Track {
  readonly server: TargetName;
  readonly host: Host;
  readonly page: BenchPage;
  readonly values: readonly FigureValues[];
}

async function measureSize(
  servers: readonly TargetName[],
  { bytes, rounds, warm_up, isFastOnly }: Transfer,
  context: ScenarioContext,
): Promise<void> {
  const from = performance.now();
  const { launch, progress } = context;
  const browser = await context.browser();
  const expected = blobBytes(bytes);
  const hash = hashOf(expected);
  const tracks: Track[] = [];
  let contestants: readonly Contestant[] = [];
  for (const server of servers) {
    const host = await Host.start(server, launch, { flags: ['--bench'] });
    await keepAttachment(host.url, expected);
    const page = await browser.open(host.url);
    const all = contestantsOf(await page.methods());
    context.describe(all.map(({ name, title, form }) => ({ name, title, form })));
    contestants = all.filter((contestant) => !isFastOnly || isFast(contestant));
    tracks.push({ server, host, page, values: contestants.map(() => new FigureValues()) });
  }
  for (let round = -warm_up; round < rounds; round++) {
    const order = orderOf(round + warm_up, contestants.length);
    const laps = order.map((i) => contestants[i]!.lap(bytes, hash));
    for (const track of round % 2 === 0 ? tracks : tracks.toReversed()) {
      const found = await track.page.run(laps);
      for (const [place, i] of order.entries()) {
        const lap = figuresOf(
          found[place]!,
          hash,
          `${track.server}, ${contestants[i]!.name}, ${bytes} bytes`,
        );
        if (round >= 0) track.values[i]!.add(lap);
      }
    }
  }
  for (const { server, host, page, values } of tracks) {
    for (const [i, { name }] of contestants.entries())
      context.add({ server, parameters: { bytes, method: name }, figures: values[i]!.all() });
    await page.close();
    await host.stop();
    await host.discard();
  }
  progress.say(`${bytes} bytes: ${((performance.now() - from) / 1000).toFixed(1)} s`);
}

/** Returns the figures of a lap. Fails unless its bytes have the hash `wanted`. */
export function figuresOf(
  { hash, ...figures }: LapFound,
  wanted: string,
  what: string,
): Omit<LapFound, 'hash'> {
  if (hash === wanted) return figures;
  throw new BenchFailure('payload_differs', `${what}: SHA-256 ${hash}, not ${wanted}`);
}
