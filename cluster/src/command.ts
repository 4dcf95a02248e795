/**
 * Runs a command that starts a board: builds the servers, and ends all processes and folders whatever happens.
 *
 * Invariant: Ctrl-C is a normal end, and a second one does not wait.
 */
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { Failure, Interrupted } from '@twin-ingest/testkit/process/failure.ts';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { buildStale } from '@twin-ingest/testkit/servers/build.ts';
import { StartError, tail } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES, TARGETS, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Command {
  /** Precedes each message. */
  readonly name: string;
  readonly runtimes: readonly TargetName[];
  /** Whether stale servers are built first. */
  readonly build: boolean;
  /** The exit code of an interruption before the work has ended. */
  readonly interrupted: number;
  readonly work: (lifetime: Lifetime) => Promise<number>;
}

/** Returns the exit code. */
export async function runCommand({ name, runtimes, build, interrupted, work }: Command): Promise<number> {
  const lifetime = new Lifetime();
  const interrupt = () => {
    if (lifetime.signal.aborted) void lifetime.end().then(() => process.exit(130));
    else lifetime.interrupt();
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  letReadersLeave(() => lifetime.interrupt());
  try {
    const used = TARGET_NAMES.filter((one) => runtimes.includes(one));
    const programs = used.map((one) => ({ name: one, program: TARGETS[one] }));
    await buildStale(programs, { lifetime, build, say: (line) => void process.stderr.write(`${line}\n`) });
    return await work(lifetime);
  } catch (error) {
    if (error instanceof Interrupted || lifetime.signal.aborted) return interrupted;
    for (const line of linesOf(error)) process.stderr.write(`${name}: ${line}\n`);
    return 1;
  } finally {
    await lifetime.end();
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

/** Returns lines that a user can act on; a stack trace only for an unexpected error. */
function linesOf(error: unknown): readonly string[] {
  if (error instanceof Failure) return [error.message, ...error.details];
  if (error instanceof StartError) return [error.message.split('\n')[0]!, ...tail(error.stderr)];
  return [error instanceof Error ? String(error.stack) : String(error)];
}
