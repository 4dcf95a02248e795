/**
 * Servers that are killed, and started again as themselves or as the other server, on the same file and port.
 *
 * Invariants: the client gets no hint of the restart. After each start it reaches the last state, or the run fails. No
 * applied state is older than the previous one.
 */
import { nowMs } from '../../observe/clock.ts';
import { Host, withHost } from '../../run/host.ts';
import type { Sample } from '../result.ts';
import { repeated, type Scenario, withFollower } from '../scenario.ts';

const POSTED_BEFORE = 20;

/** Kills the same server, then the other one. Measures from the kill and from the start until the client is in sync. */
export const restart: Scenario = async (server, context) => {
  const { launch, targets, sizes, strategies, poster, add } = context;
  for (const former of [server, ...targets.filter((name) => name !== server)]) {
    await withHost(Host.start(former, launch), (host) =>
      withFollower(strategies.sync, host, context, async (journal) => {
        /** Posts events one by one, and returns when the client applied the last one. */
        const postAndReach = async (events: number): Promise<number> => {
          const { revision } = await poster.post(host, { batch: 1, requests: events, connections: 1 });
          return journal.reached(revision);
        };
        const samples = await repeated(sizes.restarts, async (): Promise<Sample> => {
          if (host.name !== former) await host.restartAs(former);
          await postAndReach(POSTED_BEFORE);
          const killed_ms = nowMs();
          await host.restartAs(server);
          const ready_ms = nowMs();
          const last_ms = await postAndReach(1);
          return { outage_ms: last_ms - killed_ms, recovery_ms: Math.max(0, last_ms - ready_ms) };
        });
        const how = former === server ? 'killed and started again' : 'swapped for the other';
        add({ how }, samples);
      }),
    );
  }
};
