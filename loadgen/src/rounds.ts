/**
 * All rounds of a plan, one after the other: nothing else of this program runs while one is measured.
 *
 * What must stay true: every round gets the same events, and both servers promise the same in every round;
 * a run in which one of them does not is over.
 */

import type { Driver } from './drivers/driver.ts';
import { formatValue } from './export/format.ts';
import { BenchFailure } from './failure.ts';
import { checkSamePromises } from './health.ts';
import type { Launch } from './launch.ts';
import { throughput } from './metrics.ts';
import type { Plan } from './plan.ts';
import type { PoolFacts, PoolSource } from './pool.ts';
import { createProbe } from './probe.ts';
import type { Progress } from './progress.ts';
import { runRound } from './round.ts';
import type { Sample } from './sample.ts';

const REQUEST_TIMEOUT_S = 30;

export interface RoundsContext {
  readonly launch: Launch;
  readonly driver: Driver;
  readonly progress: Progress;
  readonly source: PoolSource;
  /** What the source gives, read once before; every round must get the same. */
  readonly payload: PoolFacts;
}

export async function runRounds(plan: Plan, context: RoundsContext): Promise<Sample[]> {
  const { options } = context.launch;
  const probe = createProbe();
  const job = {
    pool: context.source,
    batchSize: options.batchSize,
    connections: options.concurrency,
    timeout_s: REQUEST_TIMEOUT_S,
  };
  const samples: Sample[] = [];
  for (const [i, name] of plan.order.entries()) {
    const round = i + 1;
    const step = context.progress.begin(`round ${round}/${plan.order.length} ${name}`, options.events);
    try {
      const done = await runRound(round, name, {
        ...context,
        job,
        probe,
        onProgress: (events) => step.at(events),
      });
      if (done.pool.sha256 !== context.payload.sha256) {
        throw new BenchFailure(
          'payload_differs',
          `round ${round} had other events than were read before the run`,
        );
      }
      samples.push(done.sample);
      checkSamePromises(
        new Map(samples.map((sample) => [`round ${sample.round} (${sample.target})`, sample.health])),
      );
      step.done(describe(done.sample));
    } catch (error) {
      step.abandon();
      throw error;
    }
  }
  return samples;
}

function describe(sample: Sample): string {
  const latency = sample.measured.latency;
  const p99 = latency === null ? '' : `, p99 ${formatValue(latency.p99_ms, 'ms')}`;
  const took = (sample.measured.duration_ms / 1000).toFixed(1);
  return `${formatValue(throughput(sample), 'events_per_s')} for ${took} s${p99}, all ${sample.audit.stored_events} found`;
}
