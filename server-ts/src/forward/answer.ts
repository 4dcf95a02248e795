/** Judges the answer of a receiver (rules FWD-06 and FWD-07). Pure. */
import { TUNING } from '../contract.ts';

/** The failure of a request without an answer. */
export const UNREACHABLE = 'unreachable';

/** What an answer means for its batch. */
export type Answer =
  /** The receiver has every event except those at the refused places of the batch. */
  | { readonly kind: 'stored'; readonly refused: readonly number[] }
  /** The receiver cannot take the batch as a whole: it may take a smaller one. */
  | { readonly kind: 'refused' }
  /** The batch must be sent again later, after the seconds that the receiver asked for. */
  | { readonly kind: 'failed'; readonly failure: string; readonly retryAfterS?: number | undefined };

/** Judges the answer to a batch of this many events. */
export function readAnswer(
  status: number,
  retryAfter: string | undefined,
  body: string,
  events: number,
): Answer {
  switch (status) {
    case 201: {
      const answer = parsed(body);
      const { received, duplicates, rejected } = answer;
      if (!isCount(received) || !isCount(duplicates) || !Array.isArray(rejected)) break;
      const refused = rejected.map((one) => (one as { index?: unknown } | null)?.index);
      if (received + duplicates + refused.length !== events || !refused.every(isCount)) break;
      return { kind: 'stored', refused };
    }
    case 413:
      return { kind: 'refused' };
    case 400:
      // A proxy answers 400 too, for example to a wrong scheme. Only a server with this API has a code.
      if (typeof parsed(body).code === 'string') return { kind: 'refused' };
  }
  if (status === 201) return failed('unexpected_answer');
  return { kind: 'failed', failure: `status_${status}`, retryAfterS: secondsOf(retryAfter) };
}

/** Returns a failure without a time. */
export function failed(failure: string): Answer {
  return { kind: 'failed', failure };
}

/** Returns the members of a JSON object; none for any other text. */
function parsed(body: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Returns the seconds of `Retry-After`; a date counts as absent. */
function secondsOf(retryAfter: string | undefined): number | undefined {
  const text = retryAfter?.trim() ?? '';
  return /^[0-9]+$/.test(text) ? Math.min(Number(text), TUNING.forward_retry_after_most_s) : undefined;
}
