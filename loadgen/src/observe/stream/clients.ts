/**
 * The parent's side of the process with the stream clients of a round.
 *
 * Invariants: the process ends with the run at the latest. A process that ends by itself fails the run.
 */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { BenchFailure } from '../../failure.ts';
import type { Placement } from '../../plan/placement.ts';
import { Helper } from '../../run/helper.ts';
import type { StreamSample } from '../sample.ts';
import type { Command, Reply } from './process.ts';

/** Longer than any pause of a healthy server. It only delays the report of a failure. */
const PATIENCE_MS = 30_000;

export function startStreamClients(options: {
  readonly url: string;
  readonly clients: number;
  readonly lifetime: Lifetime;
  readonly placement: Placement;
}) {
  const { url, clients, lifetime, placement } = options;
  const helper = new Helper<Command, Reply>({
    name: 'the stream clients',
    program: new URL('./process.ts', import.meta.url),
    placement,
    lifetime,
    code: 'stream_failed',
  });
  const connected = helper.ask({ kind: 'connect', url, clients, patience_ms: PATIENCE_MS }, 'done');
  // `ready` reports a failure. This handler prevents an unhandled rejection before `ready` is called.
  connected.catch(() => undefined);
  let problems: readonly string[] = [];
  return {
    /** Resolves when every client has received its first frame. */
    ready: async () => void (await connected),
    /** Starts to count CPU time, and the delivery lag of rows that are stored from now on. */
    mark: async () => void (await helper.ask({ kind: 'mark' }, 'done')),
    /** Returns the CPU time of the process since the mark, in microseconds. */
    cpu: async () => (await helper.ask({ kind: 'cpu' }, 'used')).cpu_us,
    /**
     * Resolves when every client has received that id. Fails when a stream ends before, or no event arrives for
     * `patience_ms`.
     */
    until: async (last_id: number, patience_ms = PATIENCE_MS) =>
      void (await helper.ask({ kind: 'until', last_id, patience_ms }, 'done')),
    /** Checks the frames of every client against the file of the stopped server, and ends the process. */
    async finish(file: string): Promise<StreamSample> {
      const reply = await helper.ask({ kind: 'finish', file }, 'finished');
      await helper.close();
      problems = reply.problems;
      return reply.sample;
    },
    /** Returns the first violation of each incomplete client; empty before `finish`. */
    problems: () => problems,
    close: () => helper.close(),
  };
}

/**
 * Fails unless every client received every row of the file, in order and byte for byte. The number of rows must also be
 * that of the events acknowledged since the client connected. The server itself reports the first row of a stream, so a
 * wrong first row would otherwise hide lost rows.
 */
export function checkStream(
  sample: StreamSample,
  name: string,
  acknowledged: number,
  details: readonly string[] = [],
): void {
  const { clients, complete_clients, frames } = sample;
  const fail = (what: string) => {
    throw new BenchFailure('stream_differs', `${name}: ${what}`, details);
  };
  if (complete_clients !== clients)
    fail(`${complete_clients} of ${clients} stream clients received what is in the file`);
  if (frames !== clients * acknowledged)
    fail(`${clients} stream clients received ${frames} frames of ${acknowledged} acknowledged events each`);
}
