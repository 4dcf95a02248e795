/**
 * `pnpm bench:targets`: every measurement behind the table of docs/performance.md, one after the other.
 *
 * Each is a program of its own with the flags below, so that one can be repeated alone. What must stay true: nothing
 * else of this program runs meanwhile; each begins on a machine that has come to rest, or says in its result that it
 * did not; the first that fails ends the run with its exit code, and what was measured before stays.
 */
import { spawn } from 'node:child_process';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import { MEASURED_FILES } from './export/target-rows.ts';

type Name = (typeof MEASURED_FILES)[number];

const COMPARE = './main.ts';
/** Longer than `ROUND_S` of options/flags.ts, and for its reason: a round is up to a third shorter than its trial said. */
const FULL = ['--driver=wrk', '--preload=1000000', '--duration=15'];
const BATCH = ['--mode=batch', ...FULL];

/** DATA: the program and flags of each; what `real` reads is added. */
const MEASUREMENTS: Readonly<Record<Name, readonly [program: string, ...flags: string[]]>> = {
  small: [COMPARE, ...BATCH, '--payload=small'],
  real: [COMPARE, ...BATCH],
  single: [COMPARE, '--mode=single', ...FULL, '--payload=small'],
  power: [COMPARE, ...BATCH, '--payload=small', '--durability=power'],
  open: [
    COMPARE,
    '--mode=open',
    '--preload=1000000',
    '--payload=small',
    '--rate=10000,30000,75%',
    '--duration=10',
  ],
  points: ['./points-main.ts', '--rounds=5', '--seconds=15', '--idle-seconds=15'],
  limits: ['./limit-main.ts', '--payload=small', '--events=500000', '--repeats=2'],
};

const REST_LOAD = 0.45;
const REST_EVERY_MS = 2_000;
const REST_MOST_S = 300;

const HELP = `Usage: pnpm bench:targets [-- FLAGS]

Measures everything behind the table of docs/performance.md, which takes more than an hour on an idle machine, and
needs Linux and wrk. Each measurement first builds what it needs. \`pnpm results:update\` makes the table.

  --corpus=FILE       recorded events for the row on real ones, which is left out without
  --only=NAME,NAME    not all of ${MEASURED_FILES.join(', ')}
  --dir=FOLDER        where the files are written [docs/performance]
  --rest=SECONDS      how long to wait at most for a load average below ${REST_LOAD} [${REST_MOST_S}]
  --list              print the programs and their flags, and measure nothing
  --help              print this text and exit

Exit: 0 measured, 2 a flag is wrong, else that of the measurement that failed.
`;

interface Wanted {
  readonly names: readonly Name[];
  readonly corpus: string | undefined;
  readonly dir: string;
  readonly rest_s: number;
  readonly list: boolean;
}

/** Flags as they stand after the program; a text says what is wrong with them, or is the help. */
function parse(argv: readonly string[]): Wanted | string {
  try {
    const { values } = parseArgs({
      args: argv.filter((argument) => argument !== '--'),
      options: {
        corpus: { type: 'string' },
        only: { type: 'string' },
        dir: { type: 'string', default: join(ROOT, 'docs/performance') },
        rest: { type: 'string', default: String(REST_MOST_S) },
        list: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return HELP;
    const only = values.only?.split(',');
    const unknown = only?.find((name) => !MEASURED_FILES.some((known) => known === name));
    if (unknown !== undefined) return `--only knows ${MEASURED_FILES.join(', ')}, not ${unknown}`;
    if (!/^\d{1,4}$/.test(values.rest)) return `--rest is a number of seconds, not ${values.rest}`;
    const from = process.env.INIT_CWD ?? '.';
    const corpus = values.corpus === undefined ? undefined : resolve(from, values.corpus);
    if (only?.includes('real') && corpus === undefined) return '--only=real needs a --corpus';
    const names = MEASURED_FILES.filter((name) =>
      only === undefined ? name !== 'real' || corpus !== undefined : only.includes(name),
    );
    return { names, corpus, dir: resolve(from, values.dir), rest_s: Number(values.rest), list: values.list };
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function commandOf(name: Name, { corpus, dir }: Wanted): string[] {
  const [program, ...flags] = MEASUREMENTS[name];
  const source = name === 'real' ? [`--corpus=${corpus}`] : [];
  const file = fileURLToPath(new URL(program, import.meta.url));
  return [file, ...flags, ...source, `--out=${join(dir, `${name}.json`)}`];
}

/** Until what ran before is over for the machine, too. */
async function rest(most_s: number): Promise<void> {
  for (let waited = 0; waited < most_s * 1000 && loadavg()[0]! > REST_LOAD; waited += REST_EVERY_MS)
    await sleep(REST_EVERY_MS);
}

/** The exit code; what a signal ended counts as interrupted. */
function run(command: readonly string[]): Promise<number> {
  const child = spawn(process.execPath, command, { stdio: 'inherit' });
  return new Promise((settle, reject) => {
    child.once('error', reject);
    child.once('close', (code) => settle(code ?? 130));
  });
}

letReadersLeave();
const wanted = parse(process.argv.slice(2));
if (wanted === HELP) process.stdout.write(HELP);
else if (typeof wanted === 'string') {
  process.stderr.write(`bench:targets: ${wanted}; --help lists all flags\n`);
  process.exitCode = 2;
} else {
  // Ctrl-C reaches the measurement as well, which cleans up and ends; what it says is passed on.
  process.on('SIGINT', () => undefined);
  for (const name of wanted.names) {
    const command = commandOf(name, wanted);
    process.stderr.write(`== ${name}: node ${command.map((part) => part.replace(ROOT, '')).join(' ')}\n`);
    if (wanted.list) continue;
    await rest(wanted.rest_s);
    const code = await run(command);
    if (code === 0) continue;
    process.stderr.write(`bench:targets: ${name} ended with ${code}\n`);
    process.exitCode = code;
    break;
  }
}
