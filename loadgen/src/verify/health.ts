/**
 * The effective settings of a server, from `GET /api/health` (contract, section 4).
 *
 * Servers with different settings cannot be compared, such as one with an fsync per commit and one without.
 */
import { BenchFailure } from '../failure.ts';

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
  /**
   * The pragmas of `pragmas.sql`, `synchronous` and `page_size`, as SQLite reports them on a connection of the server.
   */
  readonly pragmas: Readonly<Record<string, string | number>>;
}

/** Settings that must be equal, in addition to the pragmas. SQLite's compile options may differ. */
const SETTINGS = ['contract', 'durability', 'sqlite_version', 'journal_mode', 'synchronous'] as const;

const TEXTS = ['runtime', 'version', ...SETTINGS] as const;

export async function readHealth(url: string): Promise<Health> {
  const response = await fetch(`${url}/api/health`);
  const body: unknown = await response.json();
  if (response.status !== 200 || typeof body !== 'object' || body === null) {
    throw new BenchFailure('server_failed', `GET /api/health answered ${response.status}`, [
      JSON.stringify(body),
    ]);
  }
  const fields = body as Record<string, unknown>;
  const missing = (name: keyof Health): BenchFailure =>
    new BenchFailure('server_failed', `GET /api/health says no ${name}`, [JSON.stringify(body)]);
  const texts = TEXTS.map((name) => {
    const value = fields[name];
    if (typeof value !== 'string' && typeof value !== 'number') throw missing(name);
    return [name, String(value)];
  });
  const { compile_options, pragmas } = fields;
  if (!isTexts(compile_options)) throw missing('compile_options');
  if (!arePragmas(pragmas)) throw missing('pragmas');
  return { ...Object.fromEntries(texts), compile_options, pragmas };
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.length > 0 && value.every((item) => typeof item === 'string');
}

function arePragmas(value: unknown): value is Record<string, string | number> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const values = Object.values(value);
  return values.length > 0 && values.every((item) => typeof item === 'string' || typeof item === 'number');
}

/**
 * Fails when a server does not run with the requested durability. Two servers that both ignore the flag have equal
 * settings, so comparing them would not detect it.
 */
export function checkDurability(label: string, health: Health, asked: string): void {
  if (health.durability === asked) return;
  throw new BenchFailure('health_differs', `${label} was asked for durability ${asked}`, [
    `it runs with ${health.durability}`,
  ]);
}

type Named = readonly [name: string, health: Health];

/** Fails when two servers have different settings. */
export function checkSameSettings([name, health]: Named, [otherName, other]: Named): void {
  const [wanted, found] = [settingsOf(health), settingsOf(other)];
  const different = [...new Set([...wanted.keys(), ...found.keys()])]
    .filter((setting) => found.get(setting) !== wanted.get(setting))
    .map((setting) => {
      const [one, two] = [wanted.get(setting) ?? 'nothing', found.get(setting) ?? 'nothing'];
      return `${setting}: ${name} ${one}, ${otherName} ${two}`;
    });
  if (different.length === 0) return;
  throw new BenchFailure(
    'health_differs',
    'the servers do not run with the same settings, so nothing can be compared',
    different,
  );
}

function settingsOf(health: Health): Map<string, string | number> {
  return new Map([
    ...SETTINGS.map((setting) => [setting, health[setting]] as const),
    ...Object.entries(health.pragmas).map(([name, value]) => [`pragma ${name}`, value] as const),
  ]);
}
