/**
 * The process that measures starts: it starts a server, polls until it is ready, and ends it.
 *
 * The process is small, since a large process takes tens of milliseconds to start another. Invariants: it loads only
 * what it needs. A server does not outlive it.
 */
import { get } from 'node:http';
import {
  type RunningServer,
  StartError,
  type StartOptions,
  startServer,
} from '@twin-ingest/testkit/servers/server.ts';
import type { Target, TargetName } from '@twin-ingest/testkit/servers/targets.ts';

export interface Command {
  readonly name: TargetName;
  readonly options: StartOptions;
  readonly program: Pick<Target, 'command' | 'args'>;
}

export type Reply =
  | { readonly kind: 'started'; readonly taken_ms: number }
  | { readonly kind: 'failed'; readonly message: string; readonly stderr: string };

const DEADLINE_MS = 15_000;

let running: Promise<RunningServer> | undefined;

process.on('SIGINT', () => undefined);
process.once('disconnect', async () => {
  await running?.then((server) => server.kill()).catch(() => undefined);
  process.exit(1);
});
process.on('message', async (message) => {
  const { name, options, program } = message as Command;
  try {
    running = startServer(name, options, program);
    const server = await running;
    await untilReady(server);
    const taken_ms = performance.now() - server.spawned_at_ms;
    await server.stop();
    reply({ kind: 'started', taken_ms });
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error);
    reply({ kind: 'failed', message: text, stderr: error instanceof StartError ? error.stderr : '' });
  }
});

function reply(message: Reply): void {
  // A parent that has ended receives no reply.
  if (process.connected) process.send!(message, () => undefined);
}

async function untilReady(server: RunningServer): Promise<void> {
  while (!(await isReady(server.url))) {
    if (performance.now() - server.spawned_at_ms < DEADLINE_MS) continue;
    throw new Error(`not ready within ${DEADLINE_MS} ms`);
  }
}

function isReady(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    get(`${url}/readyz`, { agent: false }, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    }).on('error', () => resolve(false));
  });
}
