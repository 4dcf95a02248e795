/**
 * `twin-ingest connect AGENT`: edits an agent's settings so that it sends its events to a server of this project; `--undo`
 * reverts that.
 *
 * Invariant: it writes only changes that it showed and the user confirmed. It keeps the previous text in a backup,
 * and leaves a file that is not a settings file unchanged. The edits are in connect/, one module per agent.
 */
import { existsSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { COMMAND } from './command-name.ts';
import {
  type ChangeKind,
  DEFAULT_ORIGIN,
  type Edit,
  isLoopback,
  SettingsError,
  type SettingsPart,
} from './connect/agent.ts';
import { type ConnectOptions, parseConnect } from './connect/options.ts';
import { isWanted } from './connect/question.ts';
import { reachability } from './connect/reachability.ts';
import {
  checkTarget,
  keepBackup,
  readSettings,
  removeSettings,
  type SettingsFile,
  writeSettings,
} from './connect/settings-file.ts';
import { reasonOf } from './request.ts';
import { complainOf, printHelp, say } from './terminal.ts';

const complain = complainOf('connect');

let isSeen = true;
letReadersLeave(() => {
  isSeen = false;
});

interface Planned {
  readonly file: SettingsFile;
  readonly edit: Edit;
  readonly isChanged: boolean;
}

async function main(): Promise<number> {
  const parsed = parseConnect(process.argv.slice(2), process.env, process.cwd());
  if (parsed.kind === 'help') {
    printHelp(parsed.text);
    return 0;
  }
  if (parsed.kind === 'wrong') {
    for (const problem of parsed.problems) complain(problem);
    return 2;
  }
  try {
    return await connect(parsed.options);
  } catch (error) {
    complain(reasonOf(error, 0));
    return 1;
  }
}

async function connect(options: ConnectOptions): Promise<number> {
  const { agent, place, choice, undo } = options;
  const plans: Planned[] = [];
  // Reads every file before writing any: if one cannot be edited, all stay unchanged.
  for (const part of agent.parts(place, choice)) {
    const plan = planOf(part, options);
    if (plan === null) return 1;
    plans.push(plan);
  }
  for (const plan of plans) show(plan);
  const changed = plans.filter(({ isChanged }) => isChanged);
  const conflicts = plans.flatMap(({ edit }) => edit.changes.filter(({ kind }) => kind === 'conflict'));
  if (changed.length === 0) {
    if (conflicts.length === 0) say(undo ? 'Nothing to take out.' : 'Already connected.');
    return await ending(options, conflicts.length > 0);
  }
  if (options.dryRun) {
    say('Nothing was written (--dry-run).');
    return await ending(options, false);
  }
  if (!options.yes && !process.stdin.isTTY) {
    complain('stdin is no terminal to ask on; --yes writes without asking');
    return 2;
  }
  if (!options.yes && !(await isWanted('Write this? [y/N] ', process.stdin, process.stdout))) {
    say('Nothing was written.');
    return 1;
  }
  // Node reports a closed output one turn later.
  await setImmediate();
  if (!isSeen) {
    complain('no terminal can show the change; nothing was written');
    return 1;
  }
  // The agent also writes its settings, and the user may have taken long to answer.
  const moved = changed.find(({ file }) => readSettings(file.path).text !== file.text);
  if (moved !== undefined) {
    complain(`${moved.file.path} has changed meanwhile; run it again`);
    return 1;
  }
  for (const { file, edit } of changed) {
    const backup = keepBackup(file);
    if (edit.text === null) removeSettings(file);
    else writeSettings(file, edit.text);
    const done = edit.text === null ? 'Removed' : 'Written';
    say(`${done}${backup === null ? '' : `; what it said before is in ${backup}`}.`);
  }
  if (!undo) for (const line of advice(options)) say(line);
  if (!undo) say(await reached(options));
  return 0;
}

function planOf(part: SettingsPart, { server, undo }: ConnectOptions): Planned | null {
  try {
    const file = readSettings(part.path);
    const edit = undo ? part.disconnected(file.text) : part.connected(file.text, server);
    // A missing file equals an edit that leaves no content.
    const isChanged = edit.changes.some(({ kind }) => kind === 'add' || kind === 'remove');
    if (isChanged) checkTarget(file);
    return { file, edit, isChanged };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    complain(`${part.path} ${error.message}`);
    complain('nothing was written');
    return null;
  }
}

/** Returns the text for the case that nothing was written. */
async function ending(options: ConnectOptions, isRefused: boolean): Promise<number> {
  if (isRefused) complain('nothing was written');
  if (!options.undo) say(await reached(options));
  return isRefused ? 1 : 0;
}

async function reached({ agent, server }: ConnectOptions): Promise<string> {
  const url = server.origin === DEFAULT_ORIGIN ? '' : ` --url ${server.origin}`;
  return await reachability(server, `${COMMAND} connect ${agent.name}${url}`);
}

const SIGNS: Readonly<Record<ChangeKind, string>> = { add: '+', remove: '-', keep: '=', conflict: '!' };
const NOTES: Readonly<Record<ChangeKind, string>> = {
  add: '',
  remove: '',
  keep: '  (not as it was written here, so left)',
  conflict: '  (your own setting, so left)',
};

function show({ file, edit: { changes } }: Planned): void {
  if (changes.length === 0) return;
  say(`${file.path}${file.text === null ? ' (new)' : ''}`);
  say('');
  const width = Math.max(...changes.map(({ name }) => name.length));
  for (const { kind, name, value } of changes)
    say(`${SIGNS[kind]} ${name.padEnd(width)}  ${value}${NOTES[kind]}`);
  const count = (kind: ChangeKind) => changes.filter((change) => change.kind === kind).length;
  say('');
  say(`${count('add')} added, ${count('remove')} taken out, everything else stays as it is.`);
  if (count('conflict') > 0)
    say(
      'Settings with ! are yours and are in the way: remove them and run it again, or send telemetry here by hand.',
    );
  say('');
}

function advice({ agent, server, place }: ConnectOptions): string[] {
  const { origin, token_file } = server;
  const lines = [`What is sent goes to ${origin} and nowhere else.`, ...agent.advice(server, place)];
  if (!isLoopback(origin)) lines.push(`${origin} is not this machine: what is sent leaves it.`);
  if (token_file !== null && !existsSync(token_file)) lines.push(`${token_file} does not exist yet.`);
  lines.push(
    `New sessions of ${agent.label} are watched from now on; ${COMMAND} connect ${agent.name} --undo takes it back.`,
  );
  return lines;
}

process.exitCode = await main();
