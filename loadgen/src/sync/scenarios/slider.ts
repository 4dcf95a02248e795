/** Sixty changes a second: the fetches of the followers, and how soon they show the last state. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Host, withHost } from '../../run/host.ts';
import { FigureValues } from '../figure.ts';
import { followOptions, type Scenario, type ScenarioContext } from '../scenario.ts';
import { shippedClient } from '../strategies/client.ts';
import { checkFollowing, countFrom, type Follow, type Following } from '../strategies/strategy.ts';

const PER_S = 60;
const CONNECTIONS = 4;

/** Longer than every throttle of the strategies. */
const QUIET_MS = 300;

export const sliderScenario: Scenario = {
  name: 'slider',
  async measure(server, context) {
    const { strategies } = context;
    const ways: readonly (readonly [string, number | null, Follow])[] = [
      ['sync', 0, shippedClient({ throttle_ms: 0 })],
      ['sync', 100, shippedClient({ throttle_ms: 100 })],
      ['sync', 250, shippedClient({ throttle_ms: 250 })],
      ['push', null, strategies.push],
      ['fetch_each', null, strategies.fetch_each],
      ['debounce_50', null, strategies.debounce_50],
      ['poll_250', null, strategies.poll_250],
    ];
    await withHost(Host.start(server, context.launch), async (host) => {
      for (const [strategy, throttle_ms, follow] of ways) {
        const following = await follow(followOptions(host, context));
        const values = new FigureValues();
        for (let i = 0; i < context.sizes.slider_repetitions; i++)
          values.add(await slide(host, following, context));
        if (strategy !== 'fetch_each') checkFollowing(following);
        await following.stop();
        const parameters = { strategy, ...(throttle_ms === null ? {} : { throttle_ms }) };
        context.add({ parameters, figures: values.all(), latency: null });
      }
    });
  },
};

async function slide(host: Host, following: Following, { poster, sizes }: ScenarioContext) {
  const { journal, fetched_ms } = following;
  await sleep(QUIET_MS);
  journal.clear();
  const { newest } = journal;
  const counted = countFrom(following);
  const begun = fetched_ms.length;
  const requests = Math.round(PER_S * sizes.slider_s);
  const posted = await poster.paced(host, { per_s: PER_S, batch: 1, requests, connections: CONNECTIONS });
  const last_ms = await journal.reached(BigInt(posted.revision), sizes.patience_ms, 'the client');
  const due_ms = Math.max(...posted.answers.map(({ from_ms }) => from_ms));
  return {
    events: requests,
    ...counted(),
    fetches_per_s: rateOf(fetched_ms.slice(begun)),
    first_apply_ms: journal.firstAbove(newest)! - posted.started_ms,
    last_late_ms: last_ms - due_ms,
  };
}

/** Returns the rate per second, computed from the gaps between the times. 0 for less than two times. */
export function rateOf(times_ms: readonly number[]): number {
  if (times_ms.length < 2) return 0;
  return ((times_ms.length - 1) / (times_ms.at(-1)! - times_ms[0]!)) * 1000;
}
