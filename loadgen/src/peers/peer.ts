/** A server of the comparison: how it starts, what it promises, how it counts what it has stored; and the load. */
import type { NatsMissing, NatsProgram } from '@twin-ingest/testkit/nats/program.ts';
import type { PoolSource } from '../load/pool.ts';
import type { Protocol } from './protocol.ts';

/**
 * Where an event is when the server acknowledges it: synced to disk, handed to the kernel, or in memory. A kill of the
 * process loses only what is in its memory; a power cut loses what is not synced.
 */
export type Class = 'disk' | 'kernel' | 'memory';

export interface Peer {
  readonly name: string;
  readonly title: string;
  readonly durability: Class;
  /** The setting that gives this class, as its documentation names it. */
  readonly setting: string;
  /** What happens to a repeated `event_id`. */
  readonly repeated: string;
  readonly protocol: Protocol;
  /** Returns the program, or why it is not there. */
  find(): Promise<Found | NatsMissing>;
  /** Returns the arguments of the program; may write a configuration to the folder. */
  flags(folder: string, port: number): Promise<readonly string[]>;
  /**
   * Returns the number of stored events; creates what events go to, where that must be done. Rejects while the server
   * does not answer.
   */
  stored(port: number): Promise<number>;
}

/** The path of a program, and its version. */
export type Found = NatsProgram;

/** DATA: small events, each with a UUID of its own. */
export const PEER_POOL: PoolSource = { corpus: undefined, payload: 'small', seed: 1, most: 20_000 };

/** DATA: the load that every peer gets. */
export const LOAD = {
  connections: 40,
  /** Events in a request, or in a run of messages without waiting in between. */
  batch: 50,
  warm_up_s: 1,
  /** Events per second of the open loop. */
  rate: 10_000,
  /** Seconds of load before the kill. */
  crash_s: 1,
} as const;
