/**
 * `--help` of a program that has no flags of its own, or few.
 *
 * Invariant: it is called before the program does anything else, so that asking for help builds and changes nothing.
 */

/** Prints `usage` and ends the process with 0 when `--help` is among the arguments. */
export function answerHelp(usage: string): void {
  if (!process.argv.slice(2).includes('--help')) return;
  process.stdout.write(usage);
  process.exit(0);
}
