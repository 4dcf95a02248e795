/**
 * The bodies of posts: small events with random UUIDs. Each event depends only on the PRNG seed and on its number.
 *
 * Invariant: each number has its own `event_id`, so that no event is a duplicate.
 */
import { uuidText } from '../load/uuid.ts';

export interface Shape {
  readonly seed: number;
  /** Bytes of metadata, at least 10. The default of 50 B is about the state of a slider. */
  readonly metadata_bytes: number;
  /** Number of sessions. The events are distributed over them in turn. */
  readonly sessions: number;
}

export const SMALL: Omit<Shape, 'seed'> = { metadata_bytes: 50, sessions: 10 };

/** Returns the id of session `number`, counted from 0. */
export function sessionOf(number: number): string {
  return `bench-${number}`;
}

/** Returns one event as JSON. */
export function eventText({ seed, metadata_bytes, sessions }: Shape, number: number): string {
  const session = sessionOf(number % sessions);
  const value = String(number % 100).padEnd(metadata_bytes - '{"v":""}'.length, '.');
  return (
    `{"event_id":"${uuidText(seed, number)}","session_id":"${session}","agent_type":"bench",` +
    `"event_type":"tool_use","tool_name":"Slider","metadata":{"v":"${value}"}}`
  );
}

/** Returns a batch of `count` events as JSON, starting with number `first`. */
export function batchText(shape: Shape, first: number, count: number): string {
  const events = Array.from({ length: count }, (_, i) => eventText(shape, first + i));
  return `{"events":[${events.join()}]}`;
}
