/**
 * Many changes at once, or sixty a second: the number of fetches, and the time until the last change is shown.
 *
 * Invariants: the posts begin while no request is in flight and no throttle is active. They end when the last state was
 * applied. Every strategy gets the same posts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../../observe/clock.ts';
import { createProbe } from '../../observe/probe.ts';
import { cpuBetween, threadTimes } from '../../observe/thread-times.ts';
import { Host, withHost } from '../../run/host.ts';
import { FigureValues } from '../figure.ts';
import type { Applied } from '../journal.ts';
import type { Posted } from '../poster-process.ts';
import { followOptions, type Scenario, type ScenarioContext } from '../scenario.ts';
import { type Heard, waitsOf } from '../staleness.ts';
import { shippedClient } from '../strategies/client.ts';
import {
  checkFollowing,
  countFrom,
  type Follow,
  type Following,
  STRATEGY_NAMES,
  until,
} from '../strategies/strategy.ts';

/** One batch, single events one after the other, and single events with sixteen in flight. */
const LOADS = [
  { load: 'one batch', concurrency: null },
  { load: 'singles', concurrency: 1 },
  { load: 'singles', concurrency: 16 },
] as const;

/** The client's own throttle: one frame of a 60 Hz display. */
const FRAME_MS = 16;

/**
 * Longer than every throttle and debounce of the strategies. A fetch that begins later does not belong to the burst.
 */
const QUIET_MS = 60;

const WARM_UP_EVENTS = 100;

export const burstScenario: Scenario = {
  name: 'bursts',
  async measure(server, context) {
    const { strategies, sizes } = context;
    await withHost(Host.start(server, context.launch), async (host) => {
      for (const strategy of STRATEGY_NAMES) {
        await following(strategy, strategies[strategy], host, context, async (follower) => {
          for (const { concurrency } of LOADS)
            await burst(host, follower, context, WARM_UP_EVENTS, concurrency);
          for (const { load, concurrency } of LOADS) {
            for (const events of sizes.burst_events) {
              const values = new FigureValues();
              for (let i = 0; i < sizes.burst_repetitions; i++) {
                const found = await burst(host, follower, context, events, concurrency);
                const allowed = strategy === 'sync' ? found.emit_ms / FRAME_MS + 2 : null;
                const fetches_of_allowed = allowed === null ? null : found.fetches / allowed;
                values.add({ ...found, reduction: 1 - found.fetches / events, fetches_of_allowed });
              }
              const parameters = { strategy, load, concurrency: concurrency ?? 1, events };
              context.add({ parameters, figures: values.all(), latency: null });
            }
          }
        });
      }
    });
  },
};

const SLIDER_PER_S = 60;
const SLIDER_CONNECTIONS = 4;
/** Longer than every throttle of the ways to follow the slider. */
const SLIDER_QUIET_MS = 300;

/** Sixty changes a second: the fetches of the followers, and how soon they show the last state. */
export const sliderScenario: Scenario = {
  name: 'slider',
  async measure(server, context) {
    const { strategies, sizes } = context;
    const throttled = [0, 100, 250].map((throttle_ms) => {
      return [{ strategy: 'sync', throttle_ms }, shippedClient({ throttle_ms })] as const;
    });
    const others = STRATEGY_NAMES.slice(1).map((strategy) => [{ strategy }, strategies[strategy]] as const);
    await withHost(Host.start(server, context.launch), async (host) => {
      for (const [parameters, follow] of [...throttled, ...others]) {
        await following(parameters.strategy, follow, host, context, async (follower) => {
          const values = new FigureValues();
          for (let i = 0; i < sizes.slider_repetitions; i++) values.add(await slide(host, follower, context));
          context.add({ parameters, figures: values.all(), latency: null });
        });
      }
    });
  },
};

/** Runs `use` with a follower. */
async function following(
  strategy: string,
  follow: Follow,
  host: Host,
  context: ScenarioContext,
  use: (follower: Following) => Promise<void>,
): Promise<void> {
  const follower = await follow(followOptions(host, context));
  await use(follower);
  // `fetch_each` does not order its fetches, so it may apply an older state. The other strategies may not.
  if (strategy !== 'fetch_each') checkFollowing(follower);
  await follower.stop();
}

async function burst(
  host: Host,
  follower: Following,
  context: ScenarioContext,
  events: number,
  concurrency: number | null,
) {
  const { poster, sizes } = context;
  const { journal, fetched_ms } = follower;
  await sleep(QUIET_MS);
  const ran = await threadTimes(host.pid);
  const post = () => poster.burst(host, events, concurrency);
  const { posted, last_ms, first_apply_ms, counted } = await applied(follower, sizes.patience_ms, post);
  // Fetches that are still in flight belong to this burst.
  await until(
    () => nowMs() - Math.max(fetched_ms.at(-1) ?? 0, journal.since.at(-1)!.at_ms) > QUIET_MS,
    sizes.patience_ms,
    'the end of the fetches',
  );
  const counts = counted();
  const [hasRun, { rss_bytes }] = await Promise.all([threadTimes(host.pid), createProbe()(host.pid)]);
  const waits = waitsOf(posted.answers, risesOf(journal.since));
  return {
    events,
    ...counts,
    first_apply_ms,
    end_to_end_ms: last_ms - posted.started_ms,
    emit_ms: posted.ended_ms - posted.started_ms,
    staleness_max_ms: Math.max(...waits.map((wait) => wait ?? Number.POSITIVE_INFINITY)),
    server_cpu_ms: cpuBetween(ran, hasRun),
    rss_bytes,
  };
}

async function slide(host: Host, follower: Following, { poster, sizes }: ScenarioContext) {
  const { fetched_ms } = follower;
  await sleep(SLIDER_QUIET_MS);
  const begun = fetched_ms.length;
  const requests = Math.round(SLIDER_PER_S * sizes.slider_s);
  const pace = { per_s: SLIDER_PER_S, batch: 1, requests, connections: SLIDER_CONNECTIONS };
  const { posted, last_ms, first_apply_ms, counted } = await applied(follower, sizes.patience_ms, () =>
    poster.post(host, pace),
  );
  return {
    events: requests,
    ...counted(),
    fetches_per_s: rateOf(fetched_ms.slice(begun)),
    first_apply_ms,
    last_late_ms: last_ms - Math.max(...posted.answers.map(({ from_ms }) => from_ms)),
  };
}

/** Posts, and waits until the last state was applied. `counted` returns the counts since the start of the posts. */
async function applied(follower: Following, patience_ms: number, post: () => Promise<Posted>) {
  const { journal } = follower;
  journal.clear();
  const { newest } = journal;
  const counted = countFrom(follower);
  const posted = await post();
  const last_ms = await journal.reached(BigInt(posted.revision), patience_ms);
  return { posted, last_ms, first_apply_ms: journal.firstAbove(newest)! - posted.started_ms, counted };
}

/**
 * Returns the states that were newer than all previous ones, and when each was applied. A state that was shown once is
 * not stale later.
 */
function risesOf(states: readonly Applied[]): Heard {
  let newest = -1n;
  const rises = states.filter(({ revision }) => {
    const isNewer = revision > newest;
    if (isNewer) newest = revision;
    return isNewer;
  });
  return { heard_ms: rises.map(({ at_ms }) => at_ms), heard: rises.map(({ revision }) => Number(revision)) };
}

/** Returns the rate per second, computed from the gaps between the times. 0 for less than two times. */
export function rateOf(times_ms: readonly number[]): number {
  if (times_ms.length < 2) return 0;
  return ((times_ms.length - 1) / (times_ms.at(-1)! - times_ms[0]!)) * 1000;
}
