/**
 * What goes out in one request, and what the server answers for it.
 *
 * Knows nothing of queues and attempts.
 */
import type { OutgoingEvent } from './contract.ts';

/** An event that has an id, given by the caller or by the sender. */
export type SentEvent = OutgoingEvent & { readonly event_id: string };

export interface Waiting {
  readonly event: SentEvent;
  readonly text: string;
}

export interface Answer {
  readonly revision: string | null;
  readonly received: number;
  readonly duplicates: number;
  readonly rejected: readonly { readonly index: number; readonly errors: readonly string[] }[];
}

export function bodyOf(batch: readonly Waiting[]): string {
  return `{"events":[${batch.map(({ text }) => text).join(',')}]}`;
}

/** Of these, those that fit into a body of so many bytes together; one that does not is left out. */
export function fitting(queue: readonly Waiting[], most_bytes: number): Waiting[] {
  let left = most_bytes - bodyOf([]).length;
  return queue.filter(({ text }) => {
    const bytes = new Blob([text]).size + 1;
    if (bytes > left) return false;
    left -= bytes;
    return true;
  });
}

/** Throws where it is none: whatever stands between may answer 200 with a page of its own, and has stored nothing. */
export function answerOf(said: unknown): Answer {
  if (!Array.isArray((said as Answer | null)?.rejected)) throw new TypeError('no answer');
  return said as Answer;
}
