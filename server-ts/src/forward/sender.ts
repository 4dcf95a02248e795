/**
 * Sends batches to a receiver over HTTP or HTTPS (rule FWD-01).
 *
 * One request at a time, on a connection that is kept. The end of the process does not wait for it. Invariant: the
 * token appears in no log line and no error.
 */
import type { Receiver } from '../config/index.ts';
import { TUNING } from '../contract.ts';
import { HttpClient } from '../http-client.ts';
import type { Log } from '../log.ts';
import { type Answer, failed, readAnswer, UNREACHABLE } from './answer.ts';

/** The media type of MessagePack that every server with this API reads. */
const MEDIA_TYPE = 'application/msgpack';

/** The client of one receiver. */
export class Sender {
  private readonly client: HttpClient;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly log: Log;

  /** Creates the client. Needs no connection yet. */
  constructor(receiver: Receiver, token: string | undefined, log: Log) {
    this.client = new HttpClient(`${receiver.url}/api/events/batch`, true, log);
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    this.headers = { 'content-type': MEDIA_TYPE, ...authorization };
    this.log = log;
  }

  /** Sends a batch; returns the judged answer. */
  async send(body: Uint8Array, events: number): Promise<Answer> {
    try {
      return await this.exchange(body, events);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      this.log.debug({ reason }, 'the receiver was not reached');
      return failed(UNREACHABLE);
    }
  }

  private async exchange(body: Uint8Array, events: number): Promise<Answer> {
    const signal = AbortSignal.timeout(TUNING.forward_timeout_ms);
    const response = await this.client.post(this.headers, body, signal);
    const parts: Buffer[] = [];
    let left = TUNING.forward_answer_bytes;
    for await (const part of response as AsyncIterable<Buffer>) {
      parts.push(part);
      left -= part.length;
      if (left < 0) throw new Error('the answer is too long');
    }
    const { statusCode = 0, headers } = response;
    return readAnswer(statusCode, headers['retry-after'], Buffer.concat(parts).toString(), events);
  }

  /** Closes the connection; a request in progress fails. */
  close(): void {
    this.client.close();
  }
}
