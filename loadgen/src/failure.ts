/**
 * Why a comparison failed: a closed list of codes, distinguished by code and never by text.
 *
 * Each of them ends the run with exit 1: no speed makes up for it.
 */
import { Failure } from '@twin-ingest/testkit/process/failure.ts';
import { type RunningServer, StartError, startServer, tail } from '@twin-ingest/testkit/servers/server.ts';

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
  | 'not_committed'
  | 'result_invalid';

export class BenchFailure extends Failure<FailureCode> {
  override readonly name = 'BenchFailure';
}

/** Starts a server. Fails with the end of its log. */
export async function startOrFail(...server: Parameters<typeof startServer>): Promise<RunningServer> {
  return startServer(...server).catch((error: unknown) => {
    if (!(error instanceof StartError)) throw error;
    const message = `${server[0]} did not start: ${error.message}`;
    throw new BenchFailure('server_failed', message, tail(error.stderr));
  });
}
