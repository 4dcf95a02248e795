/** The conditions of the figures and all warnings: one fact for each line. */

import { ADVICE } from '../analyse/advice.ts';
import type { Warning } from '../analyse/warning.ts';
import type { Result } from '../result/result.ts';

export function runConditions(result: Result): string[] {
  const { environment } = result;
  const health = (result.servers.rs ?? result.servers.ts)?.health;
  return [
    `${environment.cpu_model ?? 'unknown CPU'}, ${environment.cpu_cores} cores, ${environment.platform} ${environment.kernel}, ` +
      [`Node ${environment.node_version}`, ...builtBy(environment)].join(', '),
    ...(health === undefined
      ? []
      : [
          `SQLite ${health.sqlite_version}, journal_mode ${health.journal_mode}, synchronous ${health.synchronous}, ` +
            `durability ${health.durability}, ${environment.database_file_system ?? 'unknown file system'}`,
        ]),
    // An installed package has a version and no commit.
    environment.commit === null && health !== undefined
      ? `twin-ingest ${health.version}`
      : `commit ${commitOf(result)}`,
  ];
}

function builtBy({ rustc_version, commit }: Result['environment']): string[] {
  if (rustc_version !== null) return [rustc_version];
  return commit === null ? [] : ['no rustc'];
}

export function commitOf({ environment }: Pick<Result, 'environment'>): string {
  return `${environment.commit ?? 'unknown'}${environment.dirty === true ? ' with uncommitted changes' : ''}`;
}

/** Explanation of the figures for readers. */
export const READING =
  'medians, in parentheses minimum and maximum; ratios are of neighbouring slices, with their 95 % interval; fresh processes and databases each round';

export interface NamedWarning extends Warning {
  /** Name of the measurement; `null` for a warning about the whole run. */
  readonly measurement: string | null;
}

export function warningsOf(result: Result): NamedWarning[] {
  return [
    ...result.warnings.map((warning) => ({ ...warning, ...ADVICE[warning.code], measurement: null })),
    ...result.measurements.flatMap(({ name, warnings }) =>
      warnings.map((warning) => ({ ...warning, ...ADVICE[warning.code], measurement: name })),
    ),
  ];
}

/** Returns the warnings of each kind. */
export function kindsOf(warnings: readonly NamedWarning[]): NamedWarning[][] {
  return [...Map.groupBy(warnings, ({ code }) => code).values()];
}

/**
 * Returns where a kind of warning occurred. It prints the common end of the messages once, such as "batch: 3.1 %;
 * single: 4.3 % of the cores' time".
 */
export function seenText(found: readonly NamedWarning[]): string {
  const words = found.map(({ message }) => message.split(' '));
  const end = commonEnd(words);
  const seen = found.map(({ measurement }, i) => {
    const own = words[i]!.slice(0, words[i]!.length - end).join(' ');
    return measurement === null ? own : `${measurement}: ${own}`;
  });
  return [seen.join('; '), ...words[0]!.slice(words[0]!.length - end)].join(' ').replace(/\.$/, '');
}

/** Common ends of at most this many words are repeated, which is easier to read. */
const LEAST_COMMON_WORDS = 5;

/** Returns the number of words at the end to print once. The first common word is excluded, since it may be a unit. */
function commonEnd(lists: readonly (readonly string[])[]): number {
  const shortest = Math.min(...lists.map(({ length }) => length));
  let shared = 0;
  while (shared < shortest && new Set(lists.map((list) => list.at(-1 - shared))).size === 1) shared++;
  return lists.length > 1 && shared > LEAST_COMMON_WORDS ? shared - 1 : 0;
}
