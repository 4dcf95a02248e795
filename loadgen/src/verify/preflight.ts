/** Checks before a measurement that both servers give the same answers and have the same settings. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Durability } from '../plan/options.ts';
import { Host, type Launch, withHost } from '../run/host.ts';
import type { EffectiveSettings } from './effective-settings.ts';
import { checkDurability, checkSameSettings, type Health, readHealth } from './health.ts';
import { compareSmoke, type Exchange, runSmoke } from './smoke.ts';

export async function verify(
  targets: readonly TargetName[],
  how: Launch,
  durability: Durability,
  settings: EffectiveSettings,
): Promise<void> {
  const answers = new Map<string, Exchange[]>();
  const healths = new Map<string, Health>();
  for (const name of targets) {
    await withHost(Host.start(name, how, { flags: ['--durability', durability] }), async ({ url }) => {
      healths.set(name, await readHealth(url));
      answers.set(name, await runSmoke(name, url));
    });
  }
  // Checked before `settings.add`, which accepts different durabilities. Here, they show that one server ignores the
  // flag.
  checkSameSettings(healths);
  for (const [name, health] of healths) checkDurability(name, health, durability);
  for (const [name, health] of healths) settings.add(name, name as TargetName, health);
  compareSmoke(answers);
}
