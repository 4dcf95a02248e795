/**
 * The server is killed, and then it or the other server starts: the time until a client is in sync.
 *
 * Invariants: the client gets no hint of the restart. No applied state is older than the previous one.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { nowMs } from '../../observe/clock.ts';
import { Host, withHost } from '../../run/host.ts';
import { FigureValues } from '../figure.ts';
import { SWAPPED } from '../goals.ts';
import { followOptions, type Scenario, type ScenarioContext, twinOf } from '../scenario.ts';
import { shippedClient } from '../strategies/client.ts';
import { checkFollowing } from '../strategies/strategy.ts';

const POSTED_BEFORE = 20;

export const restartScenario: Scenario = {
  name: 'restart',
  async measure(server, context) {
    await restarts(server, server, context);
    const twin = await twinOf(server, context);
    if (twin !== null) await restarts(server, twin, context);
  },
};

/** Kills `former`, and starts `server` on the same file and port. */
async function restarts(server: TargetName, former: TargetName, context: ScenarioContext): Promise<void> {
  const { launch, sizes, poster } = context;
  await withHost(Host.start(former, launch), async (host) => {
    const following = await shippedClient()(followOptions(host, context));
    const { journal } = following;
    const values = new FigureValues();
    for (let i = 0; i < sizes.restarts; i++) {
      if (host.name !== former) {
        await host.kill();
        await host.startAgain(former);
      }
      journal.clear();
      const before = await poster.burst(host, POSTED_BEFORE, 1);
      await journal.reached(BigInt(before.revision), sizes.patience_ms, 'the client');
      const killed_ms = nowMs();
      await host.kill();
      await host.startAgain(server);
      const ready_ms = nowMs();
      const posted = await poster.burst(host, 1, 1);
      const last_ms = await journal.reached(BigInt(posted.revision), sizes.patience_ms, 'the client');
      values.add({ outage_ms: last_ms - killed_ms, recovery_ms: Math.max(0, last_ms - ready_ms) });
    }
    values.add({ violations: journal.violations, checked: following.checked() });
    checkFollowing(following);
    await following.stop();
    const how = former === server ? 'killed and started again' : SWAPPED;
    context.add({ parameters: { how }, figures: values.all(), latency: null });
  });
}
