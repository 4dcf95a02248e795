/**
 * One round of a group of measurements. A fresh process of each server is warmed up. Then both get slices of load in
 * the order A B B A, measurement by measurement.
 *
 * Neighbouring slices are only seconds apart, so that a slow minute of the machine affects both servers (decision 68).
 * Invariants: both processes run for the whole round, and only one of them has load at a time. Both get the same events
 * and the same settings; otherwise the run fails.
 */
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { throughput } from '../analyse/metrics.ts';
import { median } from '../analyse/statistics.ts';
import type { ProcessSample, Slice } from '../observe/sample.ts';
import { UNSIZED_WARM_UP } from '../plan/lengths.ts';
import { roundTimeOf } from '../plan/plan.ts';
import type { Spec } from '../plan/spec.ts';
import { inTurn } from '../plan/turns.ts';
import { formatValue } from '../report/format.ts';
import type { EffectiveSettings } from '../verify/health.ts';
import type { Launch } from './host.ts';
import type { Progress } from './progress.ts';
import { type ServerUnderTest, startUnderTest } from './server-under-test.ts';
import type { Workers } from './workers.ts';

export interface RoundContext {
  /** How to start the servers of this repository, and the plain ones. */
  readonly launches: Readonly<Record<Spec['servers'], Launch>>;
  readonly settings: Readonly<Record<Spec['servers'], EffectiveSettings>>;
  readonly workers: Workers;
  readonly progress: Progress;
  readonly targets: readonly TargetName[];
}

const PROGRESS_MS = 250;

/** Measurements of one spec so far. */
export interface Rounds {
  readonly slices: readonly Slice[];
  /** Processes of the group; empty for every spec but the first of the group. */
  readonly processes: readonly ProcessSample[];
  /** Number of events of a round and of its warm-up; `null` when the rate of an open loop determines it. */
  readonly size: { readonly events: number | null; readonly warmup_events: number | null };
}

export type Measured = readonly (readonly [Spec, Rounds])[];

/** Prepares the rounds of one group. The first round determines the sizes of all rounds. */
export function createGroup(specs: readonly Spec[], context: RoundContext) {
  const { launches, settings, workers, progress, targets } = context;
  const first = specs[0]!;
  const events = new Map<Spec, number>();
  const slices = new Map(specs.map((spec) => [spec, [] as Slice[]]));
  const processes: ProcessSample[] = [];

  async function warmUp(servers: readonly ServerUnderTest[]): Promise<void> {
    const generator = await workers.generator(first);
    const rate = first.rate?.kind === 'fixed' ? first.rate.events_per_s : null;
    const paces: number[] = [];
    await progress.step(`${first.group}: warm-up`, servers.length, async (at) => {
      for (const server of servers) at(paces.push(await server.warmUp(generator, warmUpOf(first), rate)));
      return servers.map(({ name }, i) => `${name} ${formatValue(paces[i]!, 'events_per_s')}`).join(', ');
    });
    for (const spec of specs)
      if (spec.rate === null && !events.has(spec)) events.set(spec, sizeOf(spec, Math.max(...paces)));
  }

  async function measure(round: number, spec: Spec, servers: readonly ServerUnderTest[]): Promise<void> {
    const generator = await workers.generator(spec);
    const turns = inTurn(servers, spec.workload.slices);
    const taken: Slice[] = [];
    // A run that is interrupted keeps whole pairs. The slices of a soak take too long to wait for the second.
    const kept = spec.mode === 'soak' ? 1 : servers.length;
    await progress.step(`${spec.name}, round ${round}`, turns.length, async (at) => {
      for (const [i, server] of turns.entries()) {
        const rate_events_per_s = rateOf(spec, server.name, round);
        const part = () => partOf(events.get(spec)!, Math.floor(i / servers.length), spec);
        const count = rate_events_per_s === null ? part() : eventsOf(spec, rate_events_per_s);
        const begun = performance.now();
        const expected_s = spec.workload.duration_s ?? 1;
        const share = () => Math.min(1, (performance.now() - begun) / 1000 / expected_s);
        const timer = setInterval(() => at(i + share()), PROGRESS_MS);
        const measuring = server.measure(spec, { generator, events: count, rate_events_per_s });
        taken.push(await measuring.finally(() => clearInterval(timer)));
        if (taken.length % kept === 0) slices.get(spec)!.push(...taken.slice(-kept));
        at(i + 1);
      }
      return servers.map(({ name }) => describe(name, spec, taken)).join('; ');
    });
  }

  /**
   * Returns the requested events/s; `null` in a closed loop. A share refers to the server's own throughput in this
   * round.
   */
  function rateOf({ rate }: Spec, name: TargetName, round: number): number | null {
    if (rate === null) return null;
    if (rate.kind === 'fixed') return rate.events_per_s;
    const closed = slices.get(specs.find((spec) => spec.name === 'batch')!)!;
    const own = closed.filter((slice) => slice.target === name && slice.round === round);
    return Math.round(median(own.map(throughput))! * rate.share);
  }

  return {
    rounds: first.workload.rounds,
    /** Estimated seconds of a round per server. */
    round_s: roundTimeOf(specs),

    /** Returns the measurements so far, also those of a round that has not ended. */
    measured(): Measured {
      return specs.flatMap((spec, i) => {
        const own = slices.get(spec)!;
        if (own.length === 0) return [];
        const size = { events: events.get(spec) ?? null, warmup_events: i === 0 ? warmUpOf(spec) : 0 };
        return [[spec, { slices: [...own], processes: i === 0 ? [...processes] : [], size }]];
      });
    },

    async run(round: number): Promise<void> {
      // The generators create their events first, so that no server process waits for them.
      for (const spec of specs) await workers.generator(spec);
      const auditors = await Promise.all(targets.map((name) => workers.auditor(first, name)));
      const [launch, own] = [launches[first.servers], settings[first.servers]];
      const servers: ServerUnderTest[] = [];
      for (const name of round % 2 === 1 ? targets : targets.toReversed()) {
        const auditor = auditors[targets.indexOf(name)]!;
        servers.push(await startUnderTest(name, { round, spec: first, launch, settings: own, auditor }));
      }
      await warmUp(servers);
      for (const spec of specs) await measure(round, spec, servers);
      for (const server of servers) await server.stop();
      // Nothing is measured any more, so both files are checked at the same time.
      processes.push(...(await Promise.all(servers.map((server) => server.check()))));
    },
  };
}

