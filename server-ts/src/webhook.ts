/**
 * Sends one notification to the receiver: a signed POST, without redirects (rules NOT-03 and NOT-04).
 *
 * Uses Node's own `fetch`. The caller bounds its time.
 */
import { SERVER_VERSION } from './contract.ts';
import type { Endpoint } from './endpoint.ts';
import type { Notice } from './notices.ts';

/** The name that the server gives itself. */
const USER_AGENT = `ingest-server/${SERVER_VERSION}`;

/** Reasons of a failed attempt: no answer, or the status of an answer outside 2xx. */
export type Refusal = 'unreachable' | number;

/** Sends notifications to one receiver. */
export class Webhook {
  private readonly endpoint: Endpoint;

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  /** Sends a notification; returns why it failed, or `undefined` after an answer of 2xx, whose body is not read. */
  async post({ id, body }: Notice, nowS: number, signal: AbortSignal): Promise<Refusal | undefined> {
    try {
      const response = await fetch(this.endpoint.url, {
        method: 'POST',
        // A redirect is an answer outside 2xx.
        redirect: 'manual',
        headers: {
          'user-agent': USER_AGENT,
          'content-type': 'application/json',
          connection: 'close',
          'webhook-id': id,
          'webhook-timestamp': String(nowS),
          'webhook-signature': this.endpoint.sign(id, nowS, body),
        },
        body,
        signal,
      });
      void response.body?.cancel().catch(() => undefined);
      return response.ok ? undefined : response.status;
    } catch {
      return 'unreachable';
    }
  }
}
