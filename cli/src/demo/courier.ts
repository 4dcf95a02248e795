/**
 * Sends what agents send to a server, and counts what it answers.
 *
 * Invariant: a request is sent once. One that gets no answer counts as lost, since the agents of a demo repeat nothing.
 */
import type { Request } from './agents/request.ts';

/** A server that hangs does not hold up the end of a demo for longer. */
const PATIENCE_MS = 5_000;

export class Courier {
  readonly #baseUrl: string;
  sent = 0;
  /** Refused as a whole or in part, or without an answer. */
  refused = 0;

  constructor(baseUrl: string) {
    this.#baseUrl = baseUrl;
  }

  /** Resolves with whether the server took all of it. */
  async send({ path, body }: Request): Promise<boolean> {
    this.sent++;
    const isTaken = await this.#post(path, JSON.stringify(body)).catch(() => false);
    if (!isTaken) this.refused++;
    return isTaken;
  }

  async #post(path: string, body: string): Promise<boolean> {
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const answer = await response.text();
    return response.ok && !answer.includes('partialSuccess');
  }
}
