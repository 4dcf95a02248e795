/**
 * Runs a comparison: plan, build, verify, measure, measure the ceilings, summarise, report.
 *
 * The servers are a parameter, so that tests can compare others. Exit codes are those of `cli/compare-command.ts`.
 */
import { Interrupted } from '@twin-ingest/testkit/process/failure.ts';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { buildStale } from '@twin-ingest/testkit/servers/build.ts';
import { measurementOf } from '../analyse/measurement.ts';
import { runWarningsOf } from '../analyse/warnings.ts';
import { createCeilings } from '../ceilings/ceilings.ts';
import { BenchFailure } from '../failure.ts';
import { findK6, findWrk } from '../load/drivers/program.ts';
import { loadPool } from '../load/pool.ts';
import { readEnvironment } from '../observe/environment.ts';
import { deployedSize } from '../observe/size.ts';
import type { Options } from '../plan/options.ts';
import { shownFlags } from '../plan/parse.ts';
import { generatorCores } from '../plan/placement.ts';
import { describePlan, makePlan, shownTime } from '../plan/plan.ts';
import { printPartial, writeOutputs } from '../report/outputs.ts';
import { headlineText } from '../report/terminal.ts';
import { type RawMeasurement, type RawResult, SCHEMA_VERSION } from '../result/result.ts';
import { EffectiveSettings } from '../verify/health.ts';
import { verify } from '../verify/smoke.ts';
import { type Contenders, programsOf } from './contenders.ts';
import { type Measured, portion, runCycles } from './cycles.ts';
import type { Launch } from './host.ts';
import { createProgress } from './progress.ts';
import { createStarts } from './start-up.ts';
import { poolOf, Workers } from './workers.ts';

export async function compare(
  argv: readonly string[],
  options: Options,
  contenders: Contenders,
  lifetime: Lifetime,
): Promise<number> {
  const started = performance.now();
  const isWritten = contenders.scratch !== null;
  const progress = createProgress(process.stderr);
  const environment = readEnvironment({ isCheckout: isWritten });
  const k6 = findK6();
  // A test's own generator replaces autocannon, so wrk must not be used.
  const { closedLoopProgram } = contenders;
  const wrk = options.driver === 'autocannon' || closedLoopProgram !== undefined ? null : findWrk();
  if (options.driver === 'wrk' && wrk === null)
    throw new BenchFailure('generator_failed', 'wrk was not found: install it, or name it in $WRK_BIN');
  const plan = makePlan(options, { k6: k6 !== null, wrk: wrk !== null });
  for (const line of describePlan(plan, options, isWritten)) progress.say(line);
  const { placement, targets, specs } = plan;
  // A broken corpus is reported before anything is built or started.
  const recorded = specs.find(({ corpus }) => corpus !== undefined);
  if (recorded !== undefined) await loadPool(poolOf(recorded, options));

  const hasPlain = specs.some(({ servers }) => servers === 'plain');
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

  const workers = new Workers({ options, closedLoopProgram, placement, lifetime, k6, wrk });
  const starts = createStarts({ targets, launch: product, durability, progress });
  const ceilings = createCeilings({ contenders, placement, lifetime, targets, options, progress });

  /** Returns the result of the rounds so far. */
  const resultOf = async (measured: Measured): Promise<RawResult> => {
    const measurements: RawMeasurement[] = [starts.measurement()];
    for (const [spec, rounds] of measured) {
      const { facts: driver, pool: payload } = await workers.generator(spec);
      const found = { spec, targets, driver, payload, rounds, generator_cores: generatorCores(placement) };
      measurements.push(measurementOf({ ...found, ceiling: ceilings.indexOf(spec) }));
    }
    const servers: [string, object][] = [];
    for (const name of targets) {
      const target = contenders.targets[name];
      const health = settings.product.of(name);
      servers.push([name, { label: target.label, health, deployed: await deployedSize(target) }]);
    }
    return {
      schema_version: SCHEMA_VERSION,
      created_at: new Date().toISOString(),
      took_s: (performance.now() - started) / 1000,
      flags: shownFlags(argv),
      environment,
      placement,
      servers: Object.fromEntries(servers),
      raw: null,
      ceilings: ceilings.all(),
      measurements,
      thresholds: [],
      warnings: runWarningsOf({ placement, environment, stale }),
    };
  };

  let latest: RawResult | null = null;
  const begun = performance.now();
  try {
    const measured = await runCycles(specs, {
      launchOf: ({ servers }) => (servers === 'plain' ? plain : product),
      workers,
      progress,
      targets,
      onHealth: ({ servers }, label, name, health) => settings[servers].add(label, name, health),
      async onCycle(cycle, cycles, done) {
        if (cycle > 0) {
          const left_s = (((performance.now() - begun) / done) * (1 - done)) / 1000;
          progress.say(`round ${cycle + 1} of ${cycles}, about ${shownTime(left_s)} left`);
        }
        await starts.run(portion(options.starts, cycle, cycles));
        latest ??= await resultOf(new Map());
      },
      async onMeasured(soFar, isLast) {
        latest = await resultOf(soFar);
        if (!isLast && !options.json) progress.say(headlineText(latest));
        await ceilings.measure(soFar);
      },
    });
    const whole = await resultOf(measured);
    const { scratch } = contenders;
    await writeOutputs(whole, { out: plan.out, scratch, json: options.json }, progress);
    return 0;
  } catch (error) {
    if (error instanceof Interrupted && latest !== null && !options.json) printPartial(latest);
    throw error;
  }
}
