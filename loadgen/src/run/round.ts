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
import { createProbe, readTicksPerSecond } from '../observe/probe.ts';
import type { ProcessSample, Slice, WarmUp } from '../observe/sample.ts';
import { UNSIZED_WARM_UP } from '../plan/lengths.ts';
import type { Spec } from '../plan/spec.ts';
import { inTurn } from '../plan/turns.ts';
import { formatValue } from '../report/format.ts';
import type { Health } from '../verify/health.ts';
import type { Launch } from './host.ts';
import type { Progress } from './progress.ts';
import { ServerUnderTest } from './server-under-test.ts';
import { fasterPace, type Sizes, sizeOf } from './sizes.ts';
import type { Workers } from './workers.ts';

export interface RoundContext {
  /** Returns how to start the servers of a spec: those of this repository, or the plain ones. */
  launchOf(spec: Spec): Launch;
  readonly workers: Workers;
  readonly progress: Progress;
  readonly targets: readonly TargetName[];
  /** Handles the effective settings of a server. Throws when those of two processes differ. */
  onHealth(spec: Spec, label: string, name: TargetName, health: Health): void;
}

export interface RoundResult {
  readonly slices: ReadonlyMap<Spec, readonly Slice[]>;
  readonly processes: readonly ProcessSample[];
}

/** Runs the rounds of one group. The first round determines the sizes of all rounds. */
export class Group {
  readonly specs: readonly Spec[];
  readonly #context: RoundContext;
  readonly #sizes: Sizes = new Map();

  constructor(specs: readonly Spec[], context: RoundContext) {
    this.specs = specs;
    this.#context = context;
  }

  /** Returns the number of events of a round and of its warm-up, as the first round determined them. */
  sizeOf(spec: Spec): { readonly events: number | null; readonly warmup_events: number | null } {
    const isFirst = spec === this.specs[0];
    return {
      events: spec.rate === null ? (this.#sizes.get(spec) ?? null) : null,
      warmup_events: isFirst ? warmUpOf(spec) : 0,
    };
  }

  /** Runs one round. `round` counts from 1. */
  async run(round: number): Promise<RoundResult> {
    const { workers, targets } = this.#context;
    const first = this.specs[0]!;
    const context = {
      launch: this.#context.launchOf(first),
      auditor: await workers.auditor(first),
      probe: createProbe(),
      ticksPerSecond: readTicksPerSecond(),
      onHealth: (label: string, name: TargetName, health: Health) =>
        this.#context.onHealth(first, label, name, health),
    };
    // The generators create their events first, so that no server process waits for them.
    for (const spec of this.specs) await workers.generator(spec);
    const order = round % 2 === 1 ? targets : [...targets].reverse();
    const servers = new Map<TargetName, ServerUnderTest>();
    for (const name of order) servers.set(name, await ServerUnderTest.start(round, name, first, context));
    await this.#warmUp(order, servers);
    const slices = new Map<Spec, Slice[]>();
    for (const spec of this.specs) slices.set(spec, await this.#measure(round, spec, order, servers, slices));
    const processes: ProcessSample[] = [];
    for (const name of order) processes.push(await servers.get(name)!.finish());
    return { slices, processes };
  }

  async #warmUp(
    order: readonly TargetName[],
    servers: ReadonlyMap<TargetName, ServerUnderTest>,
  ): Promise<void> {
    const first = this.specs[0]!;
    const generator = await this.#context.workers.generator(first);
    const rate = first.rate?.kind === 'fixed' ? first.rate.events_per_s : null;
    const warmed: WarmUp[] = [];
    await this.#context.progress.step(`${first.group}: warm-up`, order.length, async (at) => {
      for (const [i, name] of order.entries()) {
        const load = { generator, rate_events_per_s: rate };
        warmed.push(await servers.get(name)!.warmUp(load, warmUpOf(first)));
        at(i + 1);
      }
      const shown = warmed.map((one, i) => `${order[i]} ${formatValue(fasterPace([one]), 'events_per_s')}`);
      return shown.join(', ');
    });
    for (const spec of this.specs)
      if (spec.rate === null && !this.#sizes.has(spec))
        this.#sizes.set(spec, sizeOf(spec, fasterPace(warmed)));
  }

  async #measure(
    round: number,
    spec: Spec,
    order: readonly TargetName[],
    servers: ReadonlyMap<TargetName, ServerUnderTest>,
    before: ReadonlyMap<Spec, readonly Slice[]>,
  ): Promise<Slice[]> {
    const { workers, progress } = this.#context;
    const generator = await workers.generator(spec);
    const turns = inTurn(order, spec.workload.slices);
    const slices: Slice[] = [];
    await progress.step(`${spec.name}, round ${round}`, turns.length, async (at) => {
      for (const [i, name] of turns.entries()) {
        const part = slices.filter(({ target }) => target === name).length;
        const rate_events_per_s = rateOf(spec, name, before);
        const events =
          rate_events_per_s === null
            ? partOf(this.#sizes.get(spec)!, part, spec)
            : eventsAt(spec, rate_events_per_s);
        const onProgress = (acknowledged: number) => at(i + Math.min(1, acknowledged / events));
        const load = { spec, generator, events, rate_events_per_s, onProgress };
        slices.push(await servers.get(name)!.measure(load));
        at(i + 1);
      }
      return order.map((name) => describe(name, spec, slices)).join('; ');
    });
    return slices;
  }
}

/** Returns the number of warm-up events; `null` when the rate of an open loop determines it. */
function warmUpOf({ mode, rate, workload }: Spec): number | null {
  if (workload.warmup_events !== null || rate !== null) return workload.warmup_events;
  return UNSIZED_WARM_UP[mode === 'single' ? 'single' : 'batch'];
}

/**
 * Returns the requested events/s; `null` in a closed loop. A share refers to the server's own throughput in this round.
 */
function rateOf(spec: Spec, name: TargetName, before: ReadonlyMap<Spec, readonly Slice[]>): number | null {
  const { rate, throughput_of } = spec;
  if (rate === null) return null;
  if (rate.kind === 'fixed') return rate.events_per_s;
  const [, closed] = [...before].find(([other]) => other.name === throughput_of)!;
  const own = closed.filter(({ target }) => target === name).map(throughput);
  return Math.round(median(own)! * rate.share);
}

/** Returns the number of events of a slice at a rate, rounded up to whole requests. */
function eventsAt({ workload }: Spec, rate: number): number {
  const { batch_size, duration_s } = workload;
  return Math.ceil((rate * duration_s!) / batch_size) * batch_size;
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
