/**
 * A server in the test's own process that counts every event as received, and records the requests.
 *
 * It ends with the tests of its file at the latest. It calls `before` with the number of each request, from 1. `before`
 * may change the answer, and its duration delays the answer. It is no ingest server: it stores and checks nothing.
 */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text as textOf } from 'node:stream/consumers';
import type { Placement } from '../src/plan/placement.ts';
import { lifetime } from './scratch.ts';

/** A placement without pinning, for generators in tests. */
export const ANYWHERE: Placement = { pinned: false, server_cpus: null, generator_cpus: null, reason: 'test' };

export type Listening = Awaited<ReturnType<typeof listen>>;

/** Returns also the path and the body of each request, in the order of their arrival. */
export async function listen(
  before: (number: number, response: ServerResponse) => Promise<void> | void = () => undefined,
) {
  const paths: string[] = [];
  const bodies: string[] = [];
  const server = createServer(async (request, response) => {
    const text = await textOf(request);
    paths.push(request.url!);
    const number = bodies.push(text);
    await before(number, response);
    if (response.destroyed || response.writableEnded) return;
    const { events } = JSON.parse(text) as { events?: unknown[] };
    const answer = { received: events?.length ?? 1, ids: [], duplicates: 0, ...(events && { rejected: [] }) };
    response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  lifetime.add(async () => close());
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, paths, bodies, close };
}
