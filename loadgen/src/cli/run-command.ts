/**
 * Runs every benchmark command: usage, wrong flags, signals, exit code.
 *
 * Invariant: however a command ends, its child processes and folders are gone afterwards.
 */
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { Failure, Interrupted } from '@twin-ingest/testkit/process/failure.ts';
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { CommandName } from '../plan/flags.ts';
import type { Parsed } from '../plan/parse.ts';

/** Ctrl-C, a request to end, and a terminal that was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/**
 * Returns the exit code: 0 or what `run` returns, 1 failed, 2 a flag is wrong, 130 interrupted. Messages begin with
 * `program`.
 */
export async function runCommand<Options>(
  command: CommandName,
  parsed: Parsed<Options>,
  run: (options: Options, lifetime: Lifetime) => Promise<number | undefined>,
  program = `bench:${command}`,
): Promise<number> {
  letReadersLeave();
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  if (parsed.kind === 'invalid') {
    process.stderr.write(parsed.problems.map((problem) => `${program}: ${problem}\n`).join(''));
    return 2;
  }
  const lifetime = new Lifetime();
  const interrupt = () => lifetime.interrupt();
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    return (await run(parsed.options, lifetime)) ?? 0;
  } catch (error) {
    const isInterrupted = error instanceof Interrupted || lifetime.signal.aborted;
    process.stderr.write(`${program}: ${isInterrupted ? 'interrupted' : reasonOf(error)}\n`);
    return isInterrupted ? 130 : 1;
  } finally {
    await lifetime.end();
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Failure)) return error instanceof Error ? `${error.stack}` : String(error);
  return [`${error.code}: ${error.message}`, ...error.details.map((line) => `  ${line}`)].join('\n');
}
