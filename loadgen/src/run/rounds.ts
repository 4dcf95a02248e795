/**
 * The rounds of one measurement, a pair at a time: one round of each server, one after the other. Nothing else of this
 * program runs while one is measured.
 *
 * What must stay true: every round gets the same events, and both servers promise the same in every round;
 * a run in which one of them does not is over.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { throughput } from '../analyse/metrics.ts';
import { createProbe, readTicksPerSecond } from '../observe/probe.ts';
import type { Sample } from '../observe/sample.ts';
import { UNSIZED_WARM_UP } from '../plan/lengths.ts';
import { roundOrder } from '../plan/plan.ts';
import type { Spec } from '../plan/spec.ts';
import { fasterPace } from '../plan/trial.ts';
import { formatValue } from '../report/format.ts';
import type { Workload } from '../result/result.ts';
import type { Health } from '../verify/health.ts';
import type { Launch } from './launch.ts';
import { preload } from './preload.ts';
import type { Progress } from './progress.ts';
import { type RoundContext, runRound } from './round.ts';
import { warmUpEvents } from './warm-up.ts';
import type { Workers } from './workers.ts';

export interface RoundsContext {
  readonly launch: Launch;
  readonly workers: Workers;
  readonly progress: Progress;
  readonly targets: readonly TargetName[];
  /** What the measured servers promised so far; throws when one differs. */
  onHealth(label: string, name: TargetName, health: Health): void;
}

/** What has been measured so far. */
export interface Rounds {
  readonly order: readonly TargetName[];
  readonly samples: readonly Sample[];
  /** What both were asked for, resolved. */
  readonly size: Size;
}

export interface Series {
  /** The next round of each server, at these rates (events/s) in an open loop. */
  pair(rates: ReadonlyMap<TargetName, number> | null): Promise<void>;
  readonly rounds: Rounds;
}

/** Events of a closed round and of its warm-up; `null` where a rate and a length say them. */
type Size = Pick<Workload, 'events' | 'warmup_events'>;

/** Readies whatever all rounds share, and finds how many events a round has; none of them is run. */
export async function openSeries(spec: Spec, context: RoundsContext): Promise<Series> {
  const { targets, workers } = context;
  const order = roundOrder(targets, spec.workload.rounds);
  const base = {
    launch: context.launch,
    generator: await workers.generator(spec),
    auditor: await workers.auditor(spec),
    probe: createProbe(),
    ticksPerSecond: readTicksPerSecond(),
    preloaded:
      spec.workload.preload_events === 0 ? null : await preload(spec, { ...context, target: targets[0]! }),
    onHealth: context.onHealth,
  };
  const size = await calibrate(spec, base, context);
  const sized = { ...spec, workload: { ...spec.workload, ...size } };
  const samples: Sample[] = [];

  async function next(rates: ReadonlyMap<TargetName, number> | null): Promise<void> {
    const name = order[samples.length]!;
    const round = samples.length + 1;
    const rate_events_per_s = rates?.get(name) ?? null;
    const events = size.events ?? eventsAt(spec, rate_events_per_s!);
    const step = context.progress.begin(`${spec.name} ${round}/${order.length} ${name}`, events);
    try {
      const sample = await runRound(round, name, {
        ...base,
        spec: sized,
        events,
        rate_events_per_s,
        onProgress: (count) => step.at(count),
      });
      samples.push(sample);
      step.done(describe(sample));
    } catch (error) {
      step.abandon();
      throw error;
    }
  }

  return {
    async pair(rates) {
      for (let i = 0; i < targets.length; i++) await next(rates);
    },
    get rounds() {
      return { order: order.slice(0, samples.length), samples, size };
    },
  };
}

/**
 * As given, or by the pace of the faster server: what it takes in `duration_s`, after a warm-up in seconds of it. The
 * same for both servers and every round (decision 18).
 */
async function calibrate(
  spec: Spec,
  base: Omit<RoundContext, 'spec' | 'events' | 'rate_events_per_s' | 'onProgress'>,
  context: RoundsContext,
): Promise<Size> {
  const { events, warmup_events, duration_s, batch_size } = spec.workload;
  if (spec.rate !== null || events !== null) return { events, warmup_events };
  const kind = spec.mode === 'single' ? 'single' : 'batch';
  const workload = { ...spec.workload, warmup_events: warmup_events ?? UNSIZED_WARM_UP[kind] };
  const trial = {
    ...base,
    spec: { ...spec, workload },
    events: Math.ceil((TRIAL_EVENTS_PER_S[kind] * duration_s!) / batch_size) * batch_size,
    rate_events_per_s: null,
  };
  const pace = await fasterPace(context.targets, async (name) =>
    throughput(await runRound(0, name, { ...trial, onProgress: () => undefined })),
  );
  const size = {
    events: Math.ceil((pace * duration_s!) / batch_size) * batch_size,
    warmup_events: warmup_events ?? warmUpEvents(pace, batch_size),
  };
  context.progress.say(
    `${spec.name}: ${size.events.toLocaleString('en-US')} events a round, for ${duration_s} s, after ` +
      `${size.warmup_events.toLocaleString('en-US')} to warm up`,
  );
  return size;
}

/** For each second of a round; about a third of what the faster server takes on two cores. */
const TRIAL_EVENTS_PER_S = { batch: 70_000, single: 12_000 };

/** Whole requests. */
function eventsAt(spec: Spec, rate: number): number {
  const { batch_size, duration_s } = spec.workload;
  return Math.ceil((rate * duration_s!) / batch_size) * batch_size;
}

function describe(sample: Sample): string {
  const latency = sample.measured.latency;
  const p99 = latency === null ? '' : `, p99 ${formatValue(latency.p99_ms, 'ms')}`;
  const took = (sample.measured.duration_ms / 1000).toFixed(1);
  const found = sample.audit.stored_events.toLocaleString('en-US');
  return `${formatValue(throughput(sample), 'events_per_s')} for ${took} s${p99}; all ${found} found as sent`;
}
