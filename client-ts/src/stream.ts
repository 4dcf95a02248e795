/**
 * The live stream of events (contract, section "Live stream"): every event once, in the order of their ids, across
 * reconnects, restarts and a change of server.
 *
 * Nothing is remembered but the newest id and the epoch, so that a reader may stop and go on later from what it has.
 */
import { type ConnectionState, keepConnected } from './connection.ts';
import type { EventRow, EventType, Stats } from './contract.ts';
import { type ServerOptions, serverOf } from './server.ts';

export interface StreamFilter {
  readonly session_id?: string;
  readonly agent_type?: string;
  readonly event_type?: EventType;
}

/** Where to go on: after this event of this database. */
export interface StreamPosition {
  readonly epoch: string;
  readonly id: number;
}

export interface StreamOptions extends ServerOptions {
  readonly filter?: StreamFilter;
  /** Without one it begins with what comes from now on. */
  readonly from?: StreamPosition;
  readonly signal: AbortSignal;
  /** No more is read before what it returns has resolved. */
  onEvent(row: EventRow, position: StreamPosition): void | Promise<void>;
  /** Another database, or the same put back to an older state: what came before no longer holds. */
  onReset?(): void;
  /** The payload of `GET /api/stats`, now and then. */
  onStats?(stats: Stats): void;
  /** `wait_ms`: of `waiting`, until the next attempt. */
  onState?(state: ConnectionState, error: unknown, wait_ms: number): void;
}

/** Runs until the signal aborts; rejects with a `RefusedError`, or with what a callback threw. */
export async function streamEvents(options: StreamOptions): Promise<void> {
  const server = serverOf(options);
  const filter = Object.entries(options.filter ?? {});
  let position = options.from;
  /** Where the server was when it connected. */
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
            // Events before the first connection were not asked for, those since are.
            position ??= opening;
            return;
          case 'reset':
            // Not where it went on from: an id of another timeline would be above the newest again, and skip some.
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
      onState: (...told) => options.onState?.(...told),
    },
    options.signal,
  );
}

type Message =
  | { readonly type: 'connected'; readonly epoch: string; readonly last_id: number }
  | { readonly type: 'reset' }
  | { readonly type: 'stats'; readonly payload: Stats }
  | { readonly type: 'event'; readonly payload: EventRow };
