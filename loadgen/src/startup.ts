/**
 * How long a server takes to start: from the spawn to the first 200 of `/readyz`, on a fresh database.
 *
 * The program is started directly, never through a shell or a package manager. `/readyz` is asked from the
 * ready line on, over and over without a pause, since before that line nobody knows the port.
 */
import { get } from 'node:http';
import type { TargetName } from '../../parity-tests/src/targets.ts';
import { BenchFailure } from './failure.ts';
import { type Launch, launch, type ServerOptions } from './launch.ts';
import { roundOrder } from './plan.ts';
import type { Progress } from './progress.ts';

const DEADLINE_MS = 15_000;

export interface Starting {
  readonly targets: readonly TargetName[];
  readonly launch: Launch;
  readonly asked: ServerOptions;
  readonly count: number;
  readonly progress: Progress;
}

export interface Starts {
  readonly order: readonly TargetName[];
  /** Milliseconds, in order. */
  readonly times: ReadonlyMap<TargetName, readonly number[]>;
}

/** In the order A B B A, so that a warm file cache favours neither. */
export async function measureStarts(starting: Starting): Promise<Starts> {
  const { targets, count, progress } = starting;
  const order = roundOrder(targets, count);
  const times = new Map<TargetName, number[]>(targets.map((name) => [name, []]));
  const step = progress.begin('starts', order.length);
  try {
    for (const [i, name] of order.entries()) {
      times.get(name)!.push(await measureStart(name, starting.launch, starting.asked));
      step.at(i + 1);
    }
  } catch (error) {
    step.abandon();
    throw error;
  }
  step.done(`${count} a server`);
  return { order, times };
}

/** One start, in milliseconds. */
async function measureStart(name: TargetName, how: Launch, asked: ServerOptions): Promise<number> {
  const from = performance.now();
  const { server, stop, discard } = await launch(name, how, asked);
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
