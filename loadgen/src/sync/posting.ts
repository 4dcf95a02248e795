/**
 * Posts one event at a time and returns the revision that contains it, over a plain socket or by the shipped client's
 * `Sender`.
 *
 * Invariants: only posting is timed. Every event is posted once; a post that fails ends the measurement.
 */
import { type OutgoingEvent, Sender } from '@twin-ingest/client';
import { BenchFailure } from '../failure.ts';
import { Connection } from './connection.ts';

export interface Posting {
  /** Prepares one event, given as JSON. The returned function posts it, and resolves to the revision of `events`. */
  ready(text: string): () => Promise<bigint>;
  close(): void;
}

/**
 * Posts over a plain socket, as an agent does. Uses less of the CPU that it shares with the server than the `Sender`
 * does.
 */
export function postBySocket(url: string): Posting {
  const connection = new Connection(url);
  return {
    ready: (body) => async () => {
      const { status, text } = await connection.post('/api/events', body);
      if (status !== 201)
        throw new BenchFailure('generator_failed', `POST /api/events answered ${status} ${text}`);
      return BigInt((JSON.parse(text) as { revision: string }).revision);
    },
    close: () => connection.close(),
  };
}

/** Posts by the shipped client's `Sender`, as a web page does: a batch of one event, sent at once. */
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
