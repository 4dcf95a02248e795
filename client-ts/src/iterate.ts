/**
 * Wraps the live stream as an async iterator, for `for await`.
 *
 * Invariant: a slow loop slows the stream down; only a few events are buffered here.
 */
import type { EventRow } from './contract.ts';
import { serverOf } from './server.ts';
import { type StreamOptions, type StreamPosition, streamEvents } from './stream.ts';

export interface StreamedEvent {
  readonly row: EventRow;
  readonly position: StreamPosition;
}

/** Largest number of events that wait for the loop. */
const MOST_WAITING = 256;

export type IterateOptions = Omit<StreamOptions, 'onEvent' | 'signal'> & { readonly signal?: AbortSignal };

/**
 * Returns the events. The iterator ends when the signal aborts or the loop is left. It throws a `RefusedError`, or the
 * error of a callback. The call itself throws for an invalid base URL, before the loop starts.
 */
export function iterateEvents(options: IterateOptions): AsyncGenerator<StreamedEvent, void> {
  serverOf(options);
  return iterate(options);
}

async function* iterate(options: IterateOptions): AsyncGenerator<StreamedEvent, void> {
  const own = new AbortController();
  const signal = options.signal === undefined ? own.signal : AbortSignal.any([own.signal, options.signal]);
  const waiting: StreamedEvent[] = [];
  let wakeTaker = () => {};
  let wakeReader = () => {};
  const streaming = streamEvents({
    ...options,
    signal,
    onEvent(row, position) {
      waiting.push({ row, position });
      wakeTaker();
      if (waiting.length < MOST_WAITING) return;
      return new Promise<void>((resolve) => {
        wakeReader = resolve;
      });
    },
  });
  let isOver = false;
  const over = streaming.finally(() => {
    isOver = true;
    wakeTaker();
  });
  // The loop throws this error at its end.
  over.catch(() => undefined);
  try {
    while (!isOver || waiting.length > 0) {
      const next = waiting.shift();
      if (next !== undefined) yield next;
      else {
        wakeReader();
        if (waiting.length === 0 && !isOver)
          await new Promise<void>((resolve) => {
            wakeTaker = resolve;
          });
      }
    }
    await streaming;
  } finally {
    own.abort();
    wakeReader();
  }
}
