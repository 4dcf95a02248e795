/**
 * The check before every measurement: both servers answer every method with its argument. JSON is compared byte by byte,
 * MessagePack value by value.
 *
 * Throws a `BenchFailure` that names the first call with another answer.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Launch } from '../run/host.ts';
import { type Caller, CallServer } from './caller.ts';
import { usualCall } from './scenario.ts';
import { ORIGINAL_TYPES, SCALAR_TYPES, type Subject } from './values.ts';

const LENGTHS = [0, 10, 1_000];

export async function proveEqualAnswers(
  servers: readonly TargetName[],
  seed: number,
  { launch, caller }: { readonly launch: Launch; readonly caller: Caller },
): Promise<void> {
  for (const name of servers) {
    const server = await CallServer.start(name, launch, caller);
    for (const subject of subjects()) {
      for (const format of ['json', 'msgpack'] as const)
        await server.prepare(usualCall(subject, { format }), seed, 0);
    }
    await server.end();
  }
}

function subjects(): Subject[] {
  return (['identical', 'random'] as const).flatMap((strings) => [
    ...SCALAR_TYPES.map((type) => ({ type, length: null, strings })),
    ...ORIGINAL_TYPES.flatMap((type) => LENGTHS.map((length) => ({ type, length, strings }))),
  ]);
}
