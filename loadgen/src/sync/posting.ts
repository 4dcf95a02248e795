/**
 * Posts one event at a time and returns the revision that contains it: over a plain socket, or by the shipped client's
 * `Sender`.
 *
 * Invariants: only posting is timed. Nothing is posted twice; a post that fails ends the measurement.
 */
import { type OutgoingEvent, Sender } from '@twin-ingest/client';
import { BenchFailure } from '../failure.ts';
import { Connections } from './connections.ts';

export interface Posting {
  /** Makes one event ready, given as JSON; what it returns posts it, and resolves to the revision of `events`. */
  ready(text: string): () => Promise<bigint>;
  close(): void;
}

/** As an agent does that sends its event and is done; costs the cores that it shares with the server least. */
export function postBySocket(url: string): Posting {
  const connections = new Connections(url, 1);
  return {
    ready: (body) => async () => {
      const { status, text } = await connections.post('/api/events', body);
      if (status !== 201)
        throw new BenchFailure('generator_failed', `POST /api/events answered ${status} ${text}`);
      return BigInt((JSON.parse(text) as { revision: string }).revision);
    },
    close: () => connections.close(),
  };
}

/** As a page does that sends by the shipped client: a batch of one, which does not wait for others. */
export function postBySender(url: string): Posting {
  let problem: string | null = null;
  const fail = (what: string): void => {
    problem ??= what;
    sender.stop();
  };
  const sender = new Sender({
    baseUrl: url,
    onState: (state, error) => {
      if (state === 'retrying') fail(String(error));
    },
    onRejected: (_event, problems) => fail(problems.join()),
  });
  return {
    ready: (text) => {
      const event = JSON.parse(text) as OutgoingEvent;
      return async () => {
        sender.send(event);
        await sender.flush().catch((error: unknown) => {
          throw problem === null
            ? error
            : new BenchFailure('generator_failed', `the client’s Sender: ${problem}`);
        });
        return BigInt(sender.revision!);
      };
    },
    close: () => void sender.stop(),
  };
}
