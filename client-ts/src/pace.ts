/**
 * When a call that is wanted again and again is made: debounced, throttled, or both, the first feeding the second.
 *
 * What must stay true: with a trailing call the last wish is always followed by a call; after `stop` none is made.
 */
import type { Clock } from './clock.ts';

export interface PaceOptions {
  /** No two calls are closer than this, in milliseconds; 0: none is held back. */
  readonly throttle_ms: number;
  /** A call is made once nothing was wanted for this long, in milliseconds; 0: at once. */
  readonly debounce_ms: number;
  /** Whether the first wish after a pause is followed at once. */
  readonly leading: boolean;
  /** Whether wishes that were held back are followed by one call. */
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

  /** Whether a call is yet to come of what was wanted. */
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

  /** Until it ends wishes are held back; a call at its end begins another. */
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
