/**
 * Runs a comparison: plan, build, verify, measure, measure the ceilings, summarise, report.
 *
 * The servers are a parameter, so that tests can compare others. Exit codes are those of `cli/compare-command.ts`.
 */

import { Interrupted } from '@twin-ingest/testkit/process/failure.ts';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { buildStale } from '@twin-ingest/testkit/servers/build.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { measurementOf } from '../analyse/measurement.ts';
import { runWarningsOf } from '../analyse/warnings.ts';
import { type Ceilings, createCeilings } from '../ceilings/ceilings.ts';
import { BenchFailure } from '../failure.ts';
import type { DriverFacts } from '../load/drivers/driver.ts';
import { findK6, findWrk } from '../load/drivers/find.ts';
import { loadPool, type PoolFacts } from '../load/pool.ts';
import { readEnvironment } from '../observe/environment.ts';
import { deployedSize } from '../observe/size.ts';
import type { Options } from '../plan/options.ts';
import { shownFlags } from '../plan/parse.ts';
import { generatorCores } from '../plan/placement.ts';
import { describePlan, makePlan, type Plan, shownTime } from '../plan/plan.ts';
import type { Spec } from '../plan/spec.ts';
import { printPartial, writeOutputs } from '../report/outputs.ts';
import { headlineText } from '../report/terminal.ts';
import { type RawMeasurement, type RawResult, SCHEMA_VERSION } from '../result/result.ts';
import { EffectiveSettings } from '../verify/effective-settings.ts';
import { verify } from '../verify/preflight.ts';
import { type Contenders, programsOf } from './contenders.ts';
import { type Measured, portion, runCycles } from './cycles.ts';
import type { Launch } from './host.ts';
import { createProgress } from './progress.ts';
import { Starts } from './start-up.ts';
import { createWorkers, poolOf, type Workers } from './workers.ts';

export async function compare(
  argv: readonly string[],
  options: Options,
  contenders: Contenders,
  lifetime: Lifetime,
): Promise<number> {
  const started = performance.now();
  const progress = createProgress(process.stderr);
  const environment = readEnvironment({ isCheckout: contenders.scratch !== null });
  const k6 = findK6();
  // A test's own generator replaces autocannon, so wrk must not be used.
  const wrk =
    options.driver === 'autocannon' || contenders.closedLoopProgram !== undefined ? null : findWrk();
  if (options.driver === 'wrk' && wrk === null)
    throw new BenchFailure('generator_failed', 'wrk was not found: install it, or name it in $WRK_BIN');
  if (k6 !== null && options.mode === 'soak' && options.given.has('concurrency')) {
    process.stderr.write(
      'bench:compare: --concurrency has no meaning with k6, which opens a connection for each request under way\n',
    );
    return 2;
  }
  const plan = makePlan(options, { k6: k6 !== null, wrk: wrk !== null });
  for (const line of describePlan(plan, options, contenders.scratch !== null)) progress.say(line);
  const { placement, targets } = plan;
  const hasPlain = plan.specs.some(({ servers }) => servers === 'plain');

  const payloads = await readPayloads(plan, options);
  const stale = await buildStale(programsOf(contenders, targets, { plain: hasPlain }), {
    lifetime,
    build: !options.noBuild,
    say: progress.say,
  });
  const product: Launch = { contenders, placement, lifetime };
  const plain: Launch = { ...product, contenders: { ...contenders, targets: contenders.plain } };
  const settings = { product: new EffectiveSettings(), plain: new EffectiveSettings() };
  const { durability } = options;
  await verify(targets, product, durability, settings.product);
  progress.say('smoke: every answer as the contract asks');

  const workers = createWorkers({ options, contenders, placement, lifetime, k6, wrk });
  const starts = new Starts({ targets, launch: product, durability, progress });
  const facts = { argv, plan, contenders, environment, stale, settings: settings.product, started };
  const ceilings = createCeilings({ contenders, placement, lifetime, targets, options, progress });
  const resultOfRounds = async (measured: Measured, ceilingOf?: Ceilings['indexFor']): Promise<RawResult> => {
    const measurements: RawMeasurement[] = [starts.measurement()];
    for (const [spec, rounds] of measured) {
      const payload = payloads.get(payloadKey(spec, options))!;
      const driver = await driverOf(spec, payload, workers);
      const found = { spec, targets, driver, payload, rounds, generator_cores: generatorCores(placement) };
      measurements.push(measurementOf({ ...found, ceiling: (await ceilingOf?.(spec, found)) ?? null }));
    }
    return resultOf({ ...facts, measurements });
  };
  let latest: RawResult | null = null;
  const begun = performance.now();
  try {
    const measured = await runCycles(plan.specs, {
      launchOf: ({ servers }) => (servers === 'plain' ? plain : product),
      workers,
      progress,
      targets,
      onHealth: ({ servers }, label, name, health) => settings[servers].add(label, name, health),
      async starts(cycle, cycles) {
        await starts.run(portion(options.starts, cycle, cycles));
        latest ??= await resultOfRounds(new Map());
      },
      onCycle(cycle, cycles) {
        if (cycle === 0) return;
        const left_s = (((performance.now() - begun) / cycle) * (cycles - cycle)) / 1000;
        progress.say(`round ${cycle + 1} of ${cycles}, about ${shownTime(left_s)} left`);
      },
      async onMeasured(soFar, isLast) {
        latest = await resultOfRounds(soFar);
        if (!isLast && !options.json) progress.say(headlineText(latest));
      },
    });
    const whole = { ...(await resultOfRounds(measured, ceilings.indexFor)), ceilings: ceilings.all };
    const files = { out: plan.out, scratch: contenders.scratch };
    await writeOutputs(whole, files, options, progress);
    return 0;
  } catch (error) {
    if (error instanceof Interrupted && latest !== null && !options.json)
      printPartial(latest, contenders.scratch !== null);
    throw error;
  }
}

/** Returns the facts of the driver. Fails unless its generator has the same events as were read before the run. */
async function driverOf(spec: Spec, payload: PoolFacts, workers: Workers): Promise<DriverFacts> {
  const generator = await workers.generator(spec);
  if (generator.pool.sha256 !== payload.sha256)
    throw new BenchFailure('payload_differs', `${spec.name} had other events than were read before the run`);
  return workers.driver(spec.driver).facts;
}

function payloadKey(spec: Spec, options: Options): string {
  return JSON.stringify(poolOf(spec, options));
}

/** Reads the events of all measurements before anything is started, so that a broken corpus is reported at once. */
async function readPayloads(plan: Plan, options: Options): Promise<Map<string, PoolFacts>> {
  const payloads = new Map<string, PoolFacts>();
  for (const spec of plan.specs) {
    const key = payloadKey(spec, options);
    if (payloads.has(key)) continue;
    try {
      payloads.set(key, (await loadPool(poolOf(spec, options))).facts);
    } catch (error) {
      // Every error is one of the corpus: a broken line, a folder, or a file that is not valid gzip.
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
  readonly measurements: readonly RawMeasurement[];
  readonly started: number;
}

async function resultOf(parts: Parts): Promise<RawResult> {
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
    raw: null,
    ceilings: [],
    measurements: parts.measurements,
    thresholds: [],
    warnings: runWarningsOf({ placement, environment, stale }),
  };
}
