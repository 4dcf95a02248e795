/** The closed-loop driver: autocannon in a separate process. */
import { fileURLToPath } from 'node:url';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { Placement } from '../../plan/placement.ts';
import type { Driver } from './driver.ts';
import { processDriver, versionOf } from './process-driver.ts';

const PROGRAM = fileURLToPath(new URL('./autocannon-main.ts', import.meta.url));

/** Only tests of the harness pass another `program`. */
export function autocannonDriver(placement: Placement, lifetime: Lifetime, program = PROGRAM): Driver {
  return processDriver(
    {
      name: 'autocannon',
      version: versionOf('autocannon'),
      model: 'closed',
      latency_from: 'sent',
      latency_resolution_us: 1,
    },
    program,
    placement,
    lifetime,
  );
}
