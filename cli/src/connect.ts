/**
 * `pnpm connect claude-code`: writes hooks into the settings of Claude Code, so that everything it does is posted to a
 * server of this project; `--undo` takes them out again.
 *
 * What must stay true: nothing is written that was not shown, not even to who left meanwhile, nor without a yes; what the
 * file said before is kept beside it; what is no settings file is left alone. The edit itself is connect/claude-settings.ts.
 */
import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { isLoopback, TOKEN_VARIABLE } from './connect/claude-hooks.ts';
import {
  type Change,
  connected,
  disconnected,
  type Edit,
  obstaclesTo,
  SettingsError,
} from './connect/claude-settings.ts';
import { type ConnectOptions, parseConnect } from './connect/options.ts';
import { isWanted } from './connect/question.ts';
import { reachability } from './connect/reachability.ts';
import { keepBackup, readSettings, type SettingsFile, writeSettings } from './connect/settings-file.ts';

const say = (line: string) => void process.stdout.write(`${line}\n`);
const complain = (line: string) => void process.stderr.write(`connect: ${line}\n`);

let isSeen = true;
letReadersLeave(() => {
  isSeen = false;
});

async function main(): Promise<number> {
  const parsed = parseConnect(process.argv.slice(2), process.env, process.cwd());
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  if (parsed.kind === 'wrong') {
    for (const problem of parsed.problems) complain(problem);
    return 2;
  }
  const { options } = parsed;
  try {
    return await connect(options);
  } catch (error) {
    if (error instanceof SettingsError) {
      complain(`${options.settings} ${error.message}`);
      complain('nothing was written');
    } else complain(error instanceof Error ? error.message : String(error));
    return 1;
  }
}

async function connect(options: ConnectOptions): Promise<number> {
  const file = readSettings(options.settings);
  const before = textOf(file);
  const edit = options.undo ? disconnected(before) : connected(before, options.server);
  show(file, edit);
  if (edit.text === before) {
    say(options.undo ? 'Nothing to take out.' : 'Already connected.');
    if (!options.undo) say(await reachability(options.server.origin));
    return 0;
  }
  if (options.dryRun) {
    say('Nothing was written (--dry-run).');
    if (!options.undo) say(await reachability(options.server.origin));
    return 0;
  }
  if (!options.yes && !process.stdin.isTTY) {
    complain('stdin is no terminal to ask on; --yes writes without asking');
    return 2;
  }
  if (!options.yes && !(await isWanted('Write this? [y/N] ', process.stdin, process.stdout))) {
    say('Nothing was written.');
    return 1;
  }
  // That what was shown went nowhere is known a turn later.
  await setImmediate();
  if (!isSeen) {
    complain('nobody is there to be shown the change; nothing was written');
    return 1;
  }
  // The agent writes its settings too, and whoever was asked may have taken long.
  if (readSettings(options.settings).text !== file.text) {
    complain(`${file.path} has changed meanwhile; run it again`);
    return 1;
  }
  const backup = keepBackup(file);
  writeSettings(file, edit.text);
  say(`Written${backup === null ? '' : `; what it said before is in ${backup}`}.`);
  for (const line of options.undo ? [] : advice(options, edit.text)) say(line);
  if (!options.undo) say(await reachability(options.server.origin));
  return 0;
}

/** No file, and one without a text, say nothing yet. */
function textOf({ text }: SettingsFile): string {
  return text === null || text.trim() === '' ? '{}\n' : text;
}

const SIGNS: Readonly<Record<Change['kind'], string>> = { add: '+', remove: '-', keep: '=' };

function show({ path, text }: SettingsFile, { changes }: Edit): void {
  if (changes.length === 0) return;
  say(`${path}${text === null ? ' (new)' : ''}\n`);
  const width = Math.max(...changes.map(({ event }) => event.length));
  for (const { kind, event, handler } of changes) {
    const what = handler.type === 'http' ? `http     ${handler.url}` : `command  ${handler.command}`;
    say(
      `${SIGNS[kind]} ${event.padEnd(width)}  ${what}${kind === 'keep' ? '  (changed by hand, so left)' : ''}`,
    );
  }
  const count = (kind: Change['kind']) => changes.filter((change) => change.kind === kind).length;
  say(`\n${count('add')} hooks added, ${count('remove')} taken out, everything else stays as it is.`);
}

function advice({ server, settings }: ConnectOptions, text: string): string[] {
  const lines = [
    `Hooks hold prompts, commands and files; they go to ${server.origin} and nowhere else.`,
    'Connect your own settings or those of a project, not both: each hook would be stored twice.',
    ...obstaclesTo(text, server),
  ];
  if (!isLoopback(server.origin))
    lines.push(`${server.origin} is not this machine: what hooks hold leaves it.`);
  const { token_file } = server;
  if (token_file !== null) {
    if (!existsSync(token_file)) lines.push(`${token_file} does not exist yet.`);
    lines.push(
      `HTTP hooks take the token from the environment, so that it is not in ${settings}; start Claude Code with it:`,
      `  export ${TOKEN_VARIABLE}="$(cat '${token_file.replaceAll("'", "'\\''")}')"`,
    );
  }
  lines.push(
    'New sessions of Claude Code are watched from now on; pnpm connect claude-code --undo takes it back.',
  );
  return lines;
}

process.exitCode = await main();
