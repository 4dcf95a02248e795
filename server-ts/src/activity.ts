/**
 * Knows whether requests are in progress, and ends an idle wait when there were none for the time of `--idle-exit`
 * (rule PRO-18).
 *
 * Without the flag a request costs one comparison.
 */
import type { ServerResponse } from 'node:http';

/** The requests in progress. */
export class Activity {
  /** 0: no limit, so nothing is counted. */
  private readonly limitMs: number;
  private requests = 0;
  private idleSinceMs = performance.now();

  /** 0 seconds are no limit. */
  constructor(idleExitS: number) {
    this.limitMs = idleExitS * 1000;
  }

  /** Counts a request until its response closes. */
  begin(response: ServerResponse): void {
    if (this.limitMs === 0) return;
    this.requests++;
    response.once('close', () => {
      this.requests--;
      this.idleSinceMs = performance.now();
    });
  }

  /** Resolves when there was no request for the time of the limit; never without one. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      if (this.limitMs === 0) return;
      const check = (): void => {
        const idleMs = this.requests > 0 ? 0 : performance.now() - this.idleSinceMs;
        if (idleMs >= this.limitMs) resolve();
        else setTimeout(check, Math.ceil(this.limitMs - idleMs)).unref();
      };
      check();
    });
  }
}
