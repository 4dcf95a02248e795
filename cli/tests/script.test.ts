/**
 * Tests the script `twin-ingest` at the root: it runs a command of the checkout for every caller and shell.
 *
 * A folder with this script stands for a fresh clone. The test writes the programs that take the part of pnpm, Node and
 * the command line. So no test needs a network or installs anything.
 */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const SCRIPT = fileURLToPath(new URL('../../twin-ingest', import.meta.url));
const SHELLS = ['sh', 'dash', 'busybox', 'bash'].filter(
  (shell) => spawnSync(shell, [...(shell === 'busybox' ? ['sh'] : []), '-c', 'true']).status === 0,
);
const base = mkdtempSync(join(tmpdir(), 'twin ingest, the "script" of it\'s '));
after(() => rmSync(base, { recursive: true, force: true }));

/** Prints what reached it, as JSON. */
const PROGRAM = `
const { TWIN_INGEST_COMMAND: command, INIT_CWD } = process.env;
if (process.argv[2] === 'exit') process.exit(Number(process.argv[3]));
else if (process.argv[2] === 'wait') { process.on(process.argv[3], () => process.exit(7)); console.log('waits'); setInterval(() => {}, 1000); }
else {
  let input = '';
  process.stdin.on('error', () => {}).on('data', (text) => { input += text; }).on('end', () =>
    console.log(JSON.stringify({ argv: process.argv.slice(2), cwd: process.cwd(), command, INIT_CWD, input, node: process.argv0 })));
}
`;

/** Takes the part of pnpm: it counts its runs, and installs slowly. */
const PNPM = `#!/bin/sh
[ "$1" != --version ] || { echo 1.2.3; exit; }
echo "$@" >> runs
echo 'Progress: done'
[ ! -e broken ] || { echo 'no network' >&2; exit 1; }
sleep 0.3
mkdir -p node_modules/.pnpm && cp pnpm-lock.yaml node_modules/.pnpm/lock.yaml
`;

interface Clone {
  readonly root: string;
  readonly env: Readonly<Record<string, string>>;
}

let clones = 0;

/** Returns a copy with nothing installed. \`bin\` are the programs that PATH has next to those of the system. */
function clone(bin: Readonly<Record<string, string>> = { pnpm: PNPM }): Clone {
  const root = join(base, `copy ${++clones}`);
  mkdirSync(join(root, 'cli/src'), { recursive: true });
  copyFileSync(SCRIPT, join(root, 'twin-ingest'));
  chmodSync(join(root, 'twin-ingest'), 0o755);
  writeFileSync(join(root, 'cli/src/main.ts'), PROGRAM);
  writeFileSync(join(root, 'package.json'), '{\n  "packageManager": "pnpm@1.2.3"\n}\n');
  writeFileSync(join(root, 'pnpm-lock.yaml'), 'lock: 1\n');
  const path = join(root, 'bin');
  mkdirSync(path);
  for (const [name, text] of Object.entries(bin)) {
    writeFileSync(join(path, name), text);
    chmodSync(join(path, name), 0o755);
  }
  symlinkSync(process.execPath, join(path, 'node'));
  for (const tool of [
    'sh',
    'cat',
    'cmp',
    'cp',
    'echo',
    'ln',
    'mkdir',
    'readlink',
    'rm',
    'rmdir',
    'sed',
    'sleep',
    'touch',
  ])
    symlinkSync(
      spawnSync('sh', ['-c', `command -v ${tool}`], { encoding: 'utf8' }).stdout.trim(),
      join(path, tool),
    );
  return { root, env: { PATH: path } };
}

function installed(): Clone {
  const made = clone();
  assert.equal(run(made, ['exit', '0']).status, 0);
  return made;
}

function run(
  { root, env }: Clone,
  argv: readonly string[],
  { program = join(root, 'twin-ingest'), cwd = root, input = '', shell = '', more = {} } = {},
) {
  const words =
    shell === '' ? [program, ...argv] : [...(shell === 'busybox' ? ['sh'] : []), program, ...argv];
  return spawnSync(shell === '' ? words[0]! : shellPath(shell), shell === '' ? words.slice(1) : words, {
    cwd,
    env: { ...env, ...more },
    encoding: 'utf8',
    input,
    timeout: 30_000,
  });
}

