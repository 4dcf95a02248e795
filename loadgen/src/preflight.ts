/** Before anything is measured: both servers answer alike and promise the same. */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { checkDurability, checkSamePromises, type Health, readHealth } from './health.ts';
import { type Launch, launch, type ServerOptions } from './launch.ts';
import type { Promises } from './promises.ts';
import { compareSmoke, type Exchange, runSmoke } from './verify.ts';

export async function verify(
  targets: readonly TargetName[],
  how: Launch,
  asked: ServerOptions,
  promises: Promises,
): Promise<void> {
  const answers = new Map<string, Exchange[]>();
  const healths = new Map<string, Health>();
  for (const name of targets) {
    const launched = await launch(name, how, asked);
    const health = await readHealth(launched.server.url);
    healths.set(name, health);
    answers.set(name, await runSmoke(name, launched.server.url));
    await launched.stop();
    await launched.discard();
  }
  // Before the promises are kept: here, a durability that one of them ignores is a difference.
  checkSamePromises(healths);
  for (const [name, health] of healths) checkDurability(name, health, asked.durability);
  for (const [name, health] of healths) promises.add(name, name as TargetName, health);
  compareSmoke(answers);
}
