/** Tests `--help` of every command of package.json that runs a program of this repository. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { falseClaims } from '../documents/claims.ts';
import { readDocumentFacts } from '../documents/facts.ts';
import { subcommands } from './subcommands.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>;
};
const FACTS = await readDocumentFacts(ROOT);
const PROGRAMS = Object.entries(scripts).filter(([, command]) => /\bnode [^-]\S*\.[jt]s\b/.test(command));
const SUBCOMMANDS = ['[command]', ...subcommands()];
/** Folders that a build writes. */
const BUILT = ['server-ts/dist', 'dashboard/dist', 'client-ts/dist'];

/** A PATH without programs, so that neither cargo nor a package manager can start. */
const empty = mkdtempSync(join(tmpdir(), 'scripts-help-'));
after(() => rmSync(empty, { recursive: true }));

/** Returns names and times of all built files. */
function builtFiles(): string[] {
  return BUILT.flatMap((folder) => {
    const path = join(ROOT, folder);
    if (statSync(path, { throwIfNoEntry: false }) === undefined) return [`${folder} is missing`];
    return readdirSync(path).map((file) => `${folder}/${file} ${statSync(join(path, file)).mtimeMs}`);
  });
}

async function help(command: string) {
  const [, ...args] = command.split(' ');
  const child = spawn(process.execPath, [...args, '--help'], {
    cwd: ROOT,
    env: { PATH: empty, HOME: empty },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ]);
  return { code: code as number | null, stdout, stderr };
}

test('package.json has commands that run programs', () => {
  const names = PROGRAMS.map(([name]) => name);
  for (const name of [
    'start:rs',
    'start:ts',
    'connect',
    'demo',
    'parity',
    'bench:reads',
    'bench:compare',
    'test',
  ])
    assert.ok(names.includes(name), name);
});

for (const [name, command] of PROGRAMS) {
  test(`pnpm ${name} --help prints the usage, exits with 0 and builds nothing`, async () => {
    // In a chain of commands, only the last program would get the flag.
    assert.match(command, /^node \S+( [\w:=.,/-]+)*$/, 'is one program with its flags');
    const before = builtFiles();
    const { code, stdout, stderr } = await help(command);
    assert.deepEqual({ code, stderr }, { code: 0, stderr: '' });
    const [, script, subcommand] = /^Usage: (?:pnpm ([\w:-]+)|\.\/twin-ingest (\[command\]|\w+))/.exec(
      stdout,
    )!;
    if (script === undefined) assert.ok(SUBCOMMANDS.includes(subcommand!), `${subcommand} is a command`);
    else assert.ok(script in scripts, `${script} is in package.json`);
    assert.deepEqual(builtFiles(), before);
    assert.deepEqual(falseClaims(`the help of ${name}`, stdout, FACTS), []);
  });
}
