/** A server without any check, on which every attack succeeds. So an attack that fails elsewhere met a check. */
import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

const WEBSOCKET_KEY = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';
/** Attacks without their name in the query. */
const UNNAMED: Readonly<Record<string, string>> = {
  'PUT /api/retention': 'retention',
  'DELETE /api/events': 'deletion of events',
  'DELETE /api/sessions/marked': 'deletion of a session',
};

/** Starts a server whose answers contain `row`. `taken` has the attacks whose requests it would have processed. */
export async function startNaive(t: TestContext, row: string, image: Buffer) {
  const taken = new Set<string>();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://x');
    const name = searchParams.get('attack') ?? UNNAMED[`${request.method} ${pathname}`];
    if (name !== null && name !== undefined && request.method !== 'OPTIONS') taken.add(name);
    allow(request, response);
    request.resume().once('end', () => {
      if (pathname === '/api/stream') {
        response.setHeader('content-type', 'text/event-stream');
        response.write(`data: {"payload":${row}}\n\n`);
      } else if (pathname.startsWith('/api/attachments/'))
        response.setHeader('content-type', 'image/png').end(image);
      else if (pathname === '/app.js') response.setHeader('content-type', 'text/javascript').end('');
      else if (pathname === '/app.css') response.setHeader('content-type', 'text/css').end('');
      else response.end(row);
    });
  });
  server.on('upgrade', (request, socket) => {
    const accept = createHash('sha1')
      .update(`${request.headers['sec-websocket-key']}${WEBSOCKET_KEY}`)
      .digest('base64');
    socket.end(
      `HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`,
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port, taken };
}

/** Allows everything that a browser asks for. */
function allow(request: IncomingMessage, response: ServerResponse): void {
  response.setHeader('access-control-allow-origin', request.headers.origin ?? '*');
  response.setHeader('access-control-allow-credentials', 'true');
  response.setHeader(
    'access-control-allow-headers',
    request.headers['access-control-request-headers'] ?? '*',
  );
  response.setHeader('access-control-allow-methods', 'GET, POST, PUT, DELETE');
}
