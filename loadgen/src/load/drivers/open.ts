/** The open-loop driver: undici in a separate process, with requests due at fixed times. */
import { fileURLToPath } from 'node:url';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { Placement } from '../../plan/placement.ts';
import type { Driver } from './driver.ts';
import { processDriver, versionOf } from './process-driver.ts';

const PROGRAM = fileURLToPath(new URL('./open-main.ts', import.meta.url));

/** Only tests of the harness pass another `program`. */
export function openDriver(placement: Placement, lifetime: Lifetime, program = PROGRAM): Driver {
  return processDriver(
    {
      name: 'open-loop',
      version: versionOf('undici'),
      model: 'open',
      latency_from: 'due',
      latency_resolution_us: 1,
    },
    program,
    placement,
    lifetime,
  );
}
