/** `pnpm cluster:figures`: measures what a shared stream costs. The results are in docs/cluster.md. */
import { natsProgram } from '@twin-ingest/testkit/nats/program.ts';
import { Failure } from '@twin-ingest/testkit/process/failure.ts';
import { type FlagTable, flagLines, numberOf, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { runCommand } from '../command.ts';
import { measureCatchUp } from './catch-up.ts';
import { measureGap } from './gap.ts';
import { measureLag } from './lag.ts';
import type { Measuring } from './measuring.ts';
import { measureThroughput } from './throughput.ts';

const PARTS: Readonly<Record<string, (measuring: Measuring) => Promise<void>>> = {
  throughput: measureThroughput,
  gap: measureGap,
  'catch-up': measureCatchUp,
  lag: measureLag,
};
const SECONDS = [1, 5, 60] as const;

type Name = 'only' | 'seconds' | 'no-build';

const FLAGS: FlagTable<Name> = {
  only: { value: 'LIST', help: `only these parts, separated by commas: ${Object.keys(PARTS).join(', ')}` },
  seconds: { value: 'N', help: `length of a slice of load (default ${SECONDS[1]})` },
  'no-build': { help: 'start what is built already, stale or not' },
};

const USAGE = `Usage: pnpm cluster:figures [flags]

Measures servers that share a stream of NATS: throughput, latency and processor time, the gap at the death of a leader,
the catch-up of an empty copy, and the lag between servers. Prints one JSON object per figure.

${flagLines(FLAGS)}
Exit code: 0 measured, 1 something failed, 2 a wrong flag, 130 interrupted.
`;

async function main(): Promise<number> {
  const parsed = parseFlags(process.argv.slice(2), FLAGS);
  if (parsed.kind === 'help') {
    process.stdout.write(USAGE);
    return 0;
  }
  const problems = parsed.kind === 'wrong' ? [...parsed.problems] : [];
  const { flags, words } = parsed.kind === 'given' ? parsed : { flags: new Map<Name, string>(), words: [] };
  problems.push(...words.map((word) => `unexpected argument ${word}`));
  const parts = flags.get('only')?.split(',') ?? Object.keys(PARTS);
  for (const part of parts) if (!Object.hasOwn(PARTS, part)) problems.push(`--only has no part ${part}`);
  const seconds = numberOf(flags, 'seconds', SECONDS, problems);
  if (problems.length > 0) {
    for (const problem of problems) process.stderr.write(`cluster:figures: ${problem}\n`);
    return 2;
  }
  return await runCommand({
    name: 'cluster:figures',
    runtimes: TARGET_NAMES,
    build: !flags.has('no-build'),
    interrupted: 130,
    work: async (lifetime) => {
      const program = await natsProgram();
      if ('missing' in program) throw new Failure('nats_missing', program.missing);
      const add: Measuring['add'] = (figure) => void process.stdout.write(`${JSON.stringify(figure)}\n`);
      for (const part of parts)
        await lifetime.orInterrupted(PARTS[part]!({ program: program.path, seconds, add, lifetime }));
      return 0;
    },
  });
}

process.exitCode = await main();
