/**
 * Load for crash and swap scenarios: senders that log every batch before it is sent and after it was
 * acknowledged, until the server is gone or they are told to stop.
 */
import { ApiClient, event, type Ingested, NoReplyError } from '@twin-ingest/testkit/http/api-client.ts';
import type { DeliveryLog } from './delivery-log.ts';

export interface LoadOptions {
  readonly port: number;
  readonly log: DeliveryLog;
  readonly senders: number;
  readonly batch: number;
  /** Begins every event_id, so that runs on one database do not meet. */
  readonly prefix: string;
}

/** Counts requests over all loads of one log. */
export interface RequestCounter {
  next: number;
}

export interface Load {
  /** Batches that were acknowledged, each with its event_ids. */
  readonly acknowledged: readonly (readonly string[])[];
  /** No new request; resolves when those under way have ended, however they ended. */
  stop(): Promise<void>;
}

/** Starts sending. Answers other than 201 are an error of the server and reject `stop`. */
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

/** The server was killed: the connection ended, or could not be made. */
function isGone(error: unknown): boolean {
  if (error instanceof NoReplyError) return error.answer.kind !== 'late';
  const code = (error as NodeJS.ErrnoException).code;
  return code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'EPIPE';
}
