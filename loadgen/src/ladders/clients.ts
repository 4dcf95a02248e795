/** Opens clients of the live stream that read every byte and keep none. */
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { BenchFailure } from '../failure.ts';
import { nowMs } from '../observe/clock.ts';

/** Longer than any pause of a busy server. */
const QUIET_MS = 1_000;

/** Resolves when each stream has its first bytes. */
export async function openClients(port: number, count: number) {
  const sockets: Socket[] = [];
  let newest_ms = nowMs();
  // One after the other: the server's queue of new connections is bounded.
  while (sockets.length < count) {
    const socket = connect(port, '127.0.0.1');
    socket.write(`GET /api/stream HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`);
    const [first] = (await once(socket, 'data')) as [Buffer];
    const status = first.toString('latin1', 0, 15);
    if (status !== 'HTTP/1.1 200 OK') throw new BenchFailure('server_failed', `GET /api/stream: ${status}`);
    socket.on('error', () => undefined).on('data', () => (newest_ms = nowMs()));
    sockets.push(socket);
  }
  return {
    /** Waits until no client has received anything for a while. No stream may have ended. */
    async quiet(): Promise<void> {
      while (count > 0 && nowMs() - newest_ms < QUIET_MS) await pause(QUIET_MS / 10);
      const ended = sockets.filter(({ destroyed }) => destroyed).length;
      if (ended > 0) throw new BenchFailure('server_failed', `the server ended ${ended} streams`);
    },
    close: () => sockets.map((socket) => socket.destroy()),
  };
}
