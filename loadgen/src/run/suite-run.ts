/**
 * The steps that all suites share: choose the result file, build, check effective settings, run scenarios, write the
 * result. A failed run writes no result.
 */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { buildStale, type NamedProgram } from '@twin-ingest/testkit/servers/build.ts';
import { ROOT, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Warning } from '../analyse/warning.ts';
import { runWarningsOf, STOLEN, warningOf } from '../analyse/warnings.ts';
import { BenchFailure } from '../failure.ts';
import { readEnvironment } from '../observe/environment.ts';
import { machineLoad, readMachine } from '../observe/probe.ts';
import { choosePlacement } from '../plan/placement.ts';
import type { SuiteName, SuiteOptions } from '../plan/suite-options.ts';
import { resultFile, suiteFile } from '../result/files.ts';
import { readableJson, rounded, writeChecked } from '../result/json.ts';
import type { SuiteFacts, SuiteServer } from '../result/suite-rows.ts';
import { EffectiveSettings, readHealth } from '../verify/health.ts';
import type { Contenders } from './contenders.ts';
import { Host, type Launch, withHost } from './host.ts';
import { createProgress } from './progress.ts';

export interface SuiteSetup {
  readonly name: SuiteName;
  readonly options: SuiteOptions<string>;
  readonly scenarios: readonly string[];
  readonly contenders: Contenders;
  readonly lifetime: Lifetime;
  /** Programs to build in addition to the servers. */
  readonly programs?: readonly NamedProgram[];
  readonly serverFlags?: readonly string[];
}

/** Builds stale programs, reads the settings of each server, and returns the next steps of a suite. */
export async function startSuite(setup: SuiteSetup) {
  const { name: suite, options, contenders, lifetime, programs = [], serverFlags = [] } = setup;
  const started = performance.now();
  const progress = createProgress(process.stderr);
  const environment = readEnvironment();
  const placement = choosePlacement();
  const launch: Launch = { contenders, placement, lifetime };
  const file = resultFile(suiteFile(suite), options, environment, contenders.checkout ?? ROOT);
  progress.say(placement.reason);
  progress.say(`The result goes to ${file}`);
  const own = options.targets.map((name) => ({ name, program: contenders.targets[name] }));
  const building = { lifetime, build: options.build, say: progress.say };
  const stale = await buildStale([...own, ...programs], building);
  const settings = new EffectiveSettings();
  const servers: Partial<Record<TargetName, SuiteServer>> = {};
  for (const name of options.targets)
    await withHost(Host.start(name, launch, { flags: serverFlags }), async ({ url }) => {
      const health = await readHealth(url);
      settings.add(name, health);
      servers[name] = { label: contenders.targets[name].label, health };
    });
  const before = await readMachine();

  return {
    launch,
    progress,

    /** Runs one part and reports its duration. A failure contains the label of the part. */
    async timed(label: string, work: () => Promise<unknown>): Promise<void> {
      const from = performance.now();
      try {
        await lifetime.orInterrupted(work());
      } catch (error) {
        if (!(error instanceof BenchFailure)) throw error;
        throw new BenchFailure(error.code, `${label}: ${error.message}`, error.details);
      }
      progress.say(`${label}: ${((performance.now() - from) / 1000).toFixed(1)} s`);
    },

    facts: (): SuiteFacts => ({
      created_at: new Date().toISOString(),
      took_s: (performance.now() - started) / 1000,
      flags: options.flags,
      environment,
      placement,
      servers,
    }),

    /** Returns warnings about the machine, the build, the size of the run, and time that was stolen during the run. */
    async warnings(): Promise<Warning[]> {
      const found = runWarningsOf({ placement, environment }, stale);
      if (options.size === 'quick')
        found.push(warningOf('few_rounds', 'a quick run: counts too small for a claim'));
      const stolen = machineLoad(before, await readMachine(), null).stolen_share ?? 0;
      const share = `${(stolen * 100).toFixed(1)} % of the cores' time was given to others`;
      if (stolen > STOLEN) found.push(warningOf('stolen_time', share));
      return found;
    },

    async finish(result: object, shown: () => string): Promise<void> {
      await writeChecked(readableJson(rounded(result)), file, `#/$defs/${suite}`);
      process.stdout.write(options.json ? readableJson(result) : shown());
      progress.say(`written: ${file}`);
    },
  };
}
