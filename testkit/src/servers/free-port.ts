/**
 * Finds free ports of loopback, for programs that cannot choose one themselves.
 *
 * Invariant: the ports are below those that the kernel gives to connections and to servers on port 0 (32768 on Linux,
 * 49152 elsewhere). So no such program takes one before the caller does.
 */
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';

const LOWEST = 20_000;
const ABOVE_HIGHEST = 32_768;
const MOST_TRIES = 1_000;

/** Returns ports that differ, and that nothing listens on at this moment. */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  for (let tries = 0; ports.size < count; tries++) {
    if (tries === MOST_TRIES) throw new Error(`no ${count} free ports from ${LOWEST} on`);
    const port = randomInt(LOWEST, ABOVE_HIGHEST);
    if (await isFree(port)) ports.add(port);
  }
  return [...ports];
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  await once(server.close(), 'close');
  return true;
}
