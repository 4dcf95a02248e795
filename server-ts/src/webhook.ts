/**
 * Sends one notification to the receiver: a signed POST, without redirects (rules NOT-03 and NOT-04).
 *
 * Each attempt has a connection of its own, because notifications are rare. The caller bounds its time.
 */
import type { Endpoint } from './endpoint.ts';
import { HttpClient } from './http-client.ts';
import type { Log } from './log.ts';
import type { Notice } from './notices.ts';

/** Reasons of a failed attempt: no answer, or the status of an answer outside 2xx. */
export type Refusal = 'unreachable' | number;

/** Sends notifications to one receiver. */
export class Webhook {
  private readonly endpoint: Endpoint;
  private readonly client: HttpClient;

  /** Prepares the client of the receiver. */
  constructor(endpoint: Endpoint, log: Log) {
    this.endpoint = endpoint;
    this.client = new HttpClient(endpoint.url, false, log);
  }

  /** Sends a notification; returns why it failed, or `undefined` after an answer of 2xx, whose body is not read. */
  async post({ id, body }: Notice, nowS: number, signal: AbortSignal): Promise<Refusal | undefined> {
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(nowS),
      'webhook-signature': this.endpoint.sign(id, nowS, body),
    };
    try {
      const response = await this.client.post(headers, body, signal);
      response.destroy();
      const { statusCode: status = 0 } = response;
      return status >= 200 && status < 300 ? undefined : status;
    } catch {
      return 'unreachable';
    }
  }
}
