/**
 * Collects the settings that the servers of a run report in each round, and checks that they are the same.
 *
 * Durability may differ between measurements, but not within one.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../failure.ts';
import { checkSameSettings, type Health } from './health.ts';

export class EffectiveSettings {
  readonly #firstByDurability = new Map<string, readonly [string, Health]>();
  readonly #firstByTarget = new Map<TargetName, Health>();

  /**
   * Adds the settings of a server. Throws `health_differs` when earlier servers with the same durability have other
   * settings.
   */
  add(label: string, name: TargetName, health: Health): void {
    const first = this.#firstByDurability.get(health.durability);
    if (first === undefined) this.#firstByDurability.set(health.durability, [label, health]);
    else checkSameSettings(first, [label, health]);
    if (!this.#firstByTarget.has(name)) this.#firstByTarget.set(name, health);
  }

  /** Returns the settings that the server reported first. */
  of(name: TargetName): Health {
    const health = this.#firstByTarget.get(name);
    if (health === undefined) throw new BenchFailure('server_failed', `${name} has reported no settings`);
    return health;
  }
}
