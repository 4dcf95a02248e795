/** Builds a server of a checkout before it starts, where that is needed. An installed package has built servers. */
import { Failure } from '@twin-ingest/testkit/process/failure.ts';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { buildStale } from '@twin-ingest/testkit/servers/build.ts';
import { TARGETS, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Returns 0 when the servers are built, else the exit code, after the reason on stderr. */
export async function built(names: readonly TargetName[], complain: (line: string) => void): Promise<number> {
  const lifetime = new Lifetime();
  const interrupt = () => lifetime.interrupt();
  for (const signal of SIGNALS) process.on(signal, interrupt);
  // Another build of the same sources serves as well.
  const programs = names.map((name) => ({ name, program: { ...TARGETS[name], hasOtherBuilds: false } }));
  try {
    await buildStale(programs, { lifetime, build: true, say: complain });
    return 0;
  } catch (error) {
    if (lifetime.signal.aborted) return 130;
    const lines = error instanceof Failure ? [error.message, ...error.details] : [String(error)];
    for (const line of lines) complain(line);
    return 1;
  } finally {
    await lifetime.end();
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}
