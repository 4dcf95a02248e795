/**
 * The steps that all suites share: choose the result file, build, check effective settings, run scenarios, write the
 * result.
 *
 * Invariants: while a suite runs, a file contains the rows so far. A failed run writes no result.
 */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { buildStale, type NamedProgram } from '@twin-ingest/testkit/servers/build.ts';
import { ROOT, TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Warning } from '../analyse/warning.ts';
import { runWarningsOf, STOLEN, warningOf } from '../analyse/warnings.ts';
import { BenchFailure } from '../failure.ts';
import { type Environment, readEnvironment } from '../observe/environment.ts';
import { type MachineTicks, machineLoad, readMachine } from '../observe/machine.ts';
import { shownFlags } from '../plan/parse.ts';
import { choosePlacement } from '../plan/placement.ts';
import type { SuiteName, SuiteOptions } from '../plan/suite-options.ts';
import { readableJson } from '../result/json.ts';
import { putPart, suiteFile } from '../result/part-file.ts';
import type { SuiteFacts, SuiteServer } from '../result/suite-rows.ts';
import { EffectiveSettings, readHealth } from '../verify/health.ts';
import { type Contenders, programsOf } from './contenders.ts';
import { Host, type Launch, withHost } from './host.ts';
import { createProgress, type Progress } from './progress.ts';

export interface SuiteSetup {
  readonly name: SuiteName;
  readonly argv: readonly string[];
  readonly options: SuiteOptions<string>;
  readonly scenarios: readonly string[];
  readonly contenders: Contenders;
  readonly lifetime: Lifetime;
  /** Programs to build in addition to the servers. */
  readonly programs?: readonly NamedProgram[];
  readonly serverFlags?: readonly string[];
}

interface Place {
  readonly file: string;
  /** Reasons why the file is not the committed result; empty when it is, or when `--out` names the file. */
  readonly reasons: readonly string[];
  /** File with the rows so far while the suite runs. It remains when the suite fails. */
  readonly unfinished: string;
}

export class SuiteRun {
  readonly launch: Launch;
  readonly progress: Progress;
  readonly #setup: SuiteSetup;
  readonly #started = performance.now();
  readonly #environment: Environment;
  readonly #place: Place;
  #stale: readonly TargetName[] = [];
  #servers: SuiteFacts['servers'] = {};
  #before: MachineTicks | null = null;

  private constructor(setup: SuiteSetup) {
    this.#setup = setup;
    this.progress = createProgress(process.stderr);
    this.#environment = readEnvironment();
    this.#place = placeOf(setup, this.#environment);
    this.launch = {
      contenders: setup.contenders,
      placement: choosePlacement(),
      lifetime: setup.lifetime,
    };
  }

