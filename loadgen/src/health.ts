/**
 * What a server says it runs with, from `GET /api/health` (contract, section 4).
 *
 * Two servers that promise different things cannot be compared: the ancestor of this project compared one
 * with an fsync per commit to one without.
 */
import { BenchFailure } from './failure.ts';

export interface Health {
  readonly runtime: string;
  readonly version: string;
  readonly contract: string;
  readonly durability: string;
  readonly sqlite_version: string;
  readonly journal_mode: string;
  readonly synchronous: string;
  /** `PRAGMA compile_options`, sorted. */
  readonly compile_options: readonly string[];
  /** The pragmas of `pragmas.sql` and `page_size`, as SQLite says them on a connection of the server. */
  readonly pragmas: Readonly<Record<string, string | number>>;
}

/** What must be the same on both. */
const PROMISES = ['contract', 'durability', 'sqlite_version', 'journal_mode', 'synchronous'] as const;

export async function readHealth(url: string): Promise<Health> {
  const response = await fetch(`${url}/api/health`);
  const body: unknown = await response.json();
  if (response.status !== 200 || typeof body !== 'object' || body === null) {
    throw new BenchFailure('server_failed', `GET /api/health answered ${response.status}`, [
      JSON.stringify(body),
    ]);
  }
  const fields = body as Record<string, unknown>;
  const text = (name: keyof Health): string => {
    const value = fields[name];
    if (typeof value === 'string' || typeof value === 'number') return String(value);
    throw new BenchFailure('server_failed', `GET /api/health says no ${name}`, [JSON.stringify(body)]);
  };
  return {
    runtime: text('runtime'),
    version: text('version'),
    contract: text('contract'),
    durability: text('durability'),
    sqlite_version: text('sqlite_version'),
    journal_mode: text('journal_mode'),
    synchronous: text('synchronous'),
  };
}

/** Fails when two of the servers promise different things. */
export function checkSamePromises(all: ReadonlyMap<string, Health>): void {
  const [first, ...others] = [...all];
  if (first === undefined) return;
  const different = others.flatMap(([name, health]) =>
    PROMISES.filter((promise) => health[promise] !== first[1][promise]).map(
      (promise) => `${promise}: ${first[0]} ${first[1][promise]}, ${name} ${health[promise]}`,
    ),
  );
  if (different.length === 0) return;
  throw new BenchFailure(
    'health_differs',
    'the servers do not promise the same, so nothing can be compared',
    different,
  );
}
