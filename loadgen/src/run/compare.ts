/**
 * The steps of the comparison: plan, build, verify, measure, store the same rows without HTTP, summarise, report.
 *
 * The servers are a parameter, so that tests can compare others. Exit codes are those of `cli/compare-command.ts`.
 */

import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { buildStale } from '@twin-ingest/testkit/servers/build.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type Findings, measurementOf, startupOf } from '../analyse/measurement.ts';
import { checkThresholds, outcomeHolds } from '../analyse/threshold.ts';
import { runWarningsOf } from '../analyse/warnings.ts';
import { createCeilings } from '../ceilings/ceilings.ts';
import { BenchFailure } from '../failure.ts';
import type { DriverFacts } from '../load/drivers/driver.ts';
import { findK6 } from '../load/drivers/k6-find.ts';
import { findWrk } from '../load/drivers/wrk-find.ts';
import { loadPool, type PoolFacts } from '../load/pool.ts';
import { readEnvironment } from '../observe/environment.ts';
import { deployedSize } from '../observe/size.ts';
import type { Options } from '../plan/options.ts';
import { shownFlags } from '../plan/parse.ts';
import { generatorCores } from '../plan/placement.ts';
import { describePlan, makePlan, type Plan } from '../plan/plan.ts';
import type { Spec } from '../plan/spec.ts';
import { keepUnfinished, writeOutputs } from '../report/outputs.ts';
import { type Measurement, type Result, SCHEMA_VERSION } from '../result/result.ts';
import { EffectiveSettings } from '../verify/effective-settings.ts';
import { verify } from '../verify/preflight.ts';
import { type Contenders, programsOf } from './contenders.ts';
import { portion, runCycles } from './cycles.ts';
import type { Launch, ServerOptions } from './launch.ts';
import { createProgress, type Progress } from './progress.ts';
import type { Rounds } from './rounds.ts';
import { addStarts, measureStarts, type Starts } from './start-up.ts';
import { createWorkers, poolOf, type Workers } from './workers.ts';

export async function compare(
  argv: readonly string[],
  options: Options,
  contenders: Contenders,
  lifetime: Lifetime,
): Promise<number> {
  const started = performance.now();
  const progress = createProgress(process.stderr);
  const environment = readEnvironment();
  const k6 = findK6();
  const wrk = options.driver === 'wrk' ? findWrk() : null;
  if (options.driver === 'wrk' && wrk === null)
    throw new BenchFailure('generator_failed', 'wrk was not found: install it, or name it in $WRK_BIN');
  if (k6 !== null && options.mode === 'soak' && options.given.has('concurrency')) {
    process.stderr.write(
      'bench:compare: --concurrency has no meaning with k6, which opens a connection for each request under way\n',
    );
    return 2;
  }
  const plan = makePlan(options, { k6: k6 !== null });
  for (const line of describePlan(plan, options)) progress.say(line);
  const { placement, targets } = plan;
  const launch: Launch = { contenders, placement, lifetime };

  const payloads = await readPayloads(plan, options);
  const stale = await buildStale(programsOf(contenders, targets), {
    lifetime,
    build: !options.noBuild,
    say: progress.say,
  });
  const settings = new EffectiveSettings();
  const asked = { durability: options.durability, max_metadata_bytes: null };
  await verify(targets, launch, asked, settings);
  progress.say('smoke: every answer as the contract asks');

  const workers = createWorkers({ options, contenders, placement, lifetime, k6, wrk });
  const context = { plan, launch, workers, progress, settings, payloads, options, asked };
  const { starts, findings } = await measure(context);
  const ceilings = createCeilings({ contenders, placement, lifetime, targets, options, progress });
  const measurements: Measurement[] = [startupOf(starts.times, starts.order)];
  for (const found of findings) {
    const ceiling = await ceilings.indexFor(found.spec, found);
    measurements.push(measurementOf({ ...found, ceiling }));
  }
  const result = await resultOf({
    argv,
    plan,
    contenders,
    environment,
    stale,
    settings,
    measurements,
    started,
  });
  const whole: Result = { ...result, ceilings: ceilings.all };
  const thresholds = checkThresholds(options.thresholds, whole);
  await writeOutputs({ ...whole, thresholds }, plan, options, progress);
  return thresholds.every(outcomeHolds) ? 0 : 3;
}

