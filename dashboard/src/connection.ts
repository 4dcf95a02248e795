/** The state of the connection: it is "live" only while the stream is open. */
import { signal } from '@preact/signals';
import { type ConnectionState, RefusedError } from '@twin-ingest/client';

export type Connection =
  | { readonly state: 'connecting' | 'live' | 'asleep' }
  /** Another attempt follows at `retry_at_ms`, by `performance.now()`. */
  | { readonly state: 'lost'; readonly retry_at_ms: number }
  /** The server refused permanently. */
  | { readonly state: 'refused'; readonly status: number };

export const connection = signal<Connection>({ state: 'connecting' });

export function setConnection(state: ConnectionState, error: unknown, wait_ms: number): void {
  if (state === 'open') connection.value = { state: 'live' };
  else if (state === 'connecting') connection.value = { state };
  else if (state === 'waiting')
    connection.value = { state: 'lost', retry_at_ms: performance.now() + wait_ms };
  else if (error instanceof RefusedError) connection.value = { state: 'refused', status: error.status };
  else connection.value = { state: 'asleep' };
}
