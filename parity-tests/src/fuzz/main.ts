/**
 * `pnpm fuzz`: random sessions on both servers, whose answers must be equal.
 *
 * Exit code 0: no difference. 1: a difference, which is shrunk and written. 2: a wrong flag, or a server is not built.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inFolder } from '@twin-ingest/testkit/files/temporary-folder.ts';
import { type FlagTable, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { ROOT, TARGET_NAMES, TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import { fuzz } from './fuzz.ts';
import { caseText, describe } from './report.ts';
import { runSteps } from './run.ts';
import { parseSteps, stepsText } from './step.ts';
import { type Start, World } from './world.ts';

const TABLE = {
  minutes: { value: 'N', help: 'time of the run (default 2)' },
  seed: { value: 'N', help: 'PRNG seed (default 1)' },
  session: { value: 'N', help: 'number of the first session (default 0)' },
  requests: { value: 'N', help: 'most steps (default: no limit)' },
  save: { value: 'FOLDER', help: 'where a difference is written (default .bench/fuzz)' },
  replay: { value: 'FILE', help: 'run the steps of this file instead' },
} satisfies FlagTable<string>;

const HELP = `Usage: pnpm fuzz -- [flags]

Sends random sessions of requests to both servers and compares their answers, frames and rows.
A difference is shrunk and written as a parity case, and as steps for --replay.

${Object.entries(TABLE)
  .map(([name, { value, help }]) => `  --${name} ${value}`.padEnd(20) + help)
  .join('\n')}
  --help            print this text

Exit code: 0 no difference, 1 a difference, 2 a wrong flag or a server that is not built.
`;
const SHRINK_RUNS = 200;
/** The folder of the previous world. */
const worlds: string[] = [];

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  const parsed = parseFlags<keyof typeof TABLE>(argv, TABLE);
  if (parsed.kind === 'help') {
    process.stdout.write(HELP);
    return 0;
  }
  const problems =
    parsed.kind === 'wrong' ? parsed.problems : parsed.words.map((word) => `unknown word ${word}`);
  const number = (name: keyof typeof TABLE, fallback: number): number => {
    const text = parsed.kind === 'given' ? parsed.flags.get(name) : undefined;
    if (text !== undefined && !/^\d+(?:\.\d+)?$/.test(text)) problems.push(`--${name} must be a number`);
    return text === undefined ? fallback : Number(text);
  };
  const options = {
    seed: number('seed', 1),
    session: number('session', 0),
    milliseconds: number('minutes', 2) * 60_000,
    steps: number('requests', Number.POSITIVE_INFINITY),
    shrinkRuns: SHRINK_RUNS,
  };
  for (const name of TARGET_NAMES) {
    const { artefact, build } = TARGETS[name];
    if (!existsSync(artefact)) problems.push(`${name} is not built: pnpm ${build}`);
  }
  if (problems.length > 0 || parsed.kind !== 'given') {
    process.stderr.write(`${problems.join('\n')}\n`);
    return 2;
  }
  return await inFolder(async (folder) => {
    const replay = parsed.flags.get('replay');
    if (replay !== undefined) {
      const steps = parseSteps(readFileSync(replay, 'utf8'));
      const { found } = await runSteps(async () => await World.open(starting(folder)), steps);
      const shown =
        found === undefined ? 'no difference\n' : describe({ session: 0, steps, found }, options.seed);
      process.stdout.write(shown);
      return found === undefined ? 0 : 1;
    }
    const { sessions, steps, difference } = await fuzz(async () => starting(folder), options);
    process.stdout.write(`seed ${options.seed}: ${steps} steps in ${sessions} sessions\n`);
    if (difference === undefined) {
      process.stdout.write('1 passed, 0 failed\n');
      return 0;
    }
    const save = parsed.flags.get('save') ?? join(ROOT, '.bench', 'fuzz');
    mkdirSync(save, { recursive: true });
    const file = join(save, `seed-${options.seed}-session-${difference.session}`);
    writeFileSync(`${file}.json`, caseText(difference, options.seed));
    writeFileSync(`${file}.steps`, stepsText(difference.steps));
    process.stdout.write(`${describe(difference, options.seed)}\nwritten: ${file}.json, ${file}.steps\n`);
    process.stdout.write('0 passed, 1 failed\n');
    return 1;
  });
}

/** Returns how the servers of one world start, in a folder of their own. */
function starting(parent: string): Start {
  for (const old of worlds.splice(0)) rmSync(old, { recursive: true, force: true });
  const folder = mkdtempSync(join(parent, 'world-'));
  worlds.push(folder);
  return (target, database, flags) =>
    startServer(target, { cwd: folder, flags: ['--db', join(folder, database), ...flags] });
}
