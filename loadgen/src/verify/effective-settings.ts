/**
 * The settings that the servers of a run reported, round by round: they must be the same.
 *
 * Durability may differ from measurement to measurement, and never within one.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { BenchFailure } from '../failure.ts';
import { checkSameSettings, type Health } from './health.ts';

export class EffectiveSettings {
  readonly #firstByDurability = new Map<string, readonly [string, Health]>();
  readonly #firstByTarget = new Map<TargetName, Health>();

  /** Throws `health_differs` when a server has other settings than the ones before. */
  add(label: string, name: TargetName, health: Health): void {
    const first = this.#firstByDurability.get(health.durability);
    if (first === undefined) this.#firstByDurability.set(health.durability, [label, health]);
    else checkSameSettings(new Map([first, [label, health]]));
    if (!this.#firstByTarget.has(name)) this.#firstByTarget.set(name, health);
  }

  /** What the server reported first. */
  of(name: TargetName): Health {
    const health = this.#firstByTarget.get(name);
    if (health === undefined) throw new BenchFailure('server_failed', `${name} has reported no settings`);
    return health;
  }
}
