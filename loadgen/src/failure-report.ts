/** Says on stderr why a run ended, and gives back its exit code: 130 interrupted, 1 anything else. */
import { Failure, Interrupted } from '@twin-ingest/testkit/process/failure.ts';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';

/** `program`: what stands before each line, as `bench:compare`. */
export function reportFailure(program: string, error: unknown, lifetime: Lifetime): number {
  if (error instanceof Interrupted || lifetime.signal.aborted) {
    process.stderr.write(`${program}: interrupted\n`);
    return 130;
  }
  if (error instanceof Failure) {
    process.stderr.write(`${program}: ${error.code}: ${error.message}\n`);
    for (const line of error.details) process.stderr.write(`  ${line}\n`);
  } else process.stderr.write(`${program}: ${error instanceof Error ? error.stack : String(error)}\n`);
  return 1;
}
