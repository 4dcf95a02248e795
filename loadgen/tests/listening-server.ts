/**
 * A server in the test's own process that counts every event as received, and records the requests.
 *
 * It calls `before` with the number of each request, from 1. `before` may change the answer, and its duration delays
 * the answer. It is no ingest server: it stores and checks nothing.
 */
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Arrival {
  readonly path: string;
  readonly ids: readonly string[];
}

export interface Listening {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  close(): void;
}

export async function listen(
  before: (number: number, response: ServerResponse) => Promise<void> | void = () => undefined,
): Promise<Listening> {
  const arrivals: Arrival[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const body = JSON.parse(Buffer.concat(chunks).toString()) as { events?: { event_id: string }[] };
    const events = body.events ?? [body as { event_id: string }];
    arrivals.push({ path: request.url!, ids: events.map((event) => event.event_id) });
    await before(arrivals.length, response);
    if (response.destroyed || response.writableEnded) return;
    const answer = { received: events.length, ids: events.map((_, i) => i), duplicates: 0 };
    response.writeHead(201, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body.events === undefined ? answer : { ...answer, rejected: [] }));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    arrivals,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