function shellPath(shell: string): string {
  return spawnSync('sh', ['-c', `command -v ${shell}`], { encoding: 'utf8' }).stdout.trim();
}

interface Reached {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly command: string;
  readonly INIT_CWD?: string;
  readonly input: string;
}

const reached = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout) as Reached;

for (const shell of SHELLS)
  test(`in ${shell} the script installs once, then passes on arguments, folder and stdin`, () => {
    const made = clone();
    const argv = ['a b', '', "it's", '"q"', '$HOME', '*', '--', '-n', 'ü\n'];
    const first = run(made, argv, { shell, input: 'some input' });
    assert.equal(first.status, 0, first.stderr);
    assert.match(first.stderr, /^twin-ingest: installing the dependencies of .*\nProgress: done\n$/);
    assert.deepEqual(reached(first).argv, argv);
    assert.equal(reached(first).input, 'some input');
    assert.equal(reached(first).cwd, made.root);
    const again = run(made, argv, { shell, more: { INIT_CWD: '/elsewhere' } });
    assert.deepEqual([again.stderr, reached(again).INIT_CWD], ['', undefined]);
    assert.equal(
      readFileSync(join(made.root, 'runs'), 'utf8'),
      'install --frozen-lockfile --loglevel=error\n',
    );
    assert.equal(existsSync(join(made.root, '.installing')), false);
  });

test('the script installs again when the text of the lockfile has changed', () => {
  const made = installed();
  const lock = join(made.root, 'pnpm-lock.yaml');
  const later = new Date(Date.now() + 5_000);
  utimesSync(lock, later, later);
  assert.equal(run(made, ['exit', '0']).stderr, '', 'only the time has changed');
  writeFileSync(lock, 'lock: 2\n');
  utimesSync(lock, later, later);
  assert.match(run(made, ['exit', '0']).stderr, /installing/);
  assert.equal(run(made, ['exit', '0']).stderr, '');
});

test('the script names itself as the caller can call it from any folder', () => {
  const made = installed();
  const link = join(base, 'link');
  symlinkSync(join(made.root, 'twin-ingest'), link);
  const script = join(made.root, 'twin-ingest');
  const named = (program: string, cwd: string, more = {}) =>
    reached(run(made, [], { program, cwd, more })).command;
  assert.equal(named('./twin-ingest', made.root), './twin-ingest');
  assert.equal(named(script, '/'), script);
  assert.equal(named('../twin-ingest', join(made.root, 'cli')), script);
  assert.equal(named(link, '/'), link);
  assert.equal(reached(run(made, [], { program: 'twin-ingest', shell: 'sh' })).command, './twin-ingest');
  symlinkSync(script, join(made.root, 'bin/twin-ingest'));
  assert.equal(named(join(made.root, 'bin/twin-ingest'), '/', made.env), 'twin-ingest');
});

test('the exit code is that of the program', () => {
  const made = installed();
  for (const code of [0, 2, 65, 75]) assert.equal(run(made, ['exit', String(code)]).status, code);
});

for (const signal of ['SIGINT', 'SIGTERM'] as const)
  test(`${signal} reaches the program, which has the process of the script`, async () => {
    const made = installed();
    const child = spawn(join(made.root, 'twin-ingest'), ['wait', signal], { cwd: made.root, env: made.env });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.kill(signal);
    const code = await new Promise((resolve) => child.once('close', resolve));
    assert.equal(code, 7);
  });

test('a closed stdin and a read-only checkout are no obstacle', () => {
  const made = installed();
  const command = `exec "$0" exit 3 <&-`;
  assert.equal(spawnSync('sh', ['-c', command, join(made.root, 'twin-ingest')], { env: made.env }).status, 3);
  for (const folder of ['.', 'node_modules', 'cli']) chmodSync(join(made.root, folder), 0o555);
  try {
    const { status, stderr } = run(made, ['exit', '3']);
    assert.deepEqual([status, stderr], [3, '']);
  } finally {
    for (const folder of ['.', 'node_modules', 'cli']) chmodSync(join(made.root, folder), 0o755);
  }
});

