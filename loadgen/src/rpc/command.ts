/** The program `pnpm bench:rpc`: flags, builds, the proof that answers are equal, each scenario, the result. */
import type { Lifetime } from '@twin-ingest/testkit/process/lifetime.ts';
import { buildStale } from '@twin-ingest/testkit/servers/build.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { ALONE_PROGRAMS } from '../codecs/alone.ts';
import { type Contenders, programsOf } from '../contenders.ts';
import { type Environment, readEnvironment } from '../environment.ts';
import { readableJson } from '../export/json.ts';
import { rpcTerminal } from '../export/rpc-terminal.ts';
import { BenchFailure } from '../failure.ts';
import { readHealth } from '../health.ts';
import { Host } from '../host.ts';
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
import { Caller } from './caller.ts';
import { proveEqualAnswers } from './equal-answers.ts';
import { parseRpc, type RpcOptions } from './options.ts';
import { RPC_SCHEMA_VERSION, type RpcResult, type RpcRow, SCENARIO_NAMES } from './rpc-result.ts';
import { SCENARIOS } from './scenarios/scenarios.ts';
import { SIZES } from './sizes.ts';

const PROGRAM = 'bench:rpc';
/** Documents are made of the default run alone. */
const NO_DEFAULT = { quick: 'a quick run', all: 'the whole matrix' } as const;
/** Of all cores' time. */
const STOLEN = 0.02;
/** Of a line, where stdout is no terminal. */
const PIPED_COLUMNS = 120;

/** The exit code. */
export function rpcCommand(argv: readonly string[], contenders: Contenders): Promise<number> {
  return runCommand(PROGRAM, parseRpc(argv), (options, lifetime) => run(argv, options, contenders, lifetime));
}

async function run(
  argv: readonly string[],
  options: RpcOptions,
  contenders: Contenders,
  lifetime: Lifetime,
): Promise<undefined> {
  const started = performance.now();
  const { targets, size, seed } = options;
  const progress = createProgress(process.stderr);
  const environment = readEnvironment();
  const placement = choosePlacement();
  const place = placeOf(options, environment);
  progress.say(placement.reason);
  const kept = `the committed result stays (${place.reasons.join(', ')}); this one goes to ${place.file}`;
  progress.say(place.reasons.length > 0 ? kept : `the result goes to ${place.file}`);
  const references = options.scenarios.includes('reference') ? targets : [];
  const alone = references.map((name) => ({ name, program: ALONE_PROGRAMS[name] }));
  const programs = [...programsOf({ ...contenders, limits: null }, targets), ...alone];
  const stale = await buildStale(programs, { lifetime, build: options.build, say: progress.say });
  const launch: Launch = { contenders, placement, lifetime };
  const servers = await askServers(targets, launch);
  const caller = new Caller(launch);
  const proof = proveEqualAnswers(targets, seed, { launch, caller });
  await timed(progress, 'equal answers', lifetime.orInterrupted(proof));
  await dropUnfinished(place);
  const rows: RpcRow[] = [];
  const before = await readMachine();
  for (const scenario of SCENARIOS.filter(({ name }) => options.scenarios.includes(name))) {
    const { name } = scenario;
    const measuring = scenario.measure(targets, {
      launch,
      sizes: SIZES[size],
      seed,
      caller,
      progress,
      add: (row) => void rows.push({ scenario: name, ...row }),
    });
    await timed(progress, name, lifetime.orInterrupted(measuring));
    await keepUnfinished(rows, place);
  }
  const stolen = machineLoad(before, await readMachine(), null, null).stolen_share ?? 0;
  await caller.close();
  const result: RpcResult = {
    schema_version: RPC_SCHEMA_VERSION,
    created_at: new Date().toISOString(),
    took_s: (performance.now() - started) / 1000,
    flags: shownFlags(argv),
    seed,
    size,
    environment,
    placement,
    servers,
    rows,
    warnings: [...reasonsToDistrustRun({ placement, environment, stale }), ...doubts(options, stolen)],
  };
  await putPart('rpc', result, place.file);
  await dropUnfinished(place);
  const columns = process.stdout.columns ?? PIPED_COLUMNS;
  process.stdout.write(
    options.json ? readableJson(result) : rpcTerminal(result, { columns, tables: options.tables }),
  );
  progress.say(`written: ${place.file}`);
}

function placeOf(options: RpcOptions, environment: Environment): Place {
  return choosePlace('rpc', options, environment, [
    ...(options.size === 'default' ? [] : [NO_DEFAULT[options.size]]),
    ...(options.targets.length < TARGET_NAMES.length ? ['one server alone'] : []),
    ...(options.scenarios.length < SCENARIO_NAMES.length ? ['not all scenarios'] : []),
  ]);
}

async function timed(progress: Progress, label: string, work: Promise<unknown>): Promise<void> {
  const from = performance.now();
  try {
    await work;
  } catch (error) {
    if (!(error instanceof BenchFailure)) throw error;
    throw new BenchFailure(error.code, `${label}: ${error.message}`, error.details);
  }
  progress.say(`${label}: ${((performance.now() - from) / 1000).toFixed(1)} s`);
}

/** What each says it runs with; both must say the same. */
async function askServers(targets: readonly TargetName[], launch: Launch): Promise<RpcResult['servers']> {
  const promises = new Promises();
  const servers: { [Name in TargetName]?: NonNullable<RpcResult['servers'][Name]> } = {};
  for (const name of targets) {
    const host = await Host.start(name, launch, { flags: ['--bench'] });
    const health = await readHealth(host.url);
    promises.add(name, name, health);
    servers[name] = { label: launch.contenders.targets[name].label, health };
    await host.stop();
    await host.discard();
  }
  return servers;
}

function doubts({ size }: RpcOptions, stolen: number): Warning[] {
  const warning = (code: Warning['code'], message: string) => ({ code, message, advice: ADVICE[code] });
  return [
    ...(size === 'quick' ? [warning('few_rounds', 'a quick run: counts too small for a claim')] : []),
    ...(stolen > STOLEN
      ? [warning('stolen_time', `${(stolen * 100).toFixed(1)} % of the cores' time was given to others`)]
      : []),
  ];
}
