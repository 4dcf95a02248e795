/**
 * Generates load for crash and swap scenarios. Senders log every batch before sending it and after its
 * acknowledgement, until the server is gone or they are stopped.
 */
import { ApiClient, event, type Ingested, NoReplyError } from '@twin-ingest/testkit/http/api-client.ts';
import type { DeliveryLog } from './delivery-log.ts';

export interface LoadOptions {
  readonly port: number;
  readonly log: DeliveryLog;
  readonly senders: number;
  readonly batch: number;
  /** Prefix of every event_id, so that runs on one database do not collide. */
  readonly prefix: string;
}

/** Counts requests across all loads of one log. */
export interface RequestCounter {
  next: number;
}

export interface Load {
  /** Acknowledged batches, each with its event_ids. */
  readonly acknowledged: readonly (readonly string[])[];
  /** Stops sending; resolves when the requests in flight have ended, with or without an answer. */
  stop(): Promise<void>;
}

/** Starts sending. An answer other than 201 is an error of the server and rejects `stop`. */
export function startLoad(options: LoadOptions, counter: RequestCounter): Load {
  const acknowledged: string[][] = [];
  const state = { stopped: false };
  const send = async (): Promise<void> => {
    const client = new ApiClient(options.port);
    try {
      while (!state.stopped) await sendOne(client, options, counter, acknowledged);
    } catch (error) {
      if (!isGone(error)) throw error;
    } finally {
      client.close();
    }
  };
  const all = Promise.allSettled(Array.from({ length: options.senders }, send));
  return {
    acknowledged,
    stop: async () => {
      state.stopped = true;
      for (const one of await all) if (one.status === 'rejected') throw one.reason;
    },
  };
}

async function sendOne(
  client: ApiClient,
  { log, batch, prefix }: LoadOptions,
  counter: RequestCounter,
  acknowledged: string[][],
): Promise<void> {
  const request = counter.next;
  counter.next += 1;
  const eventIds = Array.from({ length: batch }, (_, index) => `${prefix}-${request}-${index}`);
  const events = eventIds.map((id, index) =>
    event({ event_id: id, session_id: `${prefix}-${index % 5}`, tokens_in: 1 }),
  );
  log.append({ kind: 'sent', request, event_ids: eventIds });
  const reply = await client.post('/api/events/batch', { events });
  if (reply.status === 503) return;
  if (reply.status !== 201) throw new Error(`expected 201, got ${reply.status} ${reply.text}`);
  const { ids, received } = reply.json<Ingested>();
  if (received !== batch) throw new Error(`${received} of ${batch} new events were received`);
  log.append({ kind: 'acknowledged', request, ids });
  acknowledged.push(eventIds);
}

/** Whether the server was killed: the connection ended or failed. */
export function isGone(error: unknown): boolean {
  if (error instanceof NoReplyError) return error.answer.kind !== 'late';
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'EPIPE';
}
