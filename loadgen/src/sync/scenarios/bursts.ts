/**
 * Many changes at once: the number of fetches, and the time until the last change is shown.
 *
 * Invariants: a burst begins while no request is in flight and no throttle is active. It ends when the last state was
 * applied. Every strategy gets the same bursts.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { nowMs } from '../../observe/clock.ts';
import { createProbe } from '../../observe/probe.ts';
import { cpuBetween, threadTimes } from '../../observe/thread-times.ts';
import { Host, withHost } from '../../run/host.ts';
import { FigureValues } from '../figure.ts';
import type { Applied } from '../journal.ts';
import { followOptions, type Scenario, type ScenarioContext } from '../scenario.ts';
import { type Heard, longestWait } from '../staleness.ts';
import {
  checkFollowing,
  countFrom,
  type Following,
  STRATEGY_NAMES,
  type StrategyName,
  until,
} from '../strategies/strategy.ts';

/** One batch, single events one after the other, and single events with sixteen in flight. */
const LOADS = [
  { load: 'one batch', concurrency: null },
  { load: 'singles', concurrency: 1 },
  { load: 'singles', concurrency: 16 },
] as const;

type Load = (typeof LOADS)[number];

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
    await withHost(Host.start(server, context.launch), async (host) => {
      for (const strategy of STRATEGY_NAMES) {
        const following = await context.strategies[strategy](followOptions(host, context));
        for (const { concurrency } of LOADS)
          await burst(host, following, context, WARM_UP_EVENTS, concurrency);
        for (const load of LOADS) {
          for (const events of context.sizes.burst_events)
            await bursts(host, following, context, strategy, load, events);
        }
        // `fetch_each` does not order its fetches, so it may apply an older state. The other strategies may not.
        if (strategy !== 'fetch_each') checkFollowing(following);
        await following.stop();
      }
    });
  },
};

async function bursts(
  host: Host,
  following: Following,
  context: ScenarioContext,
  strategy: StrategyName,
  { load, concurrency }: Load,
  events: number,
): Promise<void> {
  const values = new FigureValues();
  for (let i = 0; i < context.sizes.burst_repetitions; i++) {
    const found = await burst(host, following, context, events, concurrency);
    const allowed = found.emit_ms / FRAME_MS + 2;
    values.add({
      ...found,
      reduction: 1 - found.fetches / events,
      fetches_of_allowed: strategy === 'sync' ? found.fetches / allowed : null,
    });
  }
  const parameters = { strategy, load, concurrency: concurrency ?? 1, events };
  context.add({ parameters, figures: values.all(), latency: null });
}

async function burst(
  host: Host,
  following: Following,
  { poster, sizes }: ScenarioContext,
  events: number,
  concurrency: number | null,
) {
  const { journal } = following;
  await sleep(QUIET_MS);
  const ran = await threadTimes(host.pid);
  journal.clear();
  const { newest } = journal;
  const counted = countFrom(following);
  const posted = await poster.burst(host, events, concurrency);
  const last_ms = await journal.reached(BigInt(posted.revision), sizes.patience_ms, 'the client');
  // Fetches that are still in flight belong to this burst.
  await until(
    () => nowMs() - Math.max(following.fetched_ms.at(-1) ?? 0, journal.since.at(-1)!.at_ms) > QUIET_MS,
    sizes.patience_ms,
    'the end of the fetches',
  );
  const counts = counted();
  const [hasRun, { rss_bytes }] = await Promise.all([threadTimes(host.pid), createProbe()(host.pid)]);
  const acknowledged = posted.answers.map(({ answered_ms, revision }) => ({
    at_ms: answered_ms,
    revision: Number(revision),
  }));
  return {
    events,
    ...counts,
    first_apply_ms: journal.firstAbove(newest)! - posted.started_ms,
    end_to_end_ms: last_ms - posted.started_ms,
    emit_ms: posted.ended_ms - posted.started_ms,
    staleness_max_ms: longestWait(acknowledged, risesOf(journal.since)),
    server_cpu_ms: cpuBetween(ran, hasRun),
    rss_bytes,
  };
}

/**
 * Returns the states that were newer than all previous ones, and when each was applied. A state that was shown once is
 * not stale later.
 */
function risesOf(applied: readonly Applied[]): Heard {
  let newest = -1n;
  const rises = applied.filter(({ revision }) => {
    const isNewer = revision > newest;
    if (isNewer) newest = revision;
    return isNewer;
  });
  return { heard_ms: rises.map(({ at_ms }) => at_ms), heard: rises.map(({ revision }) => Number(revision)) };
}
