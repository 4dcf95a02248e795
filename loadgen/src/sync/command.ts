/**
 * The suite `bench:sync`: runs each scenario with each server.
 *
 * Servers and strategies are parameters, so that tests can pass faulty ones. Invariant: the run ends with 1 if a client
 * was out of sync.
 */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { Latency } from '../load/drivers/driver.ts';
import { readMachine } from '../observe/machine.ts';
import type { SuiteOptions, SuiteUsage } from '../plan/suite-options.ts';
import type { Contenders } from '../run/contenders.ts';
import { SuiteRun } from '../run/suite-run.ts';
import { Poster } from './poster.ts';
import { syncTerminal } from './report.ts';
import {
  type Percentiles,
  SCENARIO_NAMES,
  type ScenarioName,
  type Skipped,
  SYNC_SCHEMA_VERSION,
  type SyncResult,
  type SyncRow,
  type SyncWarning,
} from './result.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios/scenarios.ts';
import { sizesOf } from './sizes.ts';
import type { Strategies } from './strategies/strategy.ts';
import { scenarioWarnings } from './warnings.ts';

export const SYNC: SuiteUsage<ScenarioName> = {
  name: 'sync',
  scenarios: SCENARIO_NAMES,
  about:
    'Measures staying in sync: the shipped client, the invalidation stream and the snapshots of both servers.',
  exit: `Exit: 0 measured, 1 a server or the measurement failed, or a client was out of sync, 2 a flag is wrong,
130 interrupted. A goal that is missed is reported, and is no failure.`,
};

/** The servers and strategies that are measured. Tests pass their own. */
export interface Dependencies {
  readonly contenders: Contenders;
  readonly strategies: Strategies;
}

export async function runSync(
  argv: readonly string[],
  options: SuiteOptions<ScenarioName>,
  { contenders, strategies }: Dependencies,
  lifetime: Lifetime,
): Promise<undefined> {
  const { seed, size, targets } = options;
  const setup = { name: 'sync', argv, options, scenarios: SCENARIO_NAMES, contenders, lifetime } as const;
  const run = await SuiteRun.start(setup);
  const { launch, progress } = run;
  await run.begin();
  const poster = new Poster({ seed, ...launch });
  const common = { launch, sizes: sizesOf(size), seed, strategies, poster };
  const rows: SyncRow[] = [];
  const skipped: Skipped[] = [];
  const warnings: SyncWarning[] = [];
  const measure = async ({ name: scenario, measure: measured }: Scenario, server: TargetName) =>
    measured(server, {
      ...common,
      add: ({ latency, ...row }) => {
        rows.push({ scenario, server, ...row, latency: latency && percentilesOf(latency) });
      },
      skip: (reason) => {
        progress.say(`${scenario} ${server}: skipped: ${reason}`);
        skipped.push({ scenario, server, reason });
      },
    });
  const chosen = SCENARIOS.filter(({ name }) => options.scenarios.includes(name));
  for (const [i, scenario] of chosen.entries()) {
    const before = await readMachine();
    // Each server is first in turn, so that a drift of the machine favours neither.
    for (const server of i % 2 === 0 ? targets : targets.toReversed())
      await run.timed(`${scenario.name} ${server}`, () => measure(scenario, server));
    const own = rows.filter((row) => row.scenario === scenario.name);
    warnings.push(...scenarioWarnings(scenario.name, own, before, await readMachine()));
    await run.keep(rows);
    if (i === 0) progress.say(`rows so far, should it fail: ${run.unfinished}`);
  }
  await poster.close();
  const result: SyncResult = {
    schema_version: SYNC_SCHEMA_VERSION,
    ...run.facts(),
    seed,
    quick: size === 'quick',
    rows,
    skipped,
    warnings: [...run.runWarnings().map((one) => ({ ...one, scenario: null })), ...warnings],
  };
  await run.finish(result, () => syncTerminal(result));
}

/** Returns the latency without its histogram, which would take most of the file. */
function percentilesOf({ histogram: _, ...percentiles }: Latency): Percentiles {
  return percentiles;
}
