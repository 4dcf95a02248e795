/**
 * Many changes at once, or sixty a second: the number of fetches, and the time until the last change is shown.
 *
 * Invariants: the posts begin while no request is in flight and no throttle is active. They end when the last state was
 * applied. Every strategy gets the same posts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { nowMs } from '../../observe/clock.ts';
import { createProbe } from '../../observe/probe.ts';
import { cpuBetween, threadTimes } from '../../observe/thread-times.ts';
import { Host, withHost } from '../../run/host.ts';
import { type Applied, type Heard, waitsOf } from '../journal.ts';
import type { Posted } from '../poster-process.ts';
import { followOptions, repeated, type Scenario, type ScenarioContext } from '../scenario.ts';
import {
  countFrom,
  type Follow,
  type Following,
  STRATEGY_NAMES,
  type Strategies,
  shippedClient,
  until,
} from '../strategies.ts';

/** One batch, single events one after the other, and single events with sixteen in flight. */
const LOADS = [
  { load: 'one batch', concurrency: null },
  { load: 'singles', concurrency: 1 },
  { load: 'singles', concurrency: 16 },
] as const;

/** The client's own throttle: one frame of a 60 Hz display. */
const FRAME_MS = 16;

/** Longer than every throttle and debounce of a burst. A fetch that begins later does not belong to the posts. */
const QUIET_MS = 60;

const WARM_UP_EVENTS = 100;

export const bursts: Scenario = async (server, context) => {
  const { strategies, sizes, poster } = context;
  const followed = STRATEGY_NAMES.map((strategy) => [{ strategy }, strategies[strategy]] as const);
  await withFollowers(server, context, followed, async (host, follower, { strategy }) => {
    const burst = async (events: number, concurrency: number | null) => {
      const post = () => poster.burst(host, events, concurrency);
      const { posted, last_ms, counts, ...found } = await changes(host, follower, context, QUIET_MS, post);
      const waits = waitsOf(posted.answers, risesOf(follower.journal.since));
      const emit_ms = posted.ended_ms - posted.started_ms;
      const allowed = emit_ms / FRAME_MS + 2;
      return {
        events,
        ...counts,
        ...found,
        reduction: 1 - counts.fetches / events,
        fetches_of_allowed: strategy === 'sync' ? counts.fetches / allowed : null,
        end_to_end_ms: last_ms - posted.started_ms,
        emit_ms,
        staleness_max_ms: Math.max(...waits.map((wait) => wait ?? Number.POSITIVE_INFINITY)),
      };
    };
    for (const { concurrency } of LOADS) await burst(WARM_UP_EVENTS, concurrency);
    for (const { load, concurrency } of LOADS) {
      for (const events of sizes.burst_events) {
        const samples = await repeated(sizes.burst_repetitions, () => burst(events, concurrency));
        context.add({ strategy, load, concurrency: concurrency ?? 1, events }, samples);
      }
    }
  });
};

const SLIDER_PER_S = 60;
const SLIDER_CONNECTIONS = 4;
/** Longer than every throttle of the ways to follow the slider. */
const SLIDER_QUIET_MS = 300;

/** Sixty changes a second: the fetches of the followers, and how soon they show the last state. */
export const slider: Scenario = async (server, context) => {
  const { strategies, sizes, poster } = context;
  const throttled = [0, 100, 250].map((throttle_ms) => {
    return [{ strategy: 'sync', throttle_ms }, shippedClient({ throttle_ms })] as const;
  });
  const others = STRATEGY_NAMES.slice(1).map((strategy) => [{ strategy }, strategies[strategy]] as const);
  const events = Math.round(SLIDER_PER_S * sizes.slider_s);
  const pace = { per_s: SLIDER_PER_S, batch: 1, requests: events, connections: SLIDER_CONNECTIONS };
  await withFollowers(server, context, [...throttled, ...others], async (host, follower, parameters) => {
    const slide = async () => {
      const begun = follower.fetched_ms.length;
      const post = () => poster.post(host, pace);
      const { posted, last_ms, ...found } = await changes(host, follower, context, SLIDER_QUIET_MS, post);
      return {
        events,
        ...found.counts,
        fetches_per_s: rateOf(follower.fetched_ms.slice(begun)),
        first_apply_ms: found.first_apply_ms,
        last_late_ms: last_ms - Math.max(...posted.answers.map(({ from_ms }) => from_ms)),
      };
    };
    context.add(parameters, await repeated(sizes.slider_repetitions, slide));
  });
};

type Followed = { readonly strategy: keyof Strategies; readonly throttle_ms?: number };

/** Runs `use` with one follower after the other, on one server. */
async function withFollowers(
  server: TargetName,
  context: ScenarioContext,
  followed: readonly (readonly [Followed, Follow])[],
  use: (host: Host, follower: Following, parameters: Followed) => Promise<void>,
): Promise<void> {
  await withHost(Host.start(server, context.launch), async (host) => {
    for (const [parameters, follow] of followed) {
      const follower = await follow(followOptions(host, context));
      await use(host, follower, parameters);
      // `fetch_each` does not order its fetches, so it may apply an older state. The other strategies may not.
      if (parameters.strategy !== 'fetch_each') follower.journal.check();
      await follower.stop();
    }
  });
}

/** Waits until nothing is in flight, posts, and waits until the last state was applied and all fetches have ended. */
async function changes(
  host: Host,
  follower: Following,
  { sizes: { patience_ms } }: ScenarioContext,
  quiet_ms: number,
  post: () => Promise<Posted>,
) {
  const { journal, fetched_ms } = follower;
  await sleep(quiet_ms);
  const before = await threadTimes(host.pid);
  journal.clear();
  const { newest } = journal;
  const counted = countFrom(follower);
  const posted = await post();
  const last_ms = await journal.reached(BigInt(posted.revision), patience_ms);
  const isQuiet = () => nowMs() - Math.max(fetched_ms.at(-1) ?? 0, journal.since.at(-1)!.at_ms) > QUIET_MS;
  await until(isQuiet, patience_ms, 'the end of the fetches');
  const counts = counted();
  const [after, { rss_bytes }] = await Promise.all([threadTimes(host.pid), createProbe()(host.pid)]);
  const first_apply_ms = journal.firstAbove(newest)! - posted.started_ms;
  return { posted, last_ms, counts, first_apply_ms, server_cpu_ms: cpuBetween(before, after), rss_bytes };
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
