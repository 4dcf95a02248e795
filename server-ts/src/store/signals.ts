/** Reads what notifications need: the events and waits after an id, and the cost of a day (rules NOT-02 and NOT-05). */
import { QUERIES } from '../queries.ts';
import type { Queries } from './query.ts';

/** What an event or a wait means for its session. */
export type SignalKind = 'failed' | 'finished' | 'prompt' | 'waiting';

/** One event, or one wait that lasts. */
export interface Signal {
  /** Of the event. */
  readonly id: number;
  readonly kind: SignalKind;
  /** Of a wait. */
  readonly reason: string | null;
  /** Unix milliseconds, as `started_at`. */
  readonly at: number;
  /** The session's key. */
  readonly key: number;
  /** These are of the session. */
  readonly session_id: string;
  readonly agent: string;
  readonly project: string | null;
  /** The arrival of its first event. */
  readonly started_at: number;
}

/** Returns the signals of the events above `after`, up to `newest`, oldest first. */
export function readSignals(queries: Queries, after: number, newest: number): readonly Signal[] {
  return queries.prepared(QUERIES.selectSignals).all(after, newest) as Signal[];
}

/** The cost of a day. */
export interface DayCost {
  /** Its reported and its computed cost in US dollars. */
  readonly usd: number;
  /** Its tokens without a price. */
  readonly unpriced_tokens: number;
}

/** Returns the cost of the day from one time in Unix seconds up to another. */
export function dayCost(queries: Queries, startS: number, endS: number): DayCost {
  return queries.prepared(QUERIES.selectDayCost).get(startS, endS) as DayCost;
}
