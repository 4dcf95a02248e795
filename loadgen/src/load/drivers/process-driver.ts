/** A driver whose generator is a separate process: the parent's side of `generator-process.ts`. */
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { Placement } from '../../plan/placement.ts';
import { Helper } from '../../run/helper.ts';
import type { Driver, DriverFacts } from './driver.ts';
import type { Command, Reply } from './generator-process.ts';

/** Returns a driver. Its child process runs `program`, which calls `serveGenerator`. */
export function processDriver(
  facts: DriverFacts,
  program: string,
  placement: Placement,
  lifetime: Lifetime,
): Driver {
  return {
    facts,
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

/** Returns the version of an installed package from its package.json. */
export function versionOf(name: string): string {
  const { version } = createRequire(import.meta.url)(`${name}/package.json`) as { version: string };
  return version;
}
