#!/usr/bin/env node
/**
 * `twin-ingest [command]`: starts a server, or runs one of the commands of `commands.ts`.
 *
 * Invariant: it loads only the command that the user chose, so that a start stays fast.
 */
import CONFIG from '../../contract/config.json' with { type: 'json' };
import VERSION from '../package.json' with { type: 'json' };
import { COMMANDS, type Command } from './commands.ts';
import { SERVER_COMMANDS } from './launch/options.ts';
import { systemSentence } from './system-error.ts';
import { printHelp, say, warn, warnLines } from './terminal.ts';

const [word, ...rest] = process.argv.slice(2);

async function main(): Promise<number | undefined> {
  if (word === undefined || word.startsWith('-')) {
    if (process.argv.includes('--help') || word === '-h') return await help();
    if (process.argv.includes('--version')) {
      say(`twin-ingest ${VERSION.version}`);
      return 0;
    }
    return await start(process.argv.slice(2));
  }
  if (word === 'start') return rest.includes('--help') ? await help() : await start(rest);
  // A server's own help would need a built server.
  if (SERVER_COMMANDS.includes(word))
    return rest.includes('--help') ? await help() : await start(process.argv.slice(2));
  const command = COMMANDS.find(({ name }) => name === word);
  if (command !== undefined) return await run(command);
  const near = ['start', ...COMMANDS.map(({ name }) => name), ...SERVER_COMMANDS].find((name) =>
    isNear(name, word),
  );
  const meant = near === undefined ? '' : `; do you mean ${near}?`;
  warn(`twin-ingest: unknown command ${word}${meant}; --help lists all`);
  return 2;
}

/** Returns whether two words differ by a letter that is missing, extra or in another place. */
function isNear(a: string, b: string): boolean {
  const without = (word: string) => [word, ...[...word].map((_, i) => word.slice(0, i) + word.slice(i + 1))];
  const own = without(a);
  return without(b).some((word) => own.includes(word));
}

async function start(argv: readonly string[]): Promise<number> {
  return await (await import('./launch.ts')).launch(argv);
}

/** Runs a program that reads `process.argv` and sets the exit code itself. */
async function run({ load, startsServer }: Command): Promise<undefined> {
  process.argv = [process.argv[0]!, process.argv[1]!, ...rest];
  if (startsServer && !rest.includes('--help') && !rest.some((flag) => flag.startsWith('--server'))) {
    const { installedServer } = await import('./launch/facts.ts');
    process.argv.push('--server', await installedServer());
  }
  await load();
  return undefined;
}

async function help(): Promise<number> {
  const { helpText } = await import('./launch/help.ts');
  printHelp(helpText(COMMANDS, CONFIG));
  return 0;
}

/** Ends the program after an error that no command handled. A wrong path or a full disk is no fault of the program. */
function fail(error: unknown): never {
  const trace = error instanceof Error ? error.stack : error;
  warnLines(`twin-ingest: ${systemSentence(error) ?? trace}`);
  process.exit(1);
}

process.on('uncaughtException', fail);
try {
  const code = await main();
  if (code !== undefined) process.exitCode = code;
} catch (error) {
  fail(error);
}
