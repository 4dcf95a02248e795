/**
 * The suite `bench:rpc`: first checks that results are equal, then runs each scenario.
 *
 * Invariant: before anything is timed, both servers answered every method with its argument.
 */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { ALONE_PROGRAMS } from '../codecs/alone.ts';
import { PIPED_COLUMNS } from '../plan/lengths.ts';
import type { SuiteOptions, SuiteUsage } from '../plan/suite-options.ts';
import type { Contenders } from '../run/contenders.ts';
import { startSuite } from '../run/suite-run.ts';
import { Caller } from './caller.ts';
import { proveEqualAnswers } from './equal-answers.ts';
import { rpcTerminal } from './report/terminal.ts';
import {
  RPC_SCHEMA_VERSION,
  type RpcResult,
  type RpcRow,
  SCENARIO_NAMES,
  type ScenarioName,
} from './result.ts';
import { SCENARIOS } from './scenarios/scenarios.ts';
import { SIZES } from './sizes.ts';

export const RPC: SuiteUsage<ScenarioName> = {
  name: 'rpc',
  scenarios: SCENARIO_NAMES,
  about: `Measures typed calls (POST /api/rpc, methods echo.*) of both servers by the caller of client-ts: single values and
sequences, identical and random strings, with and without the client's checks, one and eight in flight.`,
  exit: `Exit: 0 measured, 1 a server or the measurement failed, or an answer differs, 2 a flag is wrong,
130 interrupted. A goal that is missed is reported, and is no failure.`,
};

export async function runRpc(
  options: SuiteOptions<ScenarioName>,
  contenders: Contenders,
  lifetime: Lifetime,
): Promise<undefined> {
  const { targets, size, seed } = options;
  const references = options.scenarios.includes('reference') ? targets : [];
  const run = await startSuite({
    name: 'rpc',
    options,
    scenarios: SCENARIO_NAMES,
    contenders,
    lifetime,
    programs: references.map((name) => ({ name, program: ALONE_PROGRAMS[name] })),
    serverFlags: ['--bench'],
  });
  const { launch, progress } = run;
  const caller = new Caller(launch);
  await run.timed('equal answers', () => proveEqualAnswers(targets, seed, { launch, caller }));
  const rows: RpcRow[] = [];
  for (const { name, measure } of SCENARIOS.filter(({ name }) => options.scenarios.includes(name))) {
    const add = (row: Omit<RpcRow, 'scenario'>) => void rows.push({ scenario: name, ...row });
    await run.timed(name, () =>
      measure(targets, { launch, sizes: SIZES[size], seed, caller, progress, add }),
    );
  }
  const warnings = await run.warnings();
  await caller.close();
  const result: RpcResult = {
    schema_version: RPC_SCHEMA_VERSION,
    ...run.facts(),
    seed,
    size,
    rows,
    warnings,
  };
  const columns = process.stdout.columns ?? PIPED_COLUMNS;
  await run.finish(result, () => rpcTerminal(result, { columns, tables: options.tables }));
}
