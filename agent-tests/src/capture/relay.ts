/** Forwards all requests of an agent to a server, and records the bodies that the agent posts. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

export interface Sent {
  readonly path: string;
  readonly contentType: string;
  readonly body: Buffer;
}

export interface Relay {
  readonly url: string;
  readonly sent: readonly Sent[];
  close(): Promise<void>;
}

export async function startRelay(origin: string): Promise<Relay> {
  const sent: Sent[] = [];
  const server = createServer(async (request, response) => {
    const body = await buffer(request);
    const contentType = request.headers['content-type'] ?? '';
    const path = request.url ?? '/';
    if (request.method === 'POST') sent.push({ path, contentType, body });
    try {
      const hasBody = request.method === 'POST';
      const headers = hasBody ? { 'content-type': contentType } : {};
      const answer = await fetch(`${origin}${path}`, {
        method: request.method!,
        headers,
        ...(hasBody ? { body } : {}),
      });
      response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? '' });
      response.end(Buffer.from(await answer.arrayBuffer()));
    } catch {
      // The agent sees a missing server, and may resend the request.
      response.destroy();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
