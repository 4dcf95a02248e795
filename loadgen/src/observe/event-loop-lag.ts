/**
 * Measures the event-loop lag of a server: the time that `GET /livez` takes on a persistent connection. The endpoint
 * reads no database.
 *
 * Every server is measured in this way, since the runtimes' own figures could not be compared. Invariant: one request
 * at a time, so that one stall is one long wait.
 */
import { Agent, get } from 'node:http';

export class EventLoopLagProbe {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 });
  #waiting = false;

  constructor(url: string) {
    this.#url = `${url}/livez`;
  }

  /** Returns the time in milliseconds; `null` when the previous request still waits, or when this one fails. */
  ask(): Promise<number | null> {
    if (this.#waiting) return Promise.resolve(null);
    this.#waiting = true;
    return new Promise((resolve) => {
      const from = performance.now();
      const settle = (lag_ms: number | null) => {
        this.#waiting = false;
        resolve(lag_ms);
      };
      get(this.#url, { agent: this.#agent }, (response) => {
        response.resume();
        response.once('end', () => settle(response.statusCode === 200 ? performance.now() - from : null));
        response.once('error', () => settle(null));
      }).once('error', () => settle(null));
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}
