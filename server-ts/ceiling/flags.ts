/** Reads the flags: the source of the events, and the server's own flags. */
import { parseArgs } from 'node:util';
import { type Config, parseConfig } from '../src/config/index.ts';

const USAGE =
  '--db FILE --groups FILE --durability process|power [--max-metadata-bytes N] is wanted, ' +
  'or --rows FILE --group N instead of --groups FILE';

/** The source of the stored rows. */
export type Source =
  /** A file with one batch body a line; each body is one group, so one transaction. */
  | { readonly kind: 'groups'; readonly path: string }
  /** A closed database of this schema. Only its rows are stored, `group` of them in a transaction. */
  | { readonly kind: 'rows'; readonly path: string; readonly group: number };

export interface Flags {
  readonly source: Source;
  /** The server's own configuration, parsed from the other flags. */
  readonly config: Config;
}

export class WrongFlag extends Error {}

const FLAG = { type: 'string', multiple: true } as const;

/** Parses the flags; throws the problems, one a line. */
export function parseFlags(args: readonly string[]): Flags {
  const { groups, rows, group, ...others } = givenFlags(args);
  if (others.db === undefined || others.durability === undefined) throw new WrongFlag(USAGE);
  const source = sourceOf(groups, rows, group);
  const given = Object.entries(others).flatMap(([name, values]) =>
    values.map((value) => `--${name}=${value}`),
  );
  const command = parseConfig(given, {}, () => undefined);
  if (command.kind !== 'run') {
    throw new WrongFlag(command.kind === 'problems' ? command.problems.join('\n') : USAGE);
  }
  if (command.config.db === ':memory:') throw new WrongFlag('--db must be a file');
  return { source, config: command.config };
}

function givenFlags(args: readonly string[]) {
  const options = {
    db: FLAG,
    groups: FLAG,
    rows: FLAG,
    group: FLAG,
    durability: FLAG,
    'max-metadata-bytes': FLAG,
  };
  try {
    return parseArgs({ args: [...args], options, allowPositionals: false }).values;
  } catch (error) {
    throw new WrongFlag(`${error instanceof Error ? error.message : String(error)}: ${USAGE}`);
  }
}

function sourceOf(groups: string[] = [], rows: string[] = [], group: string[] = []): Source {
  if (groups.length === 1 && rows.length === 0 && group.length === 0) {
    return { kind: 'groups', path: groups[0]! };
  }
  if (groups.length === 0 && rows.length === 1 && group.length === 1 && /^[1-9]\d{0,8}$/.test(group[0]!)) {
    return { kind: 'rows', path: rows[0]!, group: Number(group[0]) };
  }
  throw new WrongFlag(USAGE);
}
