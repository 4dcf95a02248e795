/**
 * The effective settings of a server, from `GET /api/health` (contract, section 4).
 *
 * Servers with different settings cannot be compared, such as one with an fsync per commit and one without.
 */
import { BenchFailure } from '../failure.ts';

/** Settings that must be equal, in addition to the pragmas. SQLite's compile options may differ. */
const SETTINGS = ['contract', 'durability', 'sqlite_version', 'journal_mode', 'synchronous'] as const;

export interface Health extends Readonly<Record<'runtime' | 'version' | (typeof SETTINGS)[number], string>> {
  /** `PRAGMA compile_options`, sorted. */
  readonly compile_options: readonly string[];
  /**
   * The pragmas of `pragmas.sql`, `synchronous` and `page_size`, as SQLite reports them on a connection of the server.
   */
  readonly pragmas: Readonly<Record<string, string | number>>;
}

const MEMBERS = ['runtime', 'version', ...SETTINGS, 'compile_options', 'pragmas'];

export async function readHealth(url: string): Promise<Health> {
  const response = await fetch(`${url}/api/health`);
  const body = (await response.json()) as Readonly<Record<string, unknown>>;
  const fails = (what: string) =>
    new BenchFailure('server_failed', `GET /api/health ${what}`, [JSON.stringify(body)]);
  if (response.status !== 200) throw fails(`answered ${response.status}`);
  // A member that is absent, `null` or empty has no keys; a text has one for each character.
  const missing = MEMBERS.filter((name) => Object.keys(Object(body[name])).length === 0);
  if (missing.length > 0) throw fails(`says no ${missing.join(', ')}`);
  return Object.fromEntries(MEMBERS.map((name) => [name, body[name]])) as unknown as Health;
}

/**
 * The settings that the servers of a run report in each round, which must be the same. Durability may differ between
 * measurements, but not within one.
 */
export class EffectiveSettings {
  readonly #firstByDurability = new Map<string, { readonly label: string; readonly health: Health }>();

  /**
   * Adds the settings of a server. Throws `health_differs` when earlier servers with the same durability have other
   * settings. It also throws when the durability is not `asked`: two servers that both ignore the flag are equal.
   */
  add(label: string, health: Health, asked = health.durability): void {
    if (health.durability !== asked)
      throw new BenchFailure('health_differs', `${label} was asked for durability ${asked}`, [
        `it runs with ${health.durability}`,
      ]);
    const first = this.#firstByDurability.get(health.durability) ?? { label, health };
    this.#firstByDurability.set(health.durability, first);
    const [wanted, found] = [settingsOf(first.health), settingsOf(health)];
    const different = Object.keys({ ...wanted, ...found })
      .filter((key) => found[key] !== wanted[key])
      .map(
        (key) => `${key}: ${first.label} ${wanted[key] ?? 'nothing'}, ${label} ${found[key] ?? 'nothing'}`,
      );
    if (different.length === 0) return;
    const message = 'the servers do not run with the same settings, so nothing can be compared';
    throw new BenchFailure('health_differs', message, different);
  }
}

function settingsOf(health: Health): Readonly<Record<string, string | number>> {
  const pragmas = Object.entries(health.pragmas).map(([name, value]) => [`pragma ${name}`, value]);
  return Object.fromEntries([...SETTINGS.map((name) => [name, health[name]]), ...pragmas]);
}
