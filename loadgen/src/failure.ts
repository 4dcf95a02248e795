/**
 * Why a comparison failed: a closed list of codes, distinguished by code and never by text.
 *
 * Each of them ends the run with exit 1: no speed makes up for it.
 */
import { Failure } from '@twin-ingest/testkit/process/failure.ts';
import { type StartError, tail } from '@twin-ingest/testkit/servers/server.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';

export type FailureCode =
  | 'corpus_unusable'
  | 'build_failed'
  | 'not_built'
  | 'server_failed'
  | 'health_differs'
  | 'parity_difference'
  | 'generator_failed'
  | 'reads_failed'
  | 'payload_differs'
  | 'audit_failed'
  | 'stream_failed'
  | 'stream_differs'
  | 'out_of_sync'
  | 'browser_failed'
  | 'ceiling_failed'
  | 'result_invalid';

export class BenchFailure extends Failure<FailureCode> {
  override readonly name = 'BenchFailure';
}

export function startFailure(name: TargetName, { message, stderr }: StartError): BenchFailure {
  return new BenchFailure('server_failed', `${name} did not start: ${message}`, tail(stderr));
}
