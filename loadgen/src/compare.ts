/**
 * The comparison as a story: plan, build, verify, measure starts, run the rounds, summarise, export.
 *
 * Takes its servers as a parameter, and gives back an exit code: 0 compared, 1 failed, 2 wrong flag,
 * 130 interrupted. What must stay true: whatever ends it, its children and folders are gone afterwards.
 */
import type { TargetName } from '../../parity-tests/src/targets.ts';
import { build, freshnessOf } from './build.ts';
import type { Contenders } from './contenders.ts';
import { autocannonDriver } from './drivers/autocannon.ts';
import { readEnvironment } from './environment.ts';
import { resultJson, writeResult } from './export/json.ts';
import { terminalReport } from './export/terminal.ts';
import { BenchFailure, Interrupted } from './failure.ts';
import { checkSamePromises, type Health, readHealth } from './health.ts';
import { type Launch, launch } from './launch.ts';
import { Lifetime } from './lifetime.ts';
import { type Options, parseOptions } from './options.ts';
import { describePlan, makePlan, type Plan } from './plan.ts';
import { loadPool, type PoolFacts, type PoolSource } from './pool.ts';
import { createProgress, type Progress } from './progress.ts';
import { makeResult } from './result.ts';
import { runRounds } from './rounds.ts';
import { deployedSize } from './size.ts';
import { measureStart } from './startup.ts';
import { compareSmoke, type Exchange, runSmoke } from './verify.ts';

export async function compare(argv: readonly string[], contenders: Contenders): Promise<number> {
  const parsed = parseOptions(argv);
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  if (parsed.kind === 'invalid') {
    process.stderr.write(parsed.problems.map((problem) => `bench:compare: ${problem}\n`).join(''));
    return 2;
  }
  const lifetime = new Lifetime();
  const interrupt = () => lifetime.interrupt();
  process.on('SIGINT', interrupt).on('SIGTERM', interrupt);
  try {
    await run(parsed.options, contenders, lifetime);
    return 0;
  } catch (error) {
    return report(error, lifetime);
  } finally {
    await lifetime.end();
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt);
  }
}

async function run(options: Options, contenders: Contenders, lifetime: Lifetime): Promise<void> {
  const progress = createProgress(process.stderr);
  const environment = readEnvironment();
  const plan = makePlan(options);
  for (const line of describePlan(plan, options)) progress.say(line);
  const how: Launch = { contenders, options, placement: plan.placement, lifetime };

  const source = { corpus: options.corpus, seed: options.seed, most: options.events + options.warmup };
  const payload = await readPayload(source);
  const stale = await buildStale(plan, how, progress);
  await verify(plan, how);
  progress.say('smoke: every answer as the contract asks');
  const starts = await measureStarts(plan, how, progress);
  const driver = autocannonDriver(plan.placement, lifetime);
  const samples = await runRounds(plan, { launch: how, driver, progress, source, payload });
  const deployed = new Map(
    await Promise.all(
      plan.targets.map(async (name) => [name, await deployedSize(contenders.targets[name])] as const),
    ),
  );
  const created = new Date();
  const findings = { options, plan, driver, environment, payload, starts, deployed, samples, stale, created };
  const result = makeResult(findings, contenders);
  await writeResult(result, plan.out);
  process.stdout.write(options.json ? resultJson(result) : terminalReport(result));
  progress.say(`written: ${plan.out}`);
}

/** Reads the events once before anything is started, so that a broken corpus is told at once. */
async function readPayload(source: PoolSource): Promise<PoolFacts> {
  try {
    return (await loadPool(source)).facts;
  } catch (error) {
    // A file that is no gzip after all, or a folder, is as much the corpus's fault as a line of it.
    throw new BenchFailure('corpus_unusable', error instanceof Error ? error.message : String(error));
  }
}

/** Builds what is not fresh; with --no-build, what is stale is measured and named. */
async function buildStale(plan: Plan, how: Launch, progress: Progress): Promise<TargetName[]> {
  const stale: TargetName[] = [];
  for (const name of plan.targets) {
    const target = how.contenders.targets[name];
    const freshness = await freshnessOf(target);
    if (freshness === 'fresh') continue;
    if (how.options.build) {
      progress.say(`${name}: ${freshness}, so pnpm ${target.build} runs`);
      await build(target, how.lifetime);
    } else if (freshness === 'stale') stale.push(name);
    else throw new BenchFailure('not_built', `${name} is not built; pnpm ${target.build} builds it`);
  }
  return stale;
}

/** Both answer alike and promise the same, or nothing is measured. */
async function verify(plan: Plan, how: Launch): Promise<void> {
  const answers = new Map<string, Exchange[]>();
  const promises = new Map<string, Health>();
  for (const name of plan.targets) {
    const launched = await launch(name, how);
    promises.set(name, await readHealth(launched.server.url));
    answers.set(name, await runSmoke(name, launched.server.url));
    await launched.stop();
    await launched.discard();
  }
  checkSamePromises(promises);
  compareSmoke(answers);
}

/** Starts in turn, so that a warm file cache favours neither. */
async function measureStarts(
  plan: Plan,
  how: Launch,
  progress: Progress,
): Promise<Map<TargetName, number[]>> {
  const starts = new Map<TargetName, number[]>(plan.targets.map((name) => [name, []]));
  const step = progress.begin('starts', how.options.starts * plan.targets.length);
  try {
    for (let i = 0; i < how.options.starts; i++) {
      for (const name of plan.targets) starts.get(name)!.push(await measureStart(name, how));
      step.at((i + 1) * plan.targets.length);
    }
  } catch (error) {
    step.abandon();
    throw error;
  }
  step.done(`${how.options.starts} a server`);
  return starts;
}

function report(error: unknown, lifetime: Lifetime): number {
  if (error instanceof Interrupted || lifetime.signal.aborted) {
    process.stderr.write('bench:compare: interrupted\n');
    return 130;
  }
  if (error instanceof BenchFailure) {
    process.stderr.write(`bench:compare: ${error.code}: ${error.message}\n`);
    for (const line of error.details) process.stderr.write(`  ${line}\n`);
  } else process.stderr.write(`bench:compare: ${error instanceof Error ? error.stack : String(error)}\n`);
  return 1;
}
