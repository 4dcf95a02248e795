/** The failure of a server that did not start. */
import { type StartError, tail } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../failure.ts';

export function startFailure(name: TargetName, { message, stderr }: StartError): BenchFailure {
  return new BenchFailure('server_failed', `${name} did not start: ${message}`, tail(stderr));
}
