/**
 * Notifications that wait for their next attempt, in a bounded queue (rule NOT-04).
 *
 * Pure. The caller passes the time. Each notification has its own time, so that one that fails delays no other.
 */
import { LIMITS } from './contract.ts';
import type { Notice } from './notices.ts';

/** A notification, and its attempts so far. */
export interface Delivery {
  readonly notice: Notice;
  /** Attempts that failed. */
  readonly attempts: number;
  /** The time of the next attempt in milliseconds. */
  readonly dueMs: number;
}

/** The queue. */
export class Deliveries {
  private readonly waiting: Delivery[] = [];

  /** Adds a notification that is due now; returns whether there was room. */
  push(notice: Notice, nowMs: number): boolean {
    if (this.waiting.length >= LIMITS.webhook_queue) return false;
    this.waiting.push({ notice, attempts: 0, dueMs: nowMs });
    return true;
  }

  /** Returns the time of the next attempt; `undefined` when the queue is empty. */
  nextDue(): number | undefined {
    return this.waiting.length === 0 ? undefined : Math.min(...this.waiting.map(({ dueMs }) => dueMs));
  }

  /** Takes the first notification that is due: the one with the earliest time, then the oldest. */
  take(nowMs: number): Delivery | undefined {
    const due = this.nextDue();
    if (due === undefined || due > nowMs) return undefined;
    const place = this.waiting.findIndex(({ dueMs }) => dueMs === due);
    return this.waiting.splice(place, 1)[0];
  }

  /**
   * Returns a notification whose attempt failed to the queue; returns whether it has another attempt. The delay doubles
   * with each attempt.
   */
  retry({ notice, attempts: failed }: Delivery, nowMs: number): boolean {
    const attempts = failed + 1;
    if (attempts >= LIMITS.webhook_attempts) return false;
    this.waiting.push({ notice, attempts, dueMs: nowMs + LIMITS.webhook_retry_ms * 2 ** failed });
    return true;
  }
}
