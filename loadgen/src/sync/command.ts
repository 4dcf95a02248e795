/**
 * The suite `bench:sync`: runs each scenario with each server.
 *
 * Servers and strategies are parameters, so that tests can pass faulty ones. Invariant: the run ends with 1 if a client
 * was out of sync.
 */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { warningOf } from '../analyse/warnings.ts';
import { type MachineTicks, readMachine } from '../observe/machine.ts';
import type { SuiteOptions, SuiteUsage } from '../plan/suite-options.ts';
import type { Contenders } from '../run/contenders.ts';
import { SuiteRun, stolenWarnings } from '../run/suite-run.ts';
import { Poster } from './poster.ts';
import { syncTerminal } from './report.ts';
import {
  type FigureKey,
  figuresOf,
  SCENARIO_NAMES,
  type ScenarioName,
  type Skipped,
  SYNC_SCHEMA_VERSION,
  type SyncResult,
  type SyncRow,
  type SyncWarning,
} from './result.ts';
import type { ScenarioContext } from './scenario.ts';
import { SCENARIOS } from './scenarios/scenarios.ts';
import { sizesOf } from './sizes.ts';
import type { Strategies } from './strategies.ts';

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
  const poster = new Poster(seed, launch);
  const common = { launch, sizes: sizesOf(size), seed, strategies, poster, targets };
  const rows: SyncRow[] = [];
  const skipped: Skipped[] = [];
  const warnings: SyncWarning[] = [];
  const chosen = SCENARIOS.filter(([name]) => options.scenarios.includes(name));
  for (const [i, [scenario, measure]] of chosen.entries()) {
    const before = await readMachine();
    // Each server is first in turn, so that a drift of the machine favours neither.
    for (const server of i % 2 === 0 ? targets : targets.toReversed()) {
      const context: ScenarioContext = {
        ...common,
        add(parameters, samples, latency = null) {
          const { histogram: _, ...percentiles } = latency ?? {};
          const shown = latency === null ? null : (percentiles as SyncRow['latency']);
          rows.push({ scenario, server, parameters, figures: figuresOf(samples), latency: shown });
        },
        skip(reason) {
          progress.say(`${scenario} ${server}: skipped: ${reason}`);
          skipped.push({ scenario, server, reason });
        },
      };
      await run.timed(`${scenario} ${server}`, () => measure(server, context));
    }
    const own = rows.filter((row) => row.scenario === scenario);
    warnings.push(...scenarioWarnings(scenario, own, before, await readMachine()));
    await run.keep(rows);
    if (i === 0) progress.say(`rows so far, should it fail: ${run.unfinished}`);
  }
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

/** Figures with a goal. Only their spread causes a warning. */
const JUDGED: readonly FigureKey[] = [
  'end_to_end_ms',
  'staleness_p99_ms',
  'saturated_events_per_s',
  'open_ms',
];
/** Spread between rounds that causes a warning. Waits of milliseconds vary more than throughput does. */
const HIGH_SPREAD = 0.5;

function scenarioWarnings(
  scenario: ScenarioName,
  rows: readonly SyncRow[],
  before: MachineTicks | null,
  after: MachineTicks | null,
): SyncWarning[] {
  const found = stolenWarnings(before, after);
  for (const key of JUDGED) {
    const wide = rows.map((row) => row.figures[key]?.spread ?? 0).filter((spread) => spread > HIGH_SPREAD);
    if (wide.length === 0) continue;
    const most = Math.round(Math.max(...wide) * 100);
    const cases = `${key} varied by up to ${most} % in ${wide.length} of ${rows.length} cases`;
    found.push(warningOf('wide_spread', cases));
  }
  return found.map((warning) => ({ ...warning, scenario }));
}
