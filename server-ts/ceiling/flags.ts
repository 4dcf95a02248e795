/** Reads the flags: the file of groups, and the server's own flags. */
import { parseArgs } from 'node:util';
import { type Config, parseConfig } from '../src/config/index.ts';

const USAGE = '--db FILE --groups FILE --durability process|power [--max-metadata-bytes N] is wanted';

export interface Flags {
  /** A file with one batch body a line; each body is one group, so one transaction. */
  readonly groups: string;
  /** The server's own configuration, parsed from the other flags. */
  readonly config: Config;
}

export class WrongFlag extends Error {}

const FLAG = { type: 'string', multiple: true } as const;

/** Parses the flags; throws the problems, one a line. */
export function parseFlags(args: readonly string[]): Flags {
  const { groups: [groups] = [], ...others } = givenFlags(args);
  if (groups === undefined || others.db === undefined || others.durability === undefined)
    throw new WrongFlag(USAGE);
  const given = Object.entries(others).flatMap(([name, values]) =>
    values.map((value) => `--${name}=${value}`),
  );
  const command = parseConfig(given, {}, () => 'file_missing');
  if (command.kind !== 'run') {
    throw new WrongFlag(command.kind === 'problems' ? command.problems.join('\n') : USAGE);
  }
  if (command.config.db === ':memory:') throw new WrongFlag('--db must be a file');
  return { groups, config: command.config };
}

function givenFlags(args: readonly string[]) {
  const options = {
    db: FLAG,
    groups: FLAG,
    durability: FLAG,
    'max-metadata-bytes': FLAG,
  };
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false }).values;
  } catch (error) {
    throw new WrongFlag(`${error instanceof Error ? error.message : String(error)}: ${USAGE}`);
  }
}
