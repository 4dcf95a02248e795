/**
 * Answers `--help` of a program with few or no flags of its own.
 *
 * Invariant: call it before anything else, so that a request for help builds and changes nothing.
 */

/** Prints `usage` and ends the process with 0 when `--help` is among the arguments. */
export function answerHelp(usage: string): void {
  if (!process.argv.slice(2).includes('--help')) return;
  process.stdout.write(usage);
  process.exit(0);
}
