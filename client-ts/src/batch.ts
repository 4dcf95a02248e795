/** Defines the contents of one request, and the server's answer to it. */
import type { OutgoingEvent } from './contract.ts';
import type { Format, Piece } from './format.ts';

/** An event whose id comes from the caller or from the sender. */
export type SentEvent = OutgoingEvent & { readonly event_id: string };

export interface Waiting {
  readonly event: SentEvent;
  /** The encoded event. */
  readonly body: Piece;
}

export interface Answer {
  readonly revision: string | null;
  readonly received: number;
  readonly duplicates: number;
  readonly rejected: readonly { readonly index: number; readonly errors: readonly string[] }[];
}

export const JSON_FORMAT: Format = {
  type: 'application/json',
  event: (event) => JSON.stringify(event),
  batch: (pieces) => `{"events":[${pieces.join(',')}]}`,
};

/** Returns the events that fit together into a body of this size. Events that do not fit are left out. */
export function fitting(queue: readonly Waiting[], most_bytes: number): Waiting[] {
  let bytes = 0;
  return queue.filter(({ body }) => {
    const { size } = new Blob([body, '\n']);
    const fits = bytes + size <= most_bytes;
    if (fits) bytes += size;
    return fits;
  });
}

/**
 * Returns the answer. Throws for any other body: a proxy may answer 200 with its own page, and then no event is stored.
 */
export function answerOf(said: unknown): Answer {
  if (!Array.isArray((said as Answer | null)?.rejected)) throw new TypeError('no answer');
  return said as Answer;
}
