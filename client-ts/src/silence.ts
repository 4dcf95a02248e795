/**
 * How long a stream may be silent before it is taken for dead.
 *
 * A server tells nobody how far apart its heartbeats are: 15 s unless it was told otherwise, 10 minutes at most
 * (`--heartbeat-ms`). One limit for all would drop the idle streams of some again and again, or notice late with others
 * that the connection is gone. So it is learnt: a heartbeat comes when nothing else did for as long, and three of them
 * are waited for, as the server itself waits for a reader (STR-08). Before the first has come, a stream that was open
 * and fell silent may have been dropped too early: the one that follows it is given twice as long.
 */
import type { Clock } from './clock.ts';

const HEARTBEATS = 3;
/** Six heartbeats of the server's default: what holds up a page or a machine for a moment is not to count. */
const LEAST_MS = 90_000;
/** For the longest heartbeats that a server can be told. */
const MOST_MS = HEARTBEATS * 600_000;

export class Silence {
  readonly #clock: Clock;
  /** How long the next one may last. */
  most_ms = LEAST_MS;
  /** When something came last. */
  #heard_ms = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Something came, with a heartbeat in it or not. */
  hear(hasHeartbeat: boolean): void {
    const now_ms = this.#clock.now();
    if (hasHeartbeat) this.#setMost(HEARTBEATS * (now_ms - this.#heard_ms));
    this.#heard_ms = now_ms;
  }

  /** Nothing came for too long on a stream that was open. */
  break(): void {
    this.#setMost(2 * this.most_ms);
  }

  #setMost(ms: number): void {
    this.most_ms = Math.min(Math.max(ms, LEAST_MS), MOST_MS);
  }
}
