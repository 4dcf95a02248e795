/**
 * Learns how long a stream may be silent before the client treats it as dead.
 *
 * A server does not announce its heartbeat interval: 15 s by default, at most 10 minutes (`--heartbeat-ms`). One fixed
 * limit would drop idle streams of some servers repeatedly, or detect a lost connection late on others.
 *
 * So the client learns the limit. A heartbeat follows a silence of one interval, and the client waits for three
 * intervals, as the server does for a reader (STR-08). Before the first heartbeat, the limit may be too short, so each
 * silent stream doubles the limit of the next.
 */
import type { Clock } from './clock.ts';

const HEARTBEATS = 3;
/** Smallest limit: six default heartbeats, so that a brief stall of the page or the machine does not count. */
const LEAST_MS = 90_000;
/** Largest limit, for the longest configurable heartbeat interval. */
const MOST_MS = HEARTBEATS * 600_000;

export class Silence {
  readonly #clock: Clock;
  /** The limit of the current stream. */
  most_ms = LEAST_MS;
  /** Time of the last data. */
  #heard_ms = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Records that data arrived, with or without a heartbeat. */
  hear(hasHeartbeat: boolean): void {
    const now_ms = this.#clock.now();
    if (hasHeartbeat) this.#setMost(HEARTBEATS * (now_ms - this.#heard_ms));
    this.#heard_ms = now_ms;
  }

  /** Records that an open stream was silent for too long. */
  break(): void {
    this.#setMost(2 * this.most_ms);
  }

  #setMost(ms: number): void {
    this.most_ms = Math.min(Math.max(ms, LEAST_MS), MOST_MS);
  }
}