  /** Builds stale programs and reads the settings of each server. */
  static async start(setup: SuiteSetup): Promise<SuiteRun> {
    const run = new SuiteRun(setup);
    const { options, contenders, lifetime } = setup;
    const { file, reasons } = run.#place;
    run.progress.say(run.launch.placement.reason);
    run.progress.say(
      reasons.length > 0
        ? `the committed result stays (${reasons.join(', ')}); this one goes to ${file}`
        : `the result goes to ${file}`,
    );
    const servers = programsOf({ ...contenders, ceilings: null }, options.targets);
    run.#stale = await buildStale([...servers, ...(setup.programs ?? [])], {
      lifetime,
      build: options.build,
      say: run.progress.say,
    });
    run.#servers = await settingsOf(options.targets, run.launch, setup.serverFlags ?? []);
    return run;
  }

  /** Removes the rows of an earlier run, which would be misleading. */
  async begin(): Promise<void> {
    await rm(this.unfinished, { force: true });
    this.#before = await readMachine();
  }

  /** Runs one part and reports its duration. A failure contains the label of the part. */
  async timed(label: string, work: () => Promise<unknown>): Promise<void> {
    const from = performance.now();
    try {
      await this.launch.lifetime.orInterrupted(work());
    } catch (error) {
      if (!(error instanceof BenchFailure)) throw error;
      throw new BenchFailure(error.code, `${label}: ${error.message}`, error.details);
    }
    this.progress.say(`${label}: ${((performance.now() - from) / 1000).toFixed(1)} s`);
  }

  /** Stores the rows so far, so that a late failure does not lose them. No result is made from this file. */
  async keep(rows: readonly object[]): Promise<void> {
    await mkdir(dirname(this.unfinished), { recursive: true });
    await writeFile(this.unfinished, readableJson(rows));
  }

  get unfinished(): string {
    return this.#place.unfinished;
  }

  facts(): SuiteFacts {
    return {
      created_at: new Date().toISOString(),
      took_s: (performance.now() - this.#started) / 1000,
      flags: shownFlags(this.#setup.argv),
      environment: this.#environment,
      placement: this.launch.placement,
      servers: this.#servers,
    };
  }

  /** Returns warnings about the machine, the build, the size of the run, and time that was stolen since `begin`. */
  async warnings(): Promise<Warning[]> {
    const { placement } = this.launch;
    const grounds = { placement, environment: this.#environment, stale: this.#stale };
    const quick = this.#setup.options.size === 'quick';
    return [
      ...runWarningsOf(grounds),
      ...(quick ? [warningOf('few_rounds', 'a quick run: counts too small for a claim')] : []),
      ...stolenWarnings(this.#before, await readMachine()),
    ];
  }

  async finish(result: object, shown: () => string): Promise<void> {
    const { name, options } = this.#setup;
    await putPart(name, result, this.#place.file);
    await rm(this.unfinished, { force: true });
    process.stdout.write(options.json ? readableJson(result) : shown());
    this.progress.say(`written: ${this.#place.file}`);
  }
}

function stolenWarnings(before: MachineTicks | null, after: MachineTicks | null): Warning[] {
  const stolen = machineLoad(before, after, null).stolen_share ?? 0;
  if (stolen <= STOLEN) return [];
  return [warningOf('stolen_time', `${(stolen * 100).toFixed(1)} % of the cores' time was given to others`)];
}

/**
 * Chooses the result file. Only a default run on committed sources replaces the committed result, which documents show.
 */
export function placeOf(
  { name, options, scenarios }: Pick<SuiteSetup, 'name' | 'options' | 'scenarios'>,
  { commit, dirty }: Environment,
): Place {
  if (options.out !== undefined) {
    const file = resolve(options.out);
    return { file, reasons: [], unfinished: `${file}.unfinished` };
  }
  const reasons = [
    ...(options.size === 'quick' ? ['a quick run'] : []),
    ...(options.size === 'all' ? ['the whole matrix'] : []),
    ...(options.targets.length < TARGET_NAMES.length ? ['one server alone'] : []),
    ...(options.scenarios.length < scenarios.length ? ['not all scenarios'] : []),
    ...(options.build ? [] : ['not built from these sources']),
    ...(commit === null || dirty !== false ? ['sources that are not committed'] : []),
  ];
  const file = resolve(ROOT, reasons.length === 0 ? suiteFile(name) : `.bench/${name}.json`);
  return { file, reasons, unfinished: resolve(ROOT, `.bench/unfinished-${name}.json`) };
}

async function settingsOf(
  targets: readonly TargetName[],
  launch: Launch,
  flags: readonly string[],
): Promise<SuiteFacts['servers']> {
  const settings = new EffectiveSettings();
  const servers: Partial<Record<TargetName, SuiteServer>> = {};
  for (const name of targets) {
    await withHost(Host.start(name, launch, { flags }), async ({ url }) => {
      const health = await readHealth(url);
      settings.add(name, name, health);
      servers[name] = { label: launch.contenders.targets[name].label, health };
    });
  }
  return servers;
}
