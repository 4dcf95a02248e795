/**
 * Reads the live stream of events (contract, section "Live stream"): every event once, in id order, across
 * reconnects, restarts and a change of server.
 *
 * Its only state is the newest id and the epoch, so a reader may stop and later resume from its last position.
 */
import { type ConnectionState, keepConnected } from './connection.ts';
import type { EventRow, EventType, Stats } from './contract.ts';
import { type ServerOptions, serverOf } from './server.ts';

export interface StreamFilter {
  readonly session_id?: string;
  readonly agent_type?: string;
  readonly event_type?: EventType;
}

/** A position to resume from: after this event of this database. */
export interface StreamPosition {
  readonly epoch: string;
  readonly id: number;
}

export interface StreamOptions extends ServerOptions {
  readonly filter?: StreamFilter;
  /** Without it the stream starts at the newest event. */
  readonly from?: StreamPosition;
  readonly signal: AbortSignal;
  /** Receives an event. Reading pauses until the returned promise resolves. */
  onEvent(row: EventRow, position: StreamPosition): void | Promise<void>;
  /**
   * Called for another database, or for the same one restored to an older state. Earlier events are no longer valid.
   */
  onReset?(): void;
  /** Receives the payload of `GET /api/stats` at an interval. */
  onStats?(stats: Stats): void;
  /** Receives changes of the state. For `waiting`, `wait_ms` is the time until the next attempt. */
  onState?(state: ConnectionState, error: unknown, wait_ms: number): void;
}

/** Runs until the signal aborts. Rejects with a `RefusedError`, or with the error of a callback. */
export async function streamEvents(options: StreamOptions): Promise<void> {
  const server = serverOf(options);
  const filter = Object.entries(options.filter ?? {});
  let position = options.from;
  /** The server's position when the connection opened. */
  let opening: StreamPosition | undefined;
  await keepConnected(
    {
      ...server,
      url: () => {
        const query = new URLSearchParams(filter);
        if (position !== undefined) {
          query.set('after', String(position.id));
          query.set('epoch', position.epoch);
        }
        return `${server.baseUrl}/api/stream?${query}`;
      },
      onMessage({ id: lastEventId, data }) {
        const message = JSON.parse(data) as Message;
        switch (message.type) {
          case 'connected':
            opening = { epoch: message.epoch, id: message.last_id };
            // Without `from`, the stream starts at the first connection. Later connections resume from there.
            position ??= opening;
            return;
          case 'reset':
            // The position must not be the one that the server continued from. An id of another timeline could exceed
            // the newest id later, and events would be skipped.
            position = opening;
            options.onReset?.();
            return;
          case 'stats':
            options.onStats?.(message.payload);
            return;
          case 'event':
            position = { epoch: position!.epoch, id: Number(lastEventId) };
            return options.onEvent(message.payload, position);
        }
      },
      onState: (...state) => options.onState?.(...state),
    },
    options.signal,
  );
}

type Message =
  | { readonly type: 'connected'; readonly epoch: string; readonly last_id: number }
  | { readonly type: 'reset' }
  | { readonly type: 'stats'; readonly payload: Stats }
  | { readonly type: 'event'; readonly payload: EventRow };
