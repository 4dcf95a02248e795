/**
 * Conditions of a server that scenarios wait for, instead of waiting for time.
 */
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { Connection } from '@twin-ingest/testkit/http/http-client.ts';
import { until } from './scenario.ts';

/** Until this many events wait for the writer, as the server itself says. */
export function eventsQueued(client: ApiClient, count: number): Promise<void> {
  return until(async () => {
    const health = await client.get('/api/health');
    return health.json<{ queue_events: number }>().queue_events >= count;
  }, `${count} events in the queue`);
}

/** Until no new connection is taken. */
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
