/**
 * `pnpm parity`: runs cases and scenarios against both servers, or against one that already runs.
 *
 * Exit code 0 when all passed, 1 when something failed, 2 when the command line is wrong or a server is not built.
 * The last line is always `N passed, N failed, N skipped`.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { type NatsProgram, natsProgram } from '@twin-ingest/testkit/nats/program.ts';
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import { SCENARIO_FILES } from '../scenarios/index.ts';
import { CaseFileError, loadCaseFiles } from './case.ts';
import { judge } from './differences.ts';
import { JetStream } from './jetstream.ts';
import { HELP, type Options, parseOptions } from './options.ts';
import { renderDetails, renderTable, renderTally, tally, terminalOf } from './report.ts';
import { fullName, type Result } from './result.ts';
import { type Place, runFile } from './run-file.ts';
import { runScenario } from './run-scenario.ts';

/** Runs the suite and returns the exit code. */
export async function main(argv: readonly string[]): Promise<number> {
  const parsed = parseOptions(argv, process.env);
  if (parsed.kind === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  const problems = parsed.kind === 'wrong' ? parsed.problems : notBuilt(parsed.options);
  if (parsed.kind === 'wrong' || problems.length > 0) {
    process.stderr.write(`${problems.join('\n')}\n`);
    if (parsed.kind === 'wrong') process.stderr.write('pnpm parity --help says what there is\n');
    return 2;
  }
  const { options } = parsed;
  const terminal = terminalOf(process.stdout, process.env);
  const program = options.isJetStream ? await natsProgram() : undefined;
  if (program !== undefined && 'missing' in program) {
    process.stdout.write(`parity --store jetstream is skipped: ${program.missing}\n`);
    return 0;
  }
  const results = await runAll(options, program);
  if (options.reportJson)
    writeFileSync(options.reportJson, `${JSON.stringify(results.map(forFile), null, 2)}\n`);
  const sums = tally(results);
  const nothing = results.length === 0 ? ['no case and no scenario has this in its name'] : [];
  const lines = [
    ...renderTable(results, terminal),
    ...renderDetails(results, terminal),
    ...nothing,
    '',
    renderTally(sums),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
  return sums.failed > 0 || results.length === 0 ? 1 : 0;
}

/** Number of concurrent files of cases without scenarios. Some files mostly wait for a timeout or for a start. */
const LANES_OF_CASES = 3;
/** Number of concurrent scenarios that compute. Two leave no core idle while one of them waits. */
const COMPUTING_LANES = 2;
/** Number of concurrent scenarios that wait for time-outs. */
const WAITING_LANES = 4;

async function runAll(options: Options, nats: NatsProgram | undefined): Promise<Result[]> {
  if (nats === undefined) return await runOn(options, undefined);
  const jetStream = await JetStream.start(nats);
  try {
    return (await runOn(options, jetStream)).map(judge);
  } finally {
    await jetStream.stop();
  }
}

async function runOn(options: Options, jetStream: JetStream | undefined): Promise<Result[]> {
  const wanted = (suite: string, name: string): boolean =>
    options.only.length === 0 || options.only.some((text) => fullName({ suite, name }).includes(text));
  const scenarios = (options.cases ? [] : SCENARIO_FILES).flatMap((file) =>
    file.scenarios
      .filter((one) => !options.faults || one.faults !== undefined)
      .filter((one) => !options.attacks || one.attacks !== undefined)
      .filter((one) => !options.isJetStream || (file.sharesStreams === true && one.measures !== true))
      .filter((one) => wanted(`scenarios/${file.name}`, one.name))
      .map((one) => ({ ...one, run: () => runScenario(file, one, options, jetStream) })),
  );
  const files = (options.faults || options.attacks ? [] : loadCaseFiles()).flatMap((file) => {
    const cases = file.cases.filter((one) => wanted(file.name, one.name));
    return cases.length === 0
      ? []
      : [() => Promise.all(places(options, jetStream).map((one) => runFile(file, cases, one)))];
  });
  const [measuring, others] = parted(scenarios, (one) => one.measures === true);
  const [waiting, computing] = parted(others, (one) => one.waits === true);
  const computations = computing.map((one) => one.run).values();
  const lanes = await Promise.all([
    // The lane of the cases then takes scenarios too, since two lanes of them leave a third of two cores idle.
    inLanes(options.cases ? LANES_OF_CASES : 1, files.values()).then(async (results) =>
      [...results, ...(await inLanes(1, computations))].flat(),
    ),
    inLanes(COMPUTING_LANES, computations),
    // Their bounded number leaves each enough processor time.
    inLanes(WAITING_LANES, waiting.map((one) => one.run).values()),
  ]);
  // Bounds of time and memory hold for a server that shares the machine with its test alone.
  const last = await inLanes(1, measuring.map((one) => one.run).values());
  return [...lanes.flat(2), ...last.flat()];
}

/** Returns the items that are, and those that are not. */
function parted<T>(items: readonly T[], is: (item: T) => boolean): readonly [T[], T[]] {
  return [items.filter(is), items.filter((item) => !is(item))];
}

/** Runs the works on this many lanes; a free lane takes the next work. Calls may share the works. */
async function inLanes<T>(lanes: number, works: Iterator<() => Promise<T>>): Promise<T[]> {
  const results: T[] = [];
  const lane = async (): Promise<void> => {
    for (let next = works.next(); next.done !== true; next = works.next()) results.push(await next.value());
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}

function places(options: Options, jetStream: JetStream | undefined): Place[] {
  if (options.basePort !== undefined) return [{ kind: 'base-url', port: options.basePort }];
  return options.targets.map((name) => ({ kind: 'target', name, jetStream }));
}

function notBuilt(options: Options): string[] {
  if (options.basePort !== undefined) return [];
  return options.targets
    .map((name) => TARGETS[name])
    .filter((target) => !existsSync(target.artefact))
    .map((target) => `${target.label} is not built: run pnpm ${target.build}`);
}

/** Returns a result without the bytes of its exchanges. */
function forFile(result: Result) {
  const { outcome, ...rest } = result;
  if (outcome.kind !== 'failed') return { ...rest, outcome };
  const differences = outcome.exchanges.flatMap((one) =>
    one.differences.map((difference) => ({ step: one.step, ...difference })),
  );
  return { ...rest, outcome: { kind: outcome.kind, message: outcome.message, differences } };
}

if (import.meta.main) {
  letReadersLeave();
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    if (!(error instanceof CaseFileError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 2;
  }
}
