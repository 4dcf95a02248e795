/**
 * Relays between an exporter and a server, records the requests, and drops answers on demand.
 *
 * Invariant: bodies pass unchanged. A dropped answer closes the connection after the server has answered.
 */
import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request with the server's answer, even if the relay dropped it. */
export interface Passed {
  readonly path: string;
  /** `none` for a request without `Content-Encoding`. */
  readonly encoding: string;
  readonly status: number;
  /** Time of the answer, by `performance.now()`. */
  readonly at_ms: number;
}

export interface HttpRelay {
  readonly url: string;
  readonly passed: readonly Passed[];
  close(): void;
}

/** Starts a relay. `losses` is the number of first answers to drop. */
export async function httpRelay(server: string, losses = 0): Promise<HttpRelay> {
  const passed: Passed[] = [];
  const relay = createServer((incoming, outgoing) => {
    const { method, headers, url: path = '/' } = incoming;
    const upstream = request(`${server}${path}`, { method, headers }, (answer) => {
      const status = answer.statusCode!;
      passed.push({
        path,
        encoding: headers['content-encoding'] ?? 'none',
        status,
        at_ms: performance.now(),
      });
      if (passed.length <= losses) outgoing.destroy();
      else answer.pipe(outgoing.writeHead(status, answer.headers));
    });
    upstream.on('error', () => outgoing.destroy());
    incoming.pipe(upstream);
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const { port } = relay.address() as AddressInfo;
  const close = (): void => {
    relay.close();
    relay.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${port}`, passed, close };
}
