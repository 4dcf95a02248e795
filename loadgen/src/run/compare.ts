/**
 * Runs a comparison: plan, build, verify, measure, measure the ceilings, summarise, report.
 *
 * The servers are a parameter, so that tests can compare others. Exit codes are those of `cli/compare-command.ts`.
 *
 * Each cycle has some starts, then one round of each group (decision 68). Invariant: rounds of a group are one cycle
 * apart, so that their interval includes the drift of the machine.
 */
import { Interrupted } from '@twin-ingest/testkit/process/failure.ts';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { buildStale } from '@twin-ingest/testkit/servers/build.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { measurementOf } from '../analyse/measurement.ts';
import { runWarningsOf } from '../analyse/warnings.ts';
import { createCeilings } from '../ceilings/ceilings.ts';
import { BenchFailure } from '../failure.ts';
import { findK6, findWrk } from '../load/drivers/program.ts';
import { loadPool } from '../load/pool.ts';
import { readEnvironment } from '../observe/environment.ts';
import { deployedSize } from '../observe/size.ts';
import { shownFlags } from '../plan/parse.ts';
import { generatorCores } from '../plan/placement.ts';
import { describePlan, makePlan } from '../plan/plan.ts';
import type { Options, Spec } from '../plan/spec.ts';
import { groupsOf } from '../plan/suite.ts';
import { printPartial, writeOutputs } from '../report/outputs.ts';
import { headlineText } from '../report/terminal.ts';
import { RESULT, resultFile, SOAK, scratchOf } from '../result/files.ts';
import { type RawMeasurement, type RawResult, SCHEMA_VERSION, type ServerFacts } from '../result/result.ts';
import { EffectiveSettings } from '../verify/health.ts';
import { verify } from '../verify/smoke.ts';
import type { Contenders } from './contenders.ts';
import type { Launch } from './host.ts';
import { createProgress } from './progress.ts';
import { createGroup, portion } from './round.ts';
import { createStarts } from './start-up.ts';
import { createWorkers, poolOf } from './workers.ts';

export async function compare(
  argv: readonly string[],
  options: Options,
  contenders: Contenders,
  lifetime: Lifetime,
): Promise<number> {
  const started = performance.now();
  const { checkout } = contenders;
  const { targets, json } = options;
  const progress = createProgress(process.stderr);
  const environment = readEnvironment({ isCheckout: checkout !== null });
  const tools = findTools(options, contenders);
  const plan = makePlan(options, { k6: tools.k6 !== null, wrk: tools.wrk !== null });
  const committed = options.mode === 'soak' ? SOAK : RESULT;
  const out = checkout === null ? null : resultFile(committed, options, environment, checkout);
  for (const line of describePlan(plan, options, out)) progress.say(line);
  const { placement, specs } = plan;
  // A broken corpus is reported before anything is built or started.
  const recorded = specs.find(({ corpus }) => corpus !== undefined);
  if (recorded !== undefined) await loadPool(poolOf(recorded, options));

  const building = { lifetime, build: !options.noBuild, say: progress.say };
  const programs = programsOf(contenders, specs).flatMap((own) =>
    targets.map((name) => ({ name, program: own[name] })),
  );
  const stale = await buildStale(programs, building);
  const product: Launch = { contenders, placement, lifetime };
  const plain: Launch = { ...product, contenders: { ...contenders, targets: contenders.plain } };
  const settings = { product: new EffectiveSettings(), plain: new EffectiveSettings() };
  const servers: Partial<Record<TargetName, ServerFacts>> = {};
  for (const [name, health] of await verify(options, product, settings.product)) {
    const target = contenders.targets[name];
    servers[name] = { label: target.label, health, deployed: await deployedSize(target) };
  }
  progress.say('smoke: every answer as the contract asks');

  const workers = createWorkers(product, options, tools);
  const starts = createStarts(product, options, progress);
  const ceilings = createCeilings(product, options, progress);
  const context = { launches: { product, plain }, settings, workers, progress, targets };
  const groups = groupsOf(specs).map((own) => createGroup(own, context));
  const measured = () => groups.flatMap((group) => group.measured());

  /** Returns the result of the rounds so far. */
  const resultOf = async (): Promise<RawResult> => {
    const measurements: RawMeasurement[] = [starts.measurement()];
    for (const [spec, rounds] of measured()) {
      const { facts: driver, pool: payload } = await workers.generator(spec);
      const found = { spec, targets, driver, payload, rounds, generator_cores: generatorCores(placement) };
      measurements.push(measurementOf({ ...found, ceiling: ceilings.indexOf(spec) }));
    }
    return {
      schema_version: SCHEMA_VERSION,
      created_at: new Date().toISOString(),
      took_s: (performance.now() - started) / 1000,
      flags: shownFlags(argv),
      environment,
      placement,
      servers,
      raw: null,
      ceilings: ceilings.all(),
      measurements,
      warnings: runWarningsOf({ placement, environment }, stale),
    };
  };

  const cycles = Math.max(1, ...groups.map(({ rounds }) => rounds));
  const whole_s = groups.reduce((sum, { rounds, round_s }) => sum + rounds * round_s, 0);
  const begun = performance.now();
  let done_s = 0;
  progress.endsIn(plan.estimated_s);
  try {
    for (let cycle = 0; cycle < cycles; cycle++) {
      progress.say(`round ${cycle + 1} of ${cycles}, about ${progress.left()} left`);
      await starts.run(portion(options.starts, cycle, cycles));
      for (const group of groups) {
        // A group with fewer rounds has them in the last cycles.
        const round = cycle - (cycles - group.rounds) + 1;
        if (round < 1) continue;
        await group.run(round);
        done_s += group.round_s;
        progress.endsIn((((performance.now() - begun) / 1000) * (whole_s - done_s)) / done_s);
      }
      if (cycle < cycles - 1 && !json) progress.say(headlineText(await resultOf()));
      await ceilings.measure(measured());
    }
    const files = out === null ? null : { out, scratch: scratchOf(checkout!) };
    await writeOutputs(await resultOf(), files, json, progress);
    return 0;
  } catch (error) {
    // Ctrl-C of a terminal also reaches the generator, whose end may be the error.
    const isInterrupted = error instanceof Interrupted || lifetime.signal.aborted;
    const isEmpty = measured().length === 0 && starts.measurement().order.length === 0;
    if (isInterrupted && !isEmpty && !json) await resultOf().then(printPartial, () => undefined);
    throw error;
  }
}

function findTools({ driver }: Options, { closedLoopProgram }: Contenders) {
  // A test's own generator replaces autocannon, so wrk must not be used.
  const wrk = driver === 'autocannon' || closedLoopProgram !== undefined ? null : findWrk();
  if (driver === 'wrk' && wrk === null)
    throw new BenchFailure('generator_failed', 'wrk was not found: install it, or name it in $WRK_BIN');
  return { k6: findK6(), wrk };
}

/**
 * Returns the programs to build before a run. The build of a ceiling makes the server too, so it comes first: cargo
 * then links both at the same time.
 */
function programsOf({ targets, ceilings, plain }: Contenders, specs: readonly Spec[]) {
  const hasPlain = specs.some(({ servers }) => servers === 'plain');
  return [...(ceilings === null ? [] : [ceilings]), targets, ...(hasPlain ? [plain] : [])];
}
