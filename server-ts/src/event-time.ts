/**
 * Decides when an event happened, and whether it is history (rules TIM-01 and TIM-03).
 *
 * Pure.
 */
import { LIMITS } from './contract.ts';

/** The times that an event says and those of its arrival, in Unix milliseconds; NaN for none. */
export class EventTimes {
  readonly clientTimestamp: number;
  readonly arrivedAt: number;
  readonly createdAt: number;

  constructor(clientTimestamp: number, arrivedAt: number, createdAt: number) {
    this.clientTimestamp = clientTimestamp;
    this.arrivedAt = arrivedAt;
    this.createdAt = createdAt;
  }

  /** Returns the time at which the event happened. */
  time(): number {
    return this.isBelieved(this.clientTimestamp) ? this.clientTimestamp : this.firstArrival();
  }

  /** Returns whether the event is history. The clock of a live source may be slow, so its arrival counts instead. */
  isHistory(isLiveSource: boolean): boolean {
    const time = isLiveSource ? this.firstArrival() : this.time();
    return time < this.createdAt - LIMITS.history_ms;
  }

  /** Returns whether the client says a time that does not count. */
  isIgnored(): boolean {
    return !Number.isNaN(this.clientTimestamp) && !this.isBelieved(this.clientTimestamp);
  }

  /** Returns the time at which the first server received the event. */
  firstArrival(): number {
    return this.isBelieved(this.arrivedAt) ? this.arrivedAt : this.createdAt;
  }

  /** Returns whether a time counts; NaN does not. */
  private isBelieved(time: number): boolean {
    return time >= LIMITS.time_min_ms && time <= this.createdAt + LIMITS.time_ahead_ms;
  }
}
