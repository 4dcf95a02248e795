/** The suite `bench:binary`: each scenario in one browser. */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { PIPED_COLUMNS } from '../plan/lengths.ts';
import type { SuiteOptions, SuiteUsage } from '../plan/suite-options.ts';
import type { Contenders } from '../run/contenders.ts';
import { startSuite } from '../run/suite-run.ts';
import { BenchBrowser } from './bench-page.ts';
import { binaryTerminal } from './report/terminal.ts';
import {
  BINARY_SCHEMA_VERSION,
  type BinaryResult,
  type BinaryRow,
  type MethodFacts,
  SCENARIO_NAMES,
  type ScenarioName,
} from './result.ts';
import { SCENARIOS } from './scenarios/scenarios.ts';
import { SIZES } from './sizes.ts';

export const BINARY: SuiteUsage<ScenarioName> = {
  name: 'binary',
  scenarios: SCENARIO_NAMES,
  about: `Measures how binary data gets from both servers into an ArrayBuffer of a page, in a real Chromium,
and what /livez of another client takes while bodies of 64 MiB go through.`,
  exit: `Exit: 0 measured, 1 a server, the browser or the measurement failed, or bytes differ, 2 a flag is wrong,
130 interrupted. A goal that is missed is reported, and is no failure.`,
};

export async function runBinary(
  options: SuiteOptions<ScenarioName>,
  contenders: Contenders,
  lifetime: Lifetime,
): Promise<undefined> {
  const { targets, size } = options;
  const run = await startSuite({
    name: 'binary',
    options,
    scenarios: SCENARIO_NAMES,
    contenders,
    lifetime,
    serverFlags: ['--bench'],
  });
  const { launch, progress } = run;
  const rows: BinaryRow[] = [];
  let methods: readonly MethodFacts[] = [];
  let browser: BenchBrowser | undefined;
  for (const { name, measure } of SCENARIOS.filter(({ name }) => options.scenarios.includes(name))) {
    const context = {
      launch,
      sizes: SIZES[size],
      progress,
      browser: async () => (browser ??= await BenchBrowser.start(lifetime)),
      add: (row: Omit<BinaryRow, 'scenario'>) => void rows.push({ scenario: name, ...row }),
      describe: (found: readonly MethodFacts[]) => {
        methods = found;
      },
    };
    await run.timed(name, () => measure(targets, context));
  }
  const warnings = await run.warnings();
  await browser?.close();
  const result: BinaryResult = {
    schema_version: BINARY_SCHEMA_VERSION,
    ...run.facts(),
    size,
    browser: browser?.version ?? null,
    methods,
    rows,
    warnings,
  };
  await run.finish(result, () => binaryTerminal(result, process.stdout.columns ?? PIPED_COLUMNS));
}
