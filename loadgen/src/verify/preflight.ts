/** Checks before a measurement that both servers give the same answers and have the same settings. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Durability } from '../plan/options.ts';
import { Host, type Launch, withHost } from '../run/host.ts';
import type { EffectiveSettings } from './effective-settings.ts';
import { checkDurability, readHealth } from './health.ts';
import { compareSmoke, type Exchange, runSmoke } from './smoke.ts';

export async function verify(
  targets: readonly TargetName[],
  how: Launch,
  durability: Durability,
  settings: EffectiveSettings,
): Promise<void> {
  const answers = new Map<string, Exchange[]>();
  for (const name of targets) {
    await withHost(Host.start(name, how, { flags: ['--durability', durability] }), async ({ url }) => {
      const health = await readHealth(url);
      checkDurability(name, health, durability);
      settings.add(name, name, health);
      answers.set(name, await runSmoke(name, url));
    });
  }
  compareSmoke(answers);
}
