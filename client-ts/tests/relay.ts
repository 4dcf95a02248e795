/** Stands between a client and the socket of a server, and loses answers: the server has stored what the client cannot know. */
import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

export interface Relay {
  /** Answers that were lost so far. */
  lost(): number;
  close(): void;
}

/** Listens on `path`, and ends the connection in place of the first `answers` answers. */
export async function losingRelay(path: string, server: string, answers: number): Promise<Relay> {
  const sockets = new Set<Socket>();
  let lost = 0;
  const relay = createServer((client) => {
    const upstream = connect(server);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      // The other end is gone: so is this one.
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
