/**
 * Many changes at once, or sixty a second: the number of fetches, and the time until the last change is shown.
 *
 * Invariants: the posts begin while no request is in flight and no throttle is active. They end when the last state was
 * applied. Every strategy gets the same posts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../../observe/clock.ts';
import { startCpu } from '../../observe/probe.ts';
import { Host, withHost } from '../../run/host.ts';
import { firstAt, type Journal, until, waitFor } from '../journal.ts';
import type { Posted } from '../posting.ts';
import { repeated, type Scenario, withFollower } from '../scenario.ts';
import { STRATEGY_NAMES, type Strategies, shippedClient } from '../strategies.ts';

/** One batch, single events one after the other, and single events with sixteen in flight. */
const LOADS = [
  { load: 'one batch', concurrency: 1 },
  { load: 'singles', concurrency: 1 },
  { load: 'singles', concurrency: 16 },
] as const;

/** The client's own throttle: one frame of a 60 Hz display. */
const FRAME_MS = 16;

/** Longer than every throttle and debounce of a burst. A fetch that begins later does not belong to the posts. */
const QUIET_MS = 60;

const WARM_UP_EVENTS = 100;

export const bursts: Scenario = async (server, context) => {
  const { launch, strategies, sizes, poster, add } = context;
  const measure = async (strategy: keyof Strategies, host: Host, journal: Journal) => {
    const burst = async (events: number, load: string, connections: number) => {
      const shape = load === 'singles' ? { batch: 1, requests: events } : { batch: events, requests: 1 };
      const post = () => poster.post(host, { ...shape, connections });
      const { posted, last_ms, figures } = await changes(host, journal, QUIET_MS, post);
      const emit_ms = posted.ended_ms - posted.started_ms;
      const allowed = emit_ms / FRAME_MS + 2;
      return {
        ...figures,
        fetches_of_allowed: strategy === 'sync' ? figures.fetches / allowed : null,
        end_to_end_ms: last_ms - posted.started_ms,
        emit_ms,
        staleness_max_ms: Math.max(...posted.answers.map((answer) => waitFor(answer, journal.applied))),
      };
    };
    for (const { load, concurrency } of LOADS) await burst(WARM_UP_EVENTS, load, concurrency);
    for (const { load, concurrency } of LOADS) {
      for (const events of sizes.burst_events) {
        const samples = await repeated(sizes.burst_repetitions, () => burst(events, load, concurrency));
        add({ strategy, load, concurrency, events }, samples);
      }
    }
  };
  await withHost(Host.start(server, launch), async (host) => {
    for (const strategy of STRATEGY_NAMES)
      await withFollower(strategies[strategy], host, context, (journal) => measure(strategy, host, journal));
  });
};

const SLIDER = { per_s: 60, batch: 1, connections: 4 };
/** Longer than every throttle of the ways to follow the slider. */
const SLIDER_QUIET_MS = 300;

/** Sixty changes a second: the fetches of the followers, and how soon they show the last state. */
export const slider: Scenario = async (server, context) => {
  const { launch, strategies, sizes, poster, add } = context;
  const throttled = [0, 100, 250].map((throttle_ms) => {
    return [{ strategy: 'sync', throttle_ms }, shippedClient({ throttle_ms })] as const;
  });
  const others = STRATEGY_NAMES.slice(1).map((strategy) => [{ strategy }, strategies[strategy]] as const);
  const requests = Math.round(SLIDER.per_s * sizes.slider_s);
  const slide = async (host: Host, journal: Journal) => {
    const post = () => poster.post(host, { ...SLIDER, requests });
    const { posted, last_ms, figures } = await changes(host, journal, SLIDER_QUIET_MS, post);
    const last_late_ms = last_ms - Math.max(...posted.answers.map(({ from_ms }) => from_ms));
    return { ...figures, fetches_per_s: rateOf(journal.fetched_ms), last_late_ms };
  };
  await withHost(Host.start(server, launch), async (host) => {
    for (const [parameters, follow] of [...throttled, ...others])
      await withFollower(follow, host, context, async (journal) => {
        const samples = await repeated(sizes.slider_repetitions, () => slide(host, journal));
        add({ ...parameters, events: requests }, samples);
      });
  });
};

/** Waits until nothing is in flight, posts, and waits until the last state was applied and all fetches have ended. */
async function changes(host: Host, journal: Journal, quiet_ms: number, post: () => Promise<Posted>) {
  await sleep(quiet_ms);
  const cpu = await startCpu(host.pid);
  journal.clear();
  const { newest } = journal;
  const posted = await post();
  const last_ms = await journal.reached(posted.revision);
  const isQuiet = () =>
    nowMs() - Math.max(journal.fetched_ms.at(-1) ?? 0, journal.applied.at(-1)!.at_ms) > QUIET_MS;
  await until(isQuiet, 'the end of the fetches');
  const cpu_us = await cpu();
  const figures = {
    ...journal.figures(),
    first_apply_ms: firstAt(journal.applied, newest + 1)! - posted.started_ms,
    server_cpu_ms: cpu_us === null ? null : cpu_us / 1000,
  };
  return { posted, last_ms, figures };
}

/** Returns the rate per second, computed from the gaps between the times. 0 for less than two times. */
export function rateOf(times_ms: readonly number[]): number {
  if (times_ms.length < 2) return 0;
  return ((times_ms.length - 1) / (times_ms.at(-1)! - times_ms[0]!)) * 1000;
}
