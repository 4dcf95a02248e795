/** The command line as a result tells it. */
import { basename } from 'node:path';

const FILE_FLAGS = /^(--(?:corpus|out|md|html))=(.+)$/s;

/** Files by their names alone: their folders are the machine's. */
export function shownFlags(argv: readonly string[]): string[] {
  return argv
    .filter((argument) => argument !== '--')
    .map((argument, i, all) => {
      const joined = FILE_FLAGS.exec(argument);
      if (joined !== null) return `${joined[1]}=${basename(joined[2]!)}`;
      return i > 0 && /^--(?:corpus|out|md|html)$/.test(all[i - 1]!) ? basename(argument) : argument;
    });
}
