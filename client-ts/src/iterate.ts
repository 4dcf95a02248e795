/**
 * The live stream as an async iterator, for `for await`.
 *
 * What must stay true: whoever takes slowly is not sent faster than it takes, but for a few events that wait here.
 */
import type { EventRow } from './contract.ts';
import { serverOf } from './server.ts';
import { type StreamOptions, type StreamPosition, streamEvents } from './stream.ts';

export interface StreamedEvent {
  readonly row: EventRow;
  readonly position: StreamPosition;
}

/** Events that wait for whoever iterates. */
const MOST_WAITING = 256;

export type IterateOptions = Omit<StreamOptions, 'onEvent' | 'signal'> & { readonly signal?: AbortSignal };

/**
 * Ends when the signal aborts or the loop is left; throws a `RefusedError`, or what a callback threw. A base URL that is
 * none is refused by the call itself, and not when the loop begins.
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
  // Told at the end, when the loop asks for it.
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
