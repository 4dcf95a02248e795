/**
 * The program `pnpm bench:codecs`: flags, builds, the proof that rows are equal, each scenario, the result.
 *
 * Invariant: nothing is timed before the same events gave the same rows in every format and over every transport.
 */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { buildStale } from '@twin-ingest/testkit/servers/build.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type Contenders, programsOf } from '../contenders.ts';
import { type Environment, readEnvironment } from '../environment.ts';
import { codecsTerminal } from '../export/codecs-terminal.ts';
import { readableJson } from '../export/json.ts';
import { BenchFailure } from '../failure.ts';
import { readHealth } from '../health.ts';
import type { Launch } from '../launch.ts';
import { machineLoad, readMachine } from '../machine.ts';
import { shownFlags } from '../options/shown-flags.ts';
import { choosePlace, dropUnfinished, keepUnfinished, type Place, putPart } from '../part-file.ts';
import { choosePlacement } from '../placement.ts';
import { createProgress, type Progress } from '../progress.ts';
import { Promises } from '../promises.ts';
import { runCommand } from '../run-command.ts';
import type { Warning } from '../warning.ts';
import { ADVICE, reasonsToDistrustRun } from '../warnings.ts';
import { ALONE_PROGRAMS } from './alone.ts';
import { BenchServer } from './bench-server.ts';
import { CODECS_SCHEMA_VERSION, type CodecRow, type CodecsResult, SCENARIO_NAMES } from './codecs-result.ts';
import { proveEqualRows } from './equal-rows.ts';
import { Loader } from './loader.ts';
import { type CodecsOptions, parseCodecs } from './options.ts';
import { SCENARIOS } from './scenarios/scenarios.ts';
import { SIZES } from './sizes.ts';

const PROGRAM = 'bench:codecs';
/** Documents are made of the default run alone. */
const NO_DEFAULT = { quick: 'a quick run', all: 'the whole matrix' } as const;
/** Of all cores' time. */
const STOLEN = 0.02;
/** Of a line, where stdout is no terminal. */
const PIPED_COLUMNS = 120;

/** The exit code. */
export function codecsCommand(argv: readonly string[], contenders: Contenders): Promise<number> {
  return runCommand(PROGRAM, parseCodecs(argv), (options, lifetime) =>
    run(argv, options, contenders, lifetime),
  );
}

async function run(
  argv: readonly string[],
  options: CodecsOptions,
  contenders: Contenders,
  lifetime: Lifetime,
): Promise<undefined> {
  const started = performance.now();
  const { targets, size, seed, corpus } = options;
  const progress = createProgress(process.stderr);
  const environment = readEnvironment();
  const placement = choosePlacement();
  const place = placeOf(options, environment);
  progress.say(placement.reason);
  const kept = `the committed result stays (${place.reasons.join(', ')}); this one goes to ${place.file}`;
  progress.say(place.reasons.length > 0 ? kept : `the result goes to ${place.file}`);
  const alone = targets.map((name) => ({ name, program: ALONE_PROGRAMS[name] }));
  const programs = [...programsOf({ ...contenders, limits: null }, targets), ...alone];
  const stale = await buildStale(programs, { lifetime, build: options.build, say: progress.say });
  const launch: Launch = { contenders, placement, lifetime };
  const loader = new Loader({ placement, lifetime });
  const servers = await askServers(targets, launch, loader);
  const source = { seed, corpus };
  await timed(progress, 'equal rows', () => lifetime.orInterrupted(proveEqualRows(targets, source, launch)));
  await dropUnfinished(place);
  const rows: CodecRow[] = [];
  const before = await readMachine();
  for (const scenario of SCENARIOS.filter(({ name }) => options.scenarios.includes(name))) {
    const { name } = scenario;
    const add = (row: Omit<CodecRow, 'scenario'>) => void rows.push({ scenario: name, ...row });
    const context = { launch, sizes: SIZES[size], source, loader, progress, add };
    await timed(progress, name, () => lifetime.orInterrupted(scenario.measure(targets, context)));
    await keepUnfinished(rows, place);
  }
  const stolen = machineLoad(before, await readMachine(), null, null).stolen_share ?? 0;
  await loader.close();
  const result: CodecsResult = {
    schema_version: CODECS_SCHEMA_VERSION,
    created_at: new Date().toISOString(),
    took_s: (performance.now() - started) / 1000,
    flags: shownFlags(argv),
    seed,
    size,
    recorded: corpus !== undefined,
    environment,
    placement,
    servers,
    rows,
    warnings: [...reasonsToDistrustRun({ placement, environment, stale }), ...doubts(options, stolen)],
  };
  const shown = { columns: process.stdout.columns ?? PIPED_COLUMNS, tables: options.tables };
  await putPart('codecs', result, place.file);
  await dropUnfinished(place);
  process.stdout.write(options.json ? readableJson(result) : codecsTerminal(result, shown));
  progress.say(`written: ${place.file}`);
}

function placeOf(options: CodecsOptions, environment: Environment): Place {
  return choosePlace('codecs', options, environment, [
    ...(options.size === 'default' ? [] : [NO_DEFAULT[options.size]]),
    ...(options.targets.length < TARGET_NAMES.length ? ['one server alone'] : []),
    ...(options.scenarios.length < SCENARIO_NAMES.length ? ['not all scenarios'] : []),
  ]);
}

async function timed(progress: Progress, label: string, work: () => Promise<unknown>): Promise<void> {
  const from = performance.now();
  try {
    await work();
  } catch (error) {
    if (!(error instanceof BenchFailure)) throw error;
    throw new BenchFailure(error.code, `${label}: ${error.message}`, error.details);
  }
  progress.say(`${label}: ${((performance.now() - from) / 1000).toFixed(1)} s`);
}

/** What each says it runs with; both must say the same. */
async function askServers(
  targets: readonly TargetName[],
  launch: Launch,
  loader: Loader,
): Promise<CodecsResult['servers']> {
  const promises = new Promises();
  const servers: Partial<
    Record<TargetName, { label: string; health: Awaited<ReturnType<typeof readHealth>> }>
  > = {};
  for (const name of targets) {
    const server = await BenchServer.start(name, launch, loader);
    const health = await readHealth(server.url);
    promises.add(name, name, health);
    servers[name] = { label: launch.contenders.targets[name].label, health };
    await server.end();
  }
  return servers;
}

function doubts({ size }: CodecsOptions, stolen: number): Warning[] {
  const warning = (code: Warning['code'], message: string) => ({ code, message, advice: ADVICE[code] });
  return [
    ...(size === 'quick' ? [warning('few_rounds', 'a quick run: counts too small for a claim')] : []),
    ...(stolen > STOLEN
      ? [warning('stolen_time', `${(stolen * 100).toFixed(1)} % of the cores' time was given to others`)]
      : []),
  ];
}
