/** Passes the bytes of TCP connections on to a port of this machine, until the test holds them back. */
import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import type { ScenarioContext } from './scenario.ts';

/** A relay in front of one port. */
export class TcpRelay {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isHeld = false;

  private constructor(server: Server) {
    this.#server = server;
  }

  static async start(context: ScenarioContext, target: number): Promise<TcpRelay> {
    const server = createServer();
    const relay = new TcpRelay(server);
    server.on('connection', (near) => relay.#join(near, connect(target, '127.0.0.1')));
    await once(server.listen(0, '127.0.0.1'), 'listening');
    context.atEnd(() => relay.close());
    return relay;
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port;
  }

  /** Passes no byte on until `release`; connections stay open. */
  hold(): void {
    this.#isHeld = true;
    for (const socket of this.#sockets) socket.pause();
  }

  release(): void {
    this.#isHeld = false;
    for (const socket of this.#sockets) socket.resume();
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
  }

  #join(near: Socket, far: Socket): void {
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (bytes) => to.write(bytes));
      from.on('error', () => {});
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      if (this.#isHeld) from.pause();
    }
  }
}
