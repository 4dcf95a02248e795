/**
 * The rounds of one measurement, a pair at a time: one round of each server.
 *
 * Invariants: nothing else of this program runs during a round. Every round gets the same events, and both servers
 * have the same settings; otherwise the run fails.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { throughput } from '../analyse/metrics.ts';
import { createProbe, readTicksPerSecond } from '../observe/probe.ts';
import type { Sample } from '../observe/sample.ts';
import { roundOrder } from '../plan/plan.ts';
import type { Spec } from '../plan/spec.ts';
import { formatValue } from '../report/format.ts';
import type { Health } from '../verify/health.ts';
import type { Launch } from './launch.ts';
import { preload } from './preload.ts';
import type { Progress } from './progress.ts';
import { type RoundContext, runRound } from './round.ts';
import { type Size, sizeOf } from './trial.ts';
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

/** A size that trials found is reported before the first round. */
async function calibrate(
  spec: Spec,
  base: Omit<RoundContext, 'spec' | 'events' | 'rate_events_per_s' | 'onProgress'>,
  context: RoundsContext,
): Promise<Size> {
  const size = await sizeOf(spec, context.targets, async (name, { events, warmup_events }) => {
    const sample = await runRound(0, name, {
      ...base,
      spec: { ...spec, workload: { ...spec.workload, warmup_events } },
      events: events!,
      rate_events_per_s: null,
      onProgress: () => undefined,
    });
    return throughput(sample);
  });
  if (spec.rate === null && spec.workload.events === null) {
    context.progress.say(
      `${spec.name}: ${size.events!.toLocaleString('en-US')} events a round, for ${spec.workload.duration_s} s, after ` +
        `${size.warmup_events!.toLocaleString('en-US')} to warm up`,
    );
  }
  return size;
}

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
