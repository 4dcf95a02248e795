/**
 * `twin-ingest doctor`: reports which agents are connected and how, the last event of each, and what the user must
 * do.
 *
 * Changes nothing. Exit code 0 when all is well, 1 when something needs doing, 2 for a wrong flag.
 */
import { resolve } from 'node:path';
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { type FlagTable, flagLines, parseFlags } from '@twin-ingest/testkit/process/flags.ts';
import { COMMAND } from './command-name.ts';
import { DEFAULT_ORIGIN } from './connect/agent.ts';
import { originOf, placeOf } from './connect/options.ts';
import { ALL_RECIPES, listed } from './connect/recipe.ts';
import { diagnose } from './doctor/diagnosis.ts';
import { reportLines } from './doctor/report.ts';
import { complainOf, printHelp, say } from './terminal.ts';

const FLAGS: FlagTable<'url' | 'token-file'> = {
  url: { value: 'URL', help: `server that agents should send to (default ${DEFAULT_ORIGIN})` },
  'token-file': { value: 'FILE', help: 'the file that the server has its token from' },
};

const HELP = `Usage: ${COMMAND} doctor [flags]

Says which agents are connected and how, what came last from each, what was refused and why, and what you have to do.
Reads the settings of these agents, yours and those of the folder you are in, and asks the servers that they name:
${listed(
  ALL_RECIPES.map(({ label }) => label),
  'and',
)}.
Changes nothing.

${flagLines(FLAGS)}
Exit code: 0 all is well, 1 something needs doing, 2 a wrong flag.
`;

const complain = complainOf('doctor');

letReadersLeave(() => undefined);

async function main(): Promise<number> {
  const parsed = parseFlags(process.argv.slice(2), FLAGS);
  if (parsed.kind === 'help') {
    printHelp(HELP);
    return 0;
  }
  const problems =
    parsed.kind === 'wrong' ? parsed.problems : parsed.words.map((word) => `unexpected argument ${word}`);
  const flags = parsed.kind === 'wrong' ? new Map<string, string>() : parsed.flags;
  const origin = originOf(flags.get('url') ?? DEFAULT_ORIGIN, problems);
  if (problems.length > 0) {
    for (const problem of problems) complain(problem);
    return 2;
  }
  const place = placeOf(process.env, process.cwd());
  const file = flags.get('token-file');
  const token_file = file === undefined ? null : resolve(place.cwd, file);
  const diagnosis = await diagnose({ place, origin, token_file });
  for (const line of reportLines(diagnosis, new Date())) say(line);
  return diagnosis.problems.length === 0 ? 0 : 1;
}

process.exitCode = await main();
