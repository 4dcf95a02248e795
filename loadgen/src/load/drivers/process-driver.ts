/**
 * The drivers whose generator is a Node process: autocannon in a closed loop, and undici in an open loop. This is the
 * parent's side of `generator-process.ts`.
 */
import AUTOCANNON from 'autocannon/package.json' with { type: 'json' };
import UNDICI from 'undici/package.json' with { type: 'json' };
import { Helper } from '../../run/helper.ts';
import type { Driver, DriverFacts } from './driver.ts';
import type { Command, Reply } from './generator-process.ts';

/** Returns the driver whose process runs `program`. Only tests of the harness pass another one. */
export function closedLoop(program = new URL('./autocannon-main.ts', import.meta.url)): Driver {
  const facts = { name: 'autocannon', model: 'closed', latency_from: 'sent' } as const;
  return processDriver({ ...facts, version: AUTOCANNON.version, latency_resolution_us: 1 }, program);
}

/** Starts a generator whose requests are due at fixed times. */
export const prepareOpenLoop: Driver = processDriver(
  {
    name: 'open-loop',
    model: 'open',
    latency_from: 'due',
    version: UNDICI.version,
    latency_resolution_us: 1,
  },
  new URL('./open-main.ts', import.meta.url),
);

function processDriver(facts: DriverFacts, program: URL): Driver {
  return async (job, context) => {
    const helper = new Helper<Command, Reply>({ ...context, name: 'the generator', program });
    const { pool } = await helper.ask({ kind: 'prepare', job }, 'prepared');
    return {
      facts,
      pool,
      send: async (order) => (await helper.ask({ kind: 'send', order }, 'sent')).sent,
      close: () => helper.close(),
    };
  };
}
