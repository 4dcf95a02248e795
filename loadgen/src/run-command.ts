/**
 * The life of a command: usage, wrong flags, signals, exit code.
 *
 * Invariant: whatever ends a command, its child processes and folders are gone afterwards.
 */
import { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { reportFailure } from './failure-report.ts';

export type Parsed<Options> =
  | { readonly kind: 'run'; readonly options: Options }
  | { readonly kind: 'help'; readonly text: string }
  | { readonly kind: 'invalid'; readonly problems: readonly string[] };

/** The exit code: 0 or what `run` returns, 1 failed, 2 a flag is wrong, 130 interrupted. */
export async function runCommand<Options>(
  program: string,
  parsed: Parsed<Options>,
  run: (options: Options, lifetime: Lifetime) => Promise<number | undefined>,
): Promise<number> {
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
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    return (await run(parsed.options, lifetime)) ?? 0;
  } catch (error) {
    return reportFailure(program, error, lifetime);
  } finally {
    await lifetime.end();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}
