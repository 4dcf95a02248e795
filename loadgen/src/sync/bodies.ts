/**
 * The events that are posted: small ones with random UUIDs, a pure function of seed and number.
 *
 * Invariant: no two numbers share an `event_id`, so that none is a duplicate.
 */
import { UUID_BYTES, writeUuid } from '../load/uuid.ts';

export interface Shape {
  readonly seed: number;
  /** Bytes of metadata, at least 10; the smallest are the 50 B of a slider's state. */
  readonly metadata_bytes: number;
  /** Events go to so many sessions in turn. */
  readonly sessions: number;
}

export const SMALL: Omit<Shape, 'seed'> = { metadata_bytes: 50, sessions: 10 };

const uuid = Buffer.alloc(UUID_BYTES);

/** The id of a session that events go to; `number` from 0. */
export function sessionOf(number: number): string {
  return `bench-${number}`;
}

/** One event as JSON. */
export function eventText({ seed, metadata_bytes, sessions }: Shape, number: number): string {
  writeUuid(uuid, 0, seed, number);
  const session = sessionOf(number % sessions);
  const value = String(number % 100).padEnd(metadata_bytes - '{"v":""}'.length, '.');
  return (
    `{"event_id":"${uuid.toString('latin1')}","session_id":"${session}","agent_type":"bench",` +
    `"event_type":"tool_use","tool_name":"Slider","metadata":{"v":"${value}"}}`
  );
}

/** A batch of `count` events from `first` on. */
export function batchText(shape: Shape, first: number, count: number): string {
  const events = Array.from({ length: count }, (_, i) => eventText(shape, first + i));
  return `{"events":[${events.join()}]}`;
}
