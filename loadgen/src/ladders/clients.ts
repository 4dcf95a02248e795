/** Clients of the live stream that read every byte and keep none. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { BenchFailure } from '../failure.ts';
import { nowMs } from '../observe/clock.ts';

/** Longer than any pause of a busy server. */
const QUIET_MS = 1_000;

export class Clients {
  readonly #sockets: Socket[] = [];
  #newest_ms = nowMs();

  /** Opens the streams; resolves when each has its first bytes. */
  static async open(port: number, count: number): Promise<Clients> {
    const clients = new Clients();
    try {
      // One after the other: the server's queue of new connections is bounded.
      for (let number = 0; number < count; number++) clients.#sockets.push(await clients.#opened(port));
    } catch (error) {
      clients.close();
      throw error;
    }
    return clients;
  }

  /** Waits until no client has received anything for a while. No stream may have ended. */
  async quiet(): Promise<void> {
    if (this.#sockets.length === 0) return;
    while (nowMs() - this.#newest_ms < QUIET_MS) await pause(QUIET_MS / 10);
    const ended = this.#sockets.filter(({ destroyed }) => destroyed).length;
    if (ended > 0) throw new BenchFailure('server_failed', `the server ended ${ended} streams`);
  }

  close(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  async #opened(port: number): Promise<Socket> {
    const socket = connect({ port, host: '127.0.0.1' });
    socket.write(`GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    const [first] = (await once(socket, 'data')) as [Buffer];
    const status = first.toString('latin1', 0, 15);
    if (status !== 'HTTP/1.1 200 OK') throw new BenchFailure('server_failed', `GET /api/stream: ${status}`);
    socket.on('error', () => undefined);
    return socket.on('data', () => {
      this.#newest_ms = nowMs();
    });
  }
}
