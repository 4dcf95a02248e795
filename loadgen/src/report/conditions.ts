/** The conditions of the figures and all warnings: one fact for each line. */

import { ADVICE, type Warning } from '../analyse/warning.ts';
import type { Result } from '../result/result.ts';

export function runConditions(result: Result): string[] {
  const { environment } = result;
  const health = (result.servers.rs ?? result.servers.ts)?.health;
  return [
    [
      `${environment.cpu_model ?? 'unknown CPU'}, ${environment.cpu_cores} cores`,
      `${environment.platform} ${environment.kernel}, Node ${environment.node_version}`,
      ...(environment.rustc_version === null ? [] : [environment.rustc_version]),
    ].join(', '),
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

export function commitOf({ environment }: Pick<Result, 'environment'>): string {
  return `${environment.commit ?? 'unknown'}${environment.dirty === true ? ' with uncommitted changes' : ''}`;
}

export const READING =
  'medians, in parentheses minimum and maximum; ratios are of neighbouring slices, with their 95 % interval; fresh processes and databases each round';

export interface WarningKind extends Pick<Warning, 'code' | 'advice'> {
  /** What the warnings limit, such as "limits every ratio". */
  readonly limit: string;
  /** Each measurement with its message, such as "batch: 3.1 % of the cores' time was given to others". */
  readonly seen: string;
}

export function warningKinds(result: Result): WarningKind[] {
  const all = [
    ...result.warnings,
    ...result.measurements.flatMap(({ name, warnings }) =>
      warnings.map(({ code, message }) => ({ code, message: `${name}: ${message}` })),
    ),
  ];
  return [...Map.groupBy(all, ({ code }) => code)].map(([code, found]) => {
    const { limits, advice } = ADVICE[code];
    const seen = found.map(({ message }) => message.replace(/\.$/, '')).join('; ');
    return { code, advice, limit: limits === null ? 'limits no claim' : `limits ${limits}`, seen };
  });
}
