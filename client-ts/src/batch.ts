/**
 * What goes out in one request, and what the server answers for it.
 *
 * Knows nothing of queues and attempts.
 */
import type { OutgoingEvent } from './contract.ts';
import type { Format, Piece } from './format.ts';

/** An event that has an id, given by the caller or by the sender. */
export type SentEvent = OutgoingEvent & { readonly event_id: string };

export interface Waiting {
  readonly event: SentEvent;
  /** As the format encodes it. */
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

/** Of these, those that fit into a body of so many bytes together; one that does not is left out. */
export function fitting(queue: readonly Waiting[], most_bytes: number): Waiting[] {
  let bytes = 0;
  return queue.filter(({ body }) => {
    const { size } = new Blob([body, '\n']);
    const fits = bytes + size <= most_bytes;
    if (fits) bytes += size;
    return fits;
  });
}

/** Throws where it is none: whatever stands between may answer 200 with a page of its own, and has stored nothing. */
export function answerOf(said: unknown): Answer {
  if (!Array.isArray((said as Answer | null)?.rejected)) throw new TypeError('no answer');
  return said as Answer;
}
