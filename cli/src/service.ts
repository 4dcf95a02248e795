/**
 * `twin-ingest service install|uninstall|status`: keeps a server running as a service of the user.
 *
 * Invariant: it writes and runs only what it showed and the user confirmed, and changes no file of another program.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { letReadersLeave } from '@twin-ingest/testkit/process/closed-output.ts';
import { COMMAND } from './command-name.ts';
import { placeOf } from './connect/options.ts';
import { isWanted } from './connect/question.ts';
import { createFolder } from './folder.ts';
import { serverOf } from './lifecycle/database.ts';
import { LAUNCHD } from './service/launchd.ts';
import { parseService, type ServiceOptions } from './service/options.ts';
import { type Home, MARK, type Manager, type Step } from './service/service.ts';
import { SYSTEMD } from './service/systemd.ts';
import { WINDOWS_TASK } from './service/windows-task.ts';
import { complainOf, printHelp, say } from './terminal.ts';

const complain = complainOf('service');

const MANAGERS: Readonly<Partial<Record<NodeJS.Platform, Manager>>> = {
  linux: SYSTEMD,
  darwin: LAUNCHD,
  win32: WINDOWS_TASK,
};

/** Runs the command; returns its exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  letReadersLeave(() => undefined);
  const parsed = await parseService(argv, process.env, process.cwd(), complain);
  if (parsed.kind === 'help') {
    printHelp(parsed.text);
    return 0;
  }
  if (parsed.kind === 'wrong') {
    for (const problem of parsed.problems) complain(problem);
    return 2;
  }
  const manager = MANAGERS[process.platform];
  if (manager === undefined) {
    complain(`there is no service manager for ${process.platform}`);
    return 1;
  }
  const { home, env } = placeOf(process.env, process.cwd());
  const place: Home = { home, env, uid: process.getuid?.() ?? 0 };
  const actions = { install, uninstall, status };
  return await actions[parsed.options.action](manager, place, parsed.options);
}

async function install(manager: Manager, home: Home, { server, yes }: ServiceOptions): Promise<number> {
  const [path, content] = [manager.path(home), Buffer.from(manager.definition(server))];
  const before = contentOf(path);
  if (before !== undefined && !isOurs(before)) return foreign(path);
  if (before?.equals(content)) {
    say(`Already installed: ${path}`);
    return 0;
  }
  say(`${path}${before === undefined ? ' (new)' : ' (replaced)'}`);
  say('');
  for (const line of textOf(content).trimEnd().split(/\r?\n/)) say(`  ${line}`);
  const steps = manager.install(home);
  show(manager, steps);
  if (!(await isConfirmed('Write this? [y/N] ', yes))) return yes || process.stdin.isTTY ? 1 : 2;
  createFolder(dirname(path));
  writeFileSync(path, content, { mode: 0o644 });
  say(`Written: ${path}`);
  if (!runAll(manager, steps)) return 1;
  say(`${COMMAND} service uninstall takes it back; the database stays.`);
  return 0;
}

async function uninstall(manager: Manager, home: Home, { yes }: ServiceOptions): Promise<number> {
  const path = manager.path(home);
  const content = contentOf(path);
  if (content === undefined) {
    say(`Not installed: ${path} does not exist.`);
    return 0;
  }
  if (!isOurs(content)) return foreign(path);
  const { before, after } = manager.uninstall(home);
  say(`Removes ${path}. The database stays.`);
  show(manager, [...before, ...after]);
  if (!(await isConfirmed('Remove this? [y/N] ', yes))) return yes || process.stdin.isTTY ? 1 : 2;
  const isStopped = runAll(manager, before);
  rmSync(path, { force: true });
  say(`Removed: ${path}`);
  return runAll(manager, after) && isStopped ? 0 : 1;
}

async function status(manager: Manager, home: Home, { database }: ServiceOptions): Promise<number> {
  const path = manager.path(home);
  const content = contentOf(path);
  say(
    content === undefined
      ? 'not installed'
      : `installed: ${path}${isOurs(content) ? '' : ' (of another program)'}`,
  );
  if (content !== undefined && manager.isTested) {
    const [program, ...args] = manager.status(home);
    say(`${manager.label}: ${spawnSync(program, args, { encoding: 'utf8' }).stdout?.trim() || 'unknown'}`);
  }
  const owner = await serverOf(database);
  say(owner !== undefined ? `a server answers at ${owner.url}` : `no server answers for ${database}`);
  return content !== undefined && owner !== undefined ? 0 : 1;
}

function contentOf(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    const failed = error as NodeJS.ErrnoException;
    if (failed.code === 'ENOENT') return undefined;
    // Reading a folder fails without its path.
    failed.path ??= path;
    throw failed;
  }
}

/** Decodes UTF-16 with a byte order mark, else UTF-8. */
function textOf(content: Buffer): string {
  const isUtf16 = content[0] === 0xff && content[1] === 0xfe;
  return isUtf16 ? content.toString('utf16le').slice(1) : content.toString('utf8');
}

function isOurs(content: Buffer): boolean {
  return textOf(content).split('\n').slice(0, 4).join('\n').includes(MARK);
}

function foreign(path: string): number {
  complain(`${path} is not of this command, so it stays as it is; move it away first`);
  return 1;
}

function show({ isTested, label }: Manager, steps: readonly Step[]): void {
  say('');
  say(isTested ? 'Then runs:' : `Then you run (this command has not been tested with ${label}):`);
  for (const step of steps) say(`  ${step.join(' ')}`);
  say('');
}

async function isConfirmed(question: string, yes: boolean): Promise<boolean> {
  if (yes) return true;
  if (!process.stdin.isTTY) {
    complain('stdin is no terminal to ask on; --yes does it without asking');
    return false;
  }
  if (await isWanted(question, process.stdin, process.stdout)) return true;
  say('Nothing was changed.');
  return false;
}

/** Runs the commands in their order, up to the first failure. */
function runAll({ isTested }: Manager, steps: readonly Step[]): boolean {
  if (!isTested) return true;
  for (const [program, ...args] of steps) {
    const { status, error, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    if (status === 0) continue;
    complain(`${program} ${args.join(' ')} failed: ${(error?.message ?? stderr).trim()}`);
    complain('run it yourself when the service manager of your user runs');
    return false;
  }
  return true;
}

process.exitCode = await run(process.argv.slice(2));
