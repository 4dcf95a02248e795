/** Waits for conditions of a server, so that scenarios need no fixed delays. */
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { Connection } from '@twin-ingest/testkit/http/http-client.ts';
import { until } from './scenario.ts';

/** Waits until this many events wait for the writer, as the server itself reports. */
export function eventsQueued(client: ApiClient, count: number): Promise<void> {
  return until(async () => {
    const health = await client.get('/api/health');
    return health.json<{ queue_events: number }>().queue_events >= count;
  }, `${count} events in the queue`);
}

/** Waits until the server accepts no new connection. */
export function notAccepting(port: number): Promise<void> {
  return until(async () => {
    try {
      const connection = await Connection.open(port);
      connection.close();
      return false;
    } catch {
      return true;
    }
  }, 'the server to stop accepting');
}
