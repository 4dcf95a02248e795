/**
 * Relays between a client and a server's socket, and drops answers: the server has stored events without the client's
 * knowledge.
 */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Relay {
  /** Number of dropped answers so far. */
  lost(): number;
  close(): void;
}

/** Listens on `path`, and closes the connection in place of the first `answers` answers. */
export async function losingRelay(path: string, server: string, answers: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let lost = 0;
  const relay = createServer((client) => {
    const upstream = connect(server);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      // One end closed, so this closes the other.
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