interface Measuring {
  readonly plan: Plan;
  readonly launch: Launch;
  readonly workers: Workers;
  readonly progress: Progress;
  readonly settings: EffectiveSettings;
  readonly payloads: ReadonlyMap<string, PoolFacts>;
  readonly options: Options;
  readonly asked: ServerOptions;
}

interface Measured {
  readonly starts: Starts;
  /** In the order of the plan. */
  readonly findings: readonly Omit<Findings, 'ceiling'>[];
}

async function measure(context: Measuring): Promise<Measured> {
  const { plan, launch, workers, progress, settings, options, asked } = context;
  const { targets, specs } = plan;
  let starts: Starts = { order: [], times: new Map(targets.map((name) => [name, []])) };
  const unfinished = new Map<string, Measurement>();
  const findingsOf = async (spec: Spec, rounds: Rounds) => {
    const payload = context.payloads.get(payloadKey(spec, options))!;
    const generator_cores = generatorCores(plan.placement);
    return {
      spec,
      targets,
      driver: await driverOf(spec, payload, workers),
      payload,
      rounds,
      generator_cores,
    };
  };
  const measured = await runCycles(specs, {
    launch,
    workers,
    progress,
    targets,
    onHealth: (label, name, health) => settings.add(label, name, health),
    async starts(cycle, cycles) {
      const count = portion(options.starts, cycle, cycles);
      if (count === 0) return;
      starts = addStarts(starts, await measureStarts({ targets, launch, asked, count, progress }));
      unfinished.set('startup', startupOf(starts.times, starts.order));
    },
    async onRounds(spec, rounds) {
      const findings = await findingsOf(spec, rounds);
      await keepUnfinished([
        ...unfinished.set(spec.name, measurementOf({ ...findings, ceiling: null })).values(),
      ]);
    },
  });
  const findings = await Promise.all([...measured].map(([spec, rounds]) => findingsOf(spec, rounds)));
  return { starts, findings };
}

/** Fails unless the generator sent the events that were read before the run. */
async function driverOf(spec: Spec, payload: PoolFacts, workers: Workers): Promise<DriverFacts> {
  const generator = await workers.generator(spec);
  if (generator.pool.sha256 !== payload.sha256)
    throw new BenchFailure('payload_differs', `${spec.name} had other events than were read before the run`);
  return workers.driver(spec.driver).facts;
}

function payloadKey(spec: Spec, options: Options): string {
  return JSON.stringify(poolOf(spec, options));
}

/** Reads the events once before anything is started, so that a broken corpus is reported at once. */
async function readPayloads(plan: Plan, options: Options): Promise<Map<string, PoolFacts>> {
  const payloads = new Map<string, PoolFacts>();
  for (const spec of plan.specs) {
    const key = payloadKey(spec, options);
    if (payloads.has(key)) continue;
    try {
      payloads.set(key, (await loadPool(poolOf(spec, options))).facts);
    } catch (error) {
      // A file that is no gzip after all, or a folder, is as much the corpus's fault as a line of it.
      throw new BenchFailure('corpus_unusable', error instanceof Error ? error.message : String(error));
    }
  }
  return payloads;
}

interface Parts {
  readonly argv: readonly string[];
  readonly plan: Plan;
  readonly contenders: Contenders;
  readonly environment: ReturnType<typeof readEnvironment>;
  readonly stale: readonly TargetName[];
  readonly settings: EffectiveSettings;
  readonly measurements: readonly Measurement[];
  readonly started: number;
}

async function resultOf(parts: Parts): Promise<Omit<Result, 'ceilings'>> {
  const { plan, contenders, environment, stale } = parts;
  const { placement } = plan;
  const servers = await Promise.all(
    plan.targets.map(async (name) => {
      const target = contenders.targets[name];
      const facts = {
        label: target.label,
        health: parts.settings.of(name),
        deployed: await deployedSize(target),
      };
      return [name, facts] as const;
    }),
  );
  return {
    schema_version: SCHEMA_VERSION,
    created_at: new Date().toISOString(),
    took_s: (performance.now() - parts.started) / 1000,
    flags: shownFlags(parts.argv),
    environment,
    placement,
    servers: Object.fromEntries(servers),
    measurements: parts.measurements,
    thresholds: [],
    warnings: runWarningsOf({ placement, environment, stale }),
  };
}
