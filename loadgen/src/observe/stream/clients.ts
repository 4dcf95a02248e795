/**
 * The parent's side of the process with the stream clients of a round.
 *
 * Invariants: the process ends with the run at the latest. A process that ends by itself fails the run.
 */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { Placement } from '../../plan/placement.ts';
import { Helper } from '../../run/helper.ts';
import type { StreamSample } from '../sample.ts';
import type { Command, Reply } from './process.ts';

/** Longer than any pause of a healthy server. */
const PATIENCE_MS = 30_000;

export function startStreamClients(options: {
  readonly url: string;
  readonly clients: number;
  readonly lifetime: Lifetime;
  readonly placement: Placement;
}) {
  const { url, clients, lifetime, placement } = options;
  const program = new URL('./process.ts', import.meta.url);
  const name = 'the stream clients';
  const helper = new Helper<Command, Reply>({ name, program, placement, lifetime, code: 'stream_failed' });
  return {
    /** Connects the clients. Resolves when every client has received its first frame. */
    ready: async () =>
      void (await helper.ask({ kind: 'connect', url, clients, patience_ms: PATIENCE_MS }, 'done')),
    /** Starts to count CPU time, and the delivery lag of rows that are stored from now on. */
    mark: async () => void (await helper.ask({ kind: 'mark' }, 'done')),
    /** Returns the CPU time of the process since the mark, in microseconds. */
    cpu: async () => (await helper.ask({ kind: 'cpu' }, 'used')).cpu_us,
    /** Resolves when every client has received that id. */
    until: async (last_id: number, patience_ms = PATIENCE_MS) =>
      void (await helper.ask({ kind: 'until', last_id, patience_ms }, 'done')),
    /**
     * Ends the process. Fails unless every client received every row of the stopped server's file, in order and byte
     * for byte. The rows must be as many as were acknowledged. `round` names the round in a failure.
     */
    async finish(file: string, round: string, acknowledged: number): Promise<StreamSample> {
      const { sample } = await helper.ask({ kind: 'finish', file, round, acknowledged }, 'finished');
      await helper.close();
      return sample;
    },
    close: () => helper.close(),
  };
}
