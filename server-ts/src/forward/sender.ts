/**
 * Sends batches to a receiver over HTTP or HTTPS (rule FWD-01).
 *
 * One request at a time, on a connection that is kept. The end of the process does not wait for it. Invariant: the
 * token appears in no log line and no error.
 */
import * as http from 'node:http';
import * as https from 'node:https';
import type { Receiver } from '../config/index.ts';
import { LIMITS, SERVER_VERSION } from '../contract.ts';
import type { Log } from '../log.ts';
import { type Answer, failed, readAnswer, UNREACHABLE } from './answer.ts';

/** The media type of MessagePack that every server with this API reads. */
const MEDIA_TYPE = 'application/msgpack';

/** The client of one receiver. It follows no redirection and uses no proxy of the environment. */
export class Sender {
  private readonly url: string;
  private readonly agent: http.Agent;
  private readonly request: typeof http.request;
  private readonly headers: Readonly<Record<string, string>>;
  private readonly log: Log;

  constructor(receiver: Receiver, token: string | undefined, log: Log) {
    const { Agent, request } = receiver.url.startsWith('https:') ? https : http;
    this.url = `${receiver.url}/api/events/batch`;
    this.agent = new Agent({ keepAlive: true, maxSockets: 1 });
    this.request = request;
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
    const userAgent = { 'user-agent': `ingest-server/${SERVER_VERSION}` };
    this.headers = { 'content-type': MEDIA_TYPE, ...userAgent, ...authorization };
    this.log = log;
  }

  /** Sends a batch; returns the judged answer. */
  send(body: Uint8Array, events: number): Promise<Answer> {
    return new Promise((resolve) => {
      const { agent } = this;
      const headers = { ...this.headers, 'content-length': String(body.length) };
      const signal = AbortSignal.timeout(LIMITS.forward_timeout_ms);
      const fail = (error: Error): void => {
        this.log.debug({ reason: error.message }, 'the receiver was not reached');
        resolve(failed(UNREACHABLE));
      };
      const request = this.request(this.url, { method: 'POST', agent, headers, signal }, (response) => {
        const parts: Buffer[] = [];
        let left = LIMITS.forward_answer_bytes;
        response.on('data', (part: Buffer) => {
          parts.push(part);
          left -= part.length;
          if (left < 0) request.destroy(new Error('the answer is too long'));
        });
        response.on('error', fail);
        response.on('end', () => {
          const { statusCode = 0, headers: received } = response;
          const text = Buffer.concat(parts).toString();
          resolve(readAnswer(statusCode, received['retry-after'], text, events));
        });
      });
      request.on('error', fail);
      request.end(body);
    });
  }

  /** Closes the connection; a request in progress fails. */
  close(): void {
    this.agent.destroy();
  }
}