test('callers at once install once, also when a killed one has left its lock', async () => {
  const made = clone();
  const dead = spawnSync('true').pid;
  symlinkSync(String(dead), join(made.root, '.installing'));
  const codes = await Promise.all(
    Array.from({ length: 6 }, () => {
      const child = spawn(join(made.root, 'twin-ingest'), ['exit', '5'], { cwd: made.root, env: made.env });
      return new Promise((resolve) => child.once('close', resolve));
    }),
  );
  assert.deepEqual(codes, [5, 5, 5, 5, 5, 5]);
  assert.equal(readFileSync(join(made.root, 'runs'), 'utf8'), 'install --frozen-lockfile --loglevel=error\n');
});

test('what is in the way of the lock is named, and a wait for another process says so', async () => {
  const made = clone();
  const lock = join(made.root, '.installing');
  mkdirSync(lock);
  const { status, stderr } = run(made, ['exit', '0']);
  assert.equal(status, 1);
  assert.match(
    stderr,
    /^twin-ingest: the dependencies are not installed: .*\.installing is in the way; .*\n$/,
  );
  rmSync(lock, { recursive: true });
  // A killed caller's pid, which another program has by now.
  symlinkSync(String(process.pid), lock);
  const child = spawn(join(made.root, 'twin-ingest'), ['exit', '6'], { cwd: made.root, env: made.env });
  const [said] = (await once(child.stderr.setEncoding('utf8'), 'data')) as [string];
  assert.equal(said, `twin-ingest: waiting for the install of process ${process.pid}\n`);
  rmSync(lock);
  assert.deepEqual(await once(child, 'close'), [6, null]);
});

test('a script without its checkout installs nothing', () => {
  const made = clone();
  rmSync(join(made.root, 'cli'), { recursive: true });
  const { status, stderr } = run(made, ['exit', '0']);
  assert.equal(status, 1);
  assert.match(stderr, /^twin-ingest: .* is not a checkout of twin-ingest; .*\n$/);
  assert.ok(!existsSync(join(made.root, 'runs')));
});

test('an install that fails is one line and exit 1, and the next call tries again', () => {
  const made = clone();
  writeFileSync(join(made.root, 'broken'), '');
  const failed = run(made, ['exit', '0']);
  assert.equal(failed.status, 1);
  assert.equal(failed.stdout, '');
  assert.match(
    failed.stderr,
    /no network\ntwin-ingest: the dependencies could not be installed .*network\n$/,
  );
  rmSync(join(made.root, 'broken'));
  assert.equal(run(made, ['exit', '4']).status, 4);
});

test('without npx and pnpm the script names what to install, with exit 127', () => {
  const { status, stdout, stderr } = run(clone({}), ['exit', '0']);
  assert.deepEqual([status, stdout], [127, '']);
  assert.match(stderr, /\ntwin-ingest: Node\.js with npx is not installed; install Node\.js 24/);
});

test('without an own Node the script takes that of the machine, if it is new enough', () => {
  const made = installed();
  rmSync(join(made.root, 'bin/node'));
  const none = run(made, ['exit', '0']);
  assert.equal(none.status, 127);
  assert.match(none.stderr, /^twin-ingest: Node\.js is not installed; .* 22\.19 or newer/);
  writeFileSync(join(made.root, 'bin/node'), '#!/bin/sh\n[ "$1" = -e ] && exit 1\necho v18.1.0\n');
  chmodSync(join(made.root, 'bin/node'), 0o755);
  const old = run(made, ['exit', '0']);
  assert.equal(old.status, 127);
  assert.match(old.stderr, /^twin-ingest: this machine needs Node\.js 22\.19 or newer.*; .* is v18\.1\.0\n$/);
});

test('the script is executable, and its folder is found through links of folders', () => {
  assert.equal(
    spawnSync(SCRIPT, ['--version'], { cwd: '/', encoding: 'utf8' }).stdout.split(' ')[0],
    'twin-ingest',
  );
  const made = installed();
  symlinkSync(made.root, join(base, 'linked folder'));
  const program = join(base, 'linked folder/twin-ingest');
  assert.equal(reached(run(made, [], { program, cwd: dirname(base) })).command, program);
});
