/**
 * Relays between a client and a server's socket, and drops answers. The server has then stored events, but the client
 * does not know it.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Relay {
  /** Number of dropped answers so far. */
  lost(): number;
  close(): void;
}

/** Listens on `path`. Closes the connection instead of passing on the first `answers` answers. */
export async function losingRelay(path: string, server: string, answers: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let lost = 0;
  const relay = createServer((client) => {
    const upstream = connect(server);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      // When one end closes, the other end is closed.
      socket.on('error', () => {}).on('close', () => (socket === client ? upstream : client).destroy());
    }
    client.pipe(upstream);
    upstream.on('data', (bytes) => {
      if (client.destroyed) return;
      if (lost === answers) client.write(bytes);
      else {
        lost++;
        client.destroy();
      }
    });
  }).listen(path);
  await once(relay, 'listening');
  return {
    lost: () => lost,
    close: () => {
      relay.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
