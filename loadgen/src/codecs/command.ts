/**
 * The suite `bench:codecs`: first checks that rows are equal, then runs each scenario.
 *
 * Invariant: before anything is timed, the same events gave the same rows in every format and over every transport.
 */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { PIPED_COLUMNS } from '../plan/lengths.ts';
import type { SuiteOptions, SuiteUsage } from '../plan/suite-options.ts';
import type { Contenders } from '../run/contenders.ts';
import { startSuite } from '../run/suite-run.ts';
import { ALONE_PROGRAMS } from './alone.ts';
import { BENCH_FLAGS } from './bench-server.ts';
import { proveEqualRows } from './equal-rows.ts';
import { Loader } from './loader.ts';
import { codecsTerminal } from './report/terminal.ts';
import {
  CODECS_SCHEMA_VERSION,
  type CodecRow,
  type CodecsResult,
  SCENARIO_NAMES,
  type ScenarioName,
} from './result.ts';
import { SCENARIOS } from './scenarios/scenarios.ts';
import { SIZES } from './sizes.ts';

export const CODECS: SuiteUsage<ScenarioName> = {
  name: 'codecs',
  scenarios: SCENARIO_NAMES,
  about: `Measures formats (JSON, NDJSON, MessagePack, Protobuf, Arrow) and transports (TCP, socket, standard input):
codecs alone in both languages, and both servers end to end.`,
  exit: `Exit: 0 measured, 1 a server or the measurement failed, or rows differ, 2 a flag is wrong, 130 interrupted.
A goal that is missed is reported, and is no failure.`,
};

export async function runCodecs(
  options: SuiteOptions<ScenarioName>,
  contenders: Contenders,
  lifetime: Lifetime,
): Promise<undefined> {
  const { targets, size, seed, corpus } = options;
  const run = await startSuite({
    name: 'codecs',
    options,
    scenarios: SCENARIO_NAMES,
    contenders,
    lifetime,
    programs: targets.map((name) => ({ name, program: ALONE_PROGRAMS[name] })),
    serverFlags: BENCH_FLAGS,
  });
  const { launch, progress } = run;
  const loader = new Loader(launch);
  const source = { seed, corpus };
  await run.timed('equal rows', () => proveEqualRows(targets, source, launch));
  const rows: CodecRow[] = [];
  for (const { name, measure } of SCENARIOS.filter(({ name }) => options.scenarios.includes(name))) {
    const add = (row: Omit<CodecRow, 'scenario'>) => void rows.push({ scenario: name, ...row });
    const context = { launch, sizes: SIZES[size], source, loader, progress, add };
    await run.timed(name, () => measure(targets, context));
  }
  const warnings = await run.warnings();
  await loader.close();
  const result: CodecsResult = {
    schema_version: CODECS_SCHEMA_VERSION,
    ...run.facts(),
    seed,
    size,
    recorded: corpus !== undefined,
    rows,
    warnings,
  };
  const columns = process.stdout.columns ?? PIPED_COLUMNS;
  await run.finish(result, () => codecsTerminal(result, { columns, tables: options.tables }));
}
