/**
 * The drivers whose generator is a Node process: autocannon in a closed loop, and undici in an open loop. This is the
 * parent's side of `generator-process.ts`.
 */
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import AUTOCANNON from 'autocannon/package.json' with { type: 'json' };
import UNDICI from 'undici/package.json' with { type: 'json' };
import type { Placement } from '../../plan/placement.ts';
import { Helper } from '../../run/helper.ts';
import type { Driver, DriverFacts } from './driver.ts';
import type { Command, Reply } from './generator-process.ts';

/** Returns the closed-loop driver. Only tests of the harness pass another `program`. */
export function autocannonDriver(
  placement: Placement,
  lifetime: Lifetime,
  program = pathOf('autocannon-main'),
): Driver {
  const facts = { name: 'autocannon', model: 'closed', latency_from: 'sent' } as const;
  return processDriver({ ...facts, version: AUTOCANNON.version }, program, placement, lifetime);
}

/** Returns the open-loop driver, whose requests are due at fixed times. */
export function openDriver(placement: Placement, lifetime: Lifetime): Driver {
  const facts = { name: 'open-loop', model: 'open', latency_from: 'due' } as const;
  return processDriver({ ...facts, version: UNDICI.version }, pathOf('open-main'), placement, lifetime);
}

function pathOf(program: string): string {
  return fileURLToPath(new URL(`./${program}.ts`, import.meta.url));
}

/** Returns a driver. Its child process runs `program`, which calls `serveGenerator`. */
function processDriver(
  facts: Omit<DriverFacts, 'latency_resolution_us'>,
  program: string,
  placement: Placement,
  lifetime: Lifetime,
): Driver {
  return {
    facts: { ...facts, latency_resolution_us: 1 },
    async prepare(job) {
      const helper = new Helper<Command, Reply>({
        name: 'the generator',
        program: pathToFileURL(program),
        placement,
        lifetime,
      });
      const { pool } = await helper.ask({ kind: 'prepare', job }, 'prepared');
      return {
        pool,
        send: async (order, onProgress) =>
          (await helper.ask({ kind: 'send', order }, 'sent', onProgress)).sent,
        close: () => helper.close(),
      };
    },
  };
}
