/**
 * How long a server takes to start: from the spawn to the first 200 of `/readyz`, on a fresh database.
 *
 * The program is started directly, never through a shell or a package manager. `/readyz` is asked from the
 * ready line on, over and over without a pause, since before that line nobody knows the port.
 */
import { get } from 'node:http';
import type { TargetName } from '../../parity-tests/src/targets.ts';
import { BenchFailure } from './failure.ts';
import { type Launch, launch } from './launch.ts';

const DEADLINE_MS = 15_000;

/** One start, in milliseconds. */
export async function measureStart(name: TargetName, how: Launch): Promise<number> {
  const from = performance.now();
  const { server, stop, discard } = await launch(name, how);
  while (!(await isReady(server.url))) {
    if (performance.now() - from > DEADLINE_MS) {
      throw new BenchFailure('server_failed', `${name} was not ready within ${DEADLINE_MS} ms`);
    }
    how.lifetime.signal.throwIfAborted();
  }
  const taken = performance.now() - from;
  await stop();
  await discard();
  return taken;
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(`${url}/readyz`, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on('error', () => resolve(false));
  });
}