/** Returns how many of `count` starts belong to a cycle, distributed as evenly as possible. */
export function portion(count: number, cycle: number, cycles: number): number {
  return Math.floor(((cycle + 1) * count) / cycles) - Math.floor((cycle * count) / cycles);
}

/** Returns the number of warm-up events; `null` when the rate of an open loop determines it. */
function warmUpOf({ mode, rate, servers, workload }: Spec): number | null {
  if (workload.warmup_events !== null || rate !== null) return workload.warmup_events;
  return UNSIZED_WARM_UP[servers === 'plain' ? 'plain' : mode === 'single' ? 'single' : 'batch'];
}

/**
 * Returns the number of events in a round of a closed loop, which is the same for both servers and every round. Unless
 * it is given, it is what the faster server stores during all slices at the pace of its warm-up (decision 68).
 */
export function sizeOf({ workload }: Pick<Spec, 'workload'>, pace_events_per_s: number): number {
  const { events, slices } = workload;
  if (events !== null) return events;
  return eventsOf({ workload }, pace_events_per_s) * slices;
}

/** Returns the number of events of a slice at a rate, in whole requests. */
function eventsOf({ workload }: Pick<Spec, 'workload'>, rate_events_per_s: number): number {
  const { batch_size, duration_s } = workload;
  return Math.ceil((rate_events_per_s * duration_s!) / batch_size) * batch_size;
}

/** Returns the number of events of slice number `part`, in whole requests. The last slice takes the rest. */
export function partOf(events: number, part: number, { workload }: Pick<Spec, 'workload'>): number {
  const { batch_size, slices } = workload;
  const whole = Math.floor(events / slices / batch_size) * batch_size;
  return part === slices - 1 ? events - whole * (slices - 1) : whole;
}

function describe(name: TargetName, spec: Spec, slices: readonly Slice[]): string {
  const own = slices.filter(({ target }) => target === name);
  if (spec.rate === null) return `${name} ${formatValue(median(own.map(throughput))!, 'events_per_s')}`;
  const p99 = median(own.flatMap(({ measured }) => measured.latency?.p99_ms ?? []));
  return `${name} p99 ${p99 === null ? 'not measured' : formatValue(p99, 'ms')}`;
}
