/**
 * Sends agents' requests to a server, and counts its answers.
 *
 * Invariant: each request is sent once. A request without an answer counts as lost, since agents of a demo do not
 * retry.
 */

import { request } from '../request.ts';
import type { Request } from './agents/request.ts';

/** Time limit of a request: the longest time by which an unresponsive server delays the end of a demo. */
const PATIENCE_MS = 5_000;

export class Courier {
  readonly #baseUrl: string;
  sent = 0;
  /** Number of requests that were refused completely or in part, or got no answer. */
  refused = 0;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  /** Resolves to whether the server accepted all of it. */
  async send({ path, body }: Request): Promise<boolean> {
    this.sent++;
    const isTaken = await this.#post(path, JSON.stringify(body)).catch(() => false);
    if (!isTaken) this.refused++;
    return isTaken;
  }

  async #post(path: string, body: string): Promise<boolean> {
    const response = await request(`${this.#baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const answer = await response.text();
    return response.ok && !answer.includes('partialSuccess');
  }
}
