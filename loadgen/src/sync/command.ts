/**
 * The suite `bench:sync`: runs each scenario with each server.
 *
 * Servers and strategies are parameters, so that tests can pass faulty ones. Invariant: the run ends with 1 if a client
 * was out of sync.
 */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import type { Warning } from '../analyse/warning.ts';
import { warningOf } from '../analyse/warnings.ts';
import type { SuiteOptions, SuiteUsage } from '../plan/suite-options.ts';
import type { Contenders } from '../run/contenders.ts';
import { startSuite } from '../run/suite-run.ts';
import { startPoster } from './posting.ts';
import { syncTerminal } from './report.ts';
import { figuresOf, SCENARIO_NAMES, type ScenarioName, type SyncResult, type SyncRow } from './result.ts';
import type { ScenarioContext } from './scenario.ts';
import { SCENARIOS } from './scenarios/scenarios.ts';
import { sizesOf } from './sizes.ts';
import { STRATEGIES, type Strategies } from './strategies.ts';

export const SYNC: SuiteUsage<ScenarioName> = {
  name: 'sync',
  scenarios: SCENARIO_NAMES,
  about:
    'Measures staying in sync: the shipped client, the invalidation stream and the snapshots of both servers.',
  exit: `Exit: 0 measured, 1 a server or the measurement failed, or a client was out of sync, 2 a flag is wrong,
130 interrupted. A goal that is missed is reported, and is no failure.`,
};

export async function runSync(
  options: SuiteOptions<ScenarioName>,
  contenders: Contenders,
  lifetime: Lifetime,
  strategies: Strategies = STRATEGIES,
): Promise<undefined> {
  const { seed, size, targets } = options;
  const run = await startSuite({ ...SYNC, options, contenders, lifetime });
  const { launch, progress } = run;
  const sizes = sizesOf(size);
  const poster = startPoster(launch, seed, sizes);
  const rows: SyncRow[] = [];
  const skipped: SyncResult['skipped'][number][] = [];
  const chosen = SCENARIOS.filter(([name]) => options.scenarios.includes(name));
  for (const [i, [scenario, measure]] of chosen.entries()) {
    // Each server is first in turn, so that a drift of the machine favours neither.
    for (const server of i % 2 === 0 ? targets : targets.toReversed()) {
      const add: ScenarioContext['add'] = (parameters, samples) => {
        rows.push({ scenario, server, parameters, figures: figuresOf(samples) });
      };
      const skip = (reason: string) => {
        progress.say(`${scenario} ${server}: skipped: ${reason}`);
        skipped.push({ scenario, server, reason });
      };
      const context = { launch, sizes, seed, strategies, poster, targets, add, skip };
      await run.timed(`${scenario} ${server}`, () => measure(server, context));
    }
  }
  const result: SyncResult = {
    schema_version: 1,
    ...run.facts(),
    seed,
    quick: size === 'quick',
    rows,
    skipped,
    warnings: [...(await run.warnings()), ...spreadWarnings(rows)],
  };
  await run.finish(result, () => syncTerminal(result));
}

/** Figures with a goal. Only their spread causes a warning. */
const JUDGED = ['end_to_end_ms', 'staleness_p99_ms', 'saturated_events_per_s', 'open_ms'] as const;
/** Spread between rounds that causes a warning. Waits of milliseconds vary more than throughput does. */
const HIGH_SPREAD = 0.5;

function spreadWarnings(rows: readonly SyncRow[]): Warning[] {
  return JUDGED.flatMap((key) => {
    const spreads = rows.flatMap(({ figures }) => figures[key]?.spread ?? []);
    const wide = spreads.filter((spread) => spread > HIGH_SPREAD);
    const most = Math.round(Math.max(...wide) * 100);
    const cases = `${key} varied by up to ${most} % in ${wide.length} of ${spreads.length} cases`;
    return wide.length === 0 ? [] : [warningOf('wide_spread', cases)];
  });
}
