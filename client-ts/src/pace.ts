/**
 * Schedules repeated calls: debounced, throttled, or both. With both, the calls of the debounce are throttled.
 *
 * Invariants: with a trailing call, the last request is always followed by a call. After `stop` there is no call.
 */
import type { Clock } from './clock.ts';

export interface PaceOptions {
  /** Least time between two calls, in milliseconds; 0 disables it. */
  readonly throttle_ms: number;
  /** Time without a request before a call, in milliseconds; 0 means at once. */
  readonly debounce_ms: number;
  /** Whether the first request after a pause leads to a call at once. */
  readonly leading: boolean;
  /** Whether delayed requests lead to one call. */
  readonly trailing: boolean;
}

export class Pace {
  readonly #options: PaceOptions;
  readonly #clock: Clock;
  readonly #call: () => void;
  #cancelDebounce: (() => void) | undefined;
  #cancelThrottle: (() => void) | undefined;
  #isHeldBack = false;
  #isStopped = false;

  constructor(options: PaceOptions, clock: Clock, call: () => void) {
    this.#options = options;
    this.#clock = clock;
    this.#call = call;
  }

  want(): void {
    if (this.#isStopped) return;
    const { debounce_ms } = this.#options;
    if (debounce_ms === 0) {
      this.#throttled();
      return;
    }
    this.#cancelDebounce?.();
    this.#cancelDebounce = this.#clock.after(debounce_ms, () => {
      this.#cancelDebounce = undefined;
      this.#throttled();
    });
  }

  /** Whether a delayed call is pending. */
  get isHolding(): boolean {
    return this.#cancelDebounce !== undefined || (this.#isHeldBack && this.#options.trailing);
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancelDebounce?.();
    this.#cancelThrottle?.();
  }

  #throttled(): void {
    const { throttle_ms, leading } = this.#options;
    if (throttle_ms === 0) this.#call();
    else if (this.#cancelThrottle !== undefined) this.#isHeldBack = true;
    else {
      this.#isHeldBack = !leading;
      this.#pause();
      if (leading) this.#call();
    }
  }

  /** Delays requests for the throttle's interval. A call at its end starts another interval. */
  #pause(): void {
    this.#cancelThrottle = this.#clock.after(this.#options.throttle_ms, () => {
      this.#cancelThrottle = undefined;
      if (!this.#isHeldBack || !this.#options.trailing) return;
      this.#isHeldBack = false;
      this.#pause();
      this.#call();
    });
  }
}
