/**
 * `pnpm faults:long`: repeats a fault scenario with seeds that follow each other, and adds up what it did.
 *
 * A run is resumable: the totals and the next seed of each scenario and server are in one file, which is written after
 * each repetition. So a run of hours can be done in parts. It ends at the first failure, whose seed repeats it.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { isTargetName, ROOT, TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { CRASH } from '../scenarios/crash.ts';
import { FAULTS } from '../scenarios/faults/index.ts';
import { type Options, parseOptions } from './options.ts';
import { runScenario } from './run-scenario.ts';
import type { Scenario, ScenarioFile } from './scenario.ts';

interface Work {
  readonly file: ScenarioFile;
  readonly scenario: string;
  /** Flags of one repetition, which takes from seconds to a few minutes. */
  readonly flags: readonly string[];
}

const WORKS: Readonly<Record<string, Work>> = {
  kills: {
    file: CRASH,
    scenario: 'kill -9 under load loses no acknowledged event',
    flags: ['--kills', '50'],
  },
  writes: {
    file: FAULTS,
    scenario: 'a kill after any write loses nothing that was acknowledged',
    flags: ['--groups', '50'],
  },
  images: {
    file: FAULTS,
    scenario: 'power loss keeps what the durability promises',
    flags: ['--images', '250'],
  },
  sigterms: {
    file: FAULTS,
    scenario: 'SIGTERM under load exits 0 and loses nothing',
    flags: ['--kills', '20'],
  },
};

const HELP = `Usage: pnpm faults:long --work NAME [flags]

Repeats a fault scenario until the time is over, and adds its counts to a file. Run it again to continue.

  --work NAME       ${Object.keys(WORKS).join(', ')}
  --target rs|ts    only this server
  --minutes N       begin no repetition after N minutes (default 50)
  --state FILE      the totals (default .bench/long-faults.json)
  --help            print this text

Exit code: 0 all passed, 1 a repetition failed, 2 a wrong flag.
`;

/** Totals of one scenario on one server. */
interface Totals {
  next_seed: number;
  readonly counts: Record<string, number>;
  updated: string;
}
type State = Record<string, Totals>;

export async function main(argv: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: argv.filter((one) => one !== '--'),
    options: {
      work: { type: 'string' },
      target: { type: 'string' },
      minutes: { type: 'string', default: '50' },
      state: { type: 'string', default: `${ROOT}.bench/long-faults.json` },
      help: { type: 'boolean', short: 'h' },
    },
    strict: true,
  });
  const work = WORKS[values.work ?? ''];
  const isTarget = values.target === undefined || isTargetName(values.target);
  if (values.help || work === undefined || !isTarget || !(Number(values.minutes) > 0)) {
    (values.help ? process.stdout : process.stderr).write(HELP);
    return values.help ? 0 : 2;
  }
  const targets = values.target !== undefined && isTargetName(values.target) ? [values.target] : TARGET_NAMES;
  const end = performance.now() + Number(values.minutes) * 60_000;
  const state: State = existsSync(values.state)
    ? (JSON.parse(readFileSync(values.state, 'utf8')) as State)
    : {};
  const repeat = async (target: TargetName): Promise<boolean> => {
    while (performance.now() < end)
      if (!(await repeatOnce(work, values.work!, target, state, values.state))) return false;
    return true;
  };
  return (await Promise.all(targets.map(repeat))).every(Boolean) ? 0 : 1;
}

async function repeatOnce(
  work: Work,
  name: string,
  target: TargetName,
  state: State,
  file: string,
): Promise<boolean> {
  const key = `${name} ${target}`;
  state[key] ??= { next_seed: 1, counts: {}, updated: '' };
  const totals = state[key];
  const scenario = work.file.scenarios.find((one) => one.name === work.scenario)!;
  const [result] = await runScenario(work.file, scenario, optionsOf(work, target, totals.next_seed));
  if (result!.outcome.kind !== 'passed') {
    process.stdout.write(`${key}, seed ${totals.next_seed}: ${JSON.stringify(result!.outcome)}\n`);
    return false;
  }
  for (const [what, number] of Object.entries({ ...result!.counts, repetitions: 1 }))
    totals.counts[what] = (totals.counts[what] ?? 0) + number;
  totals.next_seed += 1;
  totals.updated = new Date().toISOString();
  save(file, state);
  process.stdout.write(`${key}: ${JSON.stringify(totals.counts)}\n`);
  return true;
}

function optionsOf(work: Work, target: TargetName, seed: number): Options {
  const parsed = parseOptions([...work.flags, '--target', target, '--seed', String(seed)], {});
  if (parsed.kind !== 'options') throw new Error(JSON.stringify(parsed));
  return parsed.options;
}

/** A kill at any moment leaves the totals before or after the repetition. */
function save(file: string, state: State): void {
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(`${file}.partial`, `${JSON.stringify(state, null, 2)}\n`);
  renameSync(`${file}.partial`, file);
}

/** The scenarios that this program repeats, for its test. */
export const REPEATED: readonly (Scenario | undefined)[] = Object.values(WORKS).map(({ file, scenario }) =>
  file.scenarios.find((one) => one.name === scenario),
);

if (import.meta.main) process.exitCode = await main(process.argv.slice(2));
