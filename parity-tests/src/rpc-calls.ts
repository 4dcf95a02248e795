/** Sends typed calls with Node's own client, which takes answers of many megabytes without repeated copies. */
import { type OutgoingHttpHeaders, request } from 'node:http';
import type { Header } from '@twin-ingest/testkit/http/http-parser.ts';

/** An answer, and its duration. */
export interface TimedReply {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Buffer;
  readonly ms: number;
}

/** Returns the body of a call with the id 1. */
export function callBody(method: string, params: string): Buffer {
  return Buffer.from(`{"jsonrpc":"2.0","method":"${method}","params":${params},"id":1}`);
}

/** Sends a body to `/api/rpc`, over a connection of its own. */
export function postCall(port: number, body: Buffer, more: OutgoingHttpHeaders = {}): Promise<TimedReply> {
  const length = 'transfer-encoding' in more ? {} : { 'content-length': body.length };
  const headers = { 'content-type': 'application/json', ...length, ...more };
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path: '/api/rpc', method: 'POST', headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        resolve({
          status: answer.statusCode ?? 0,
          headers: Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const),
          body: Buffer.concat(chunks),
          ms: performance.now() - begun,
        });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}
