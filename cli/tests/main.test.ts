/** Tests `twin-ingest` in a checkout: it starts a server, opens the dashboard, and dispatches commands. */
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { COMMANDS } from '../src/commands.ts';
import { run, start } from './run-script.ts';

const MAIN = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** A program in place of the system's opener; it writes down what it is asked to open. */
function fakeOpener(folder: string): Readonly<Record<string, string>> {
  const program = join(folder, 'xdg-open');
  writeFileSync(
    program,
    `#!/bin/sh\nprintf %s "$1" > '${folder}/opened.part' && mv '${folder}/opened.part' '${folder}/opened'\n`,
  );
  chmodSync(program, 0o755);
  return { PATH: `${folder}:${process.env.PATH}`, DISPLAY: ':0', XDG_DATA_HOME: folder };
}

/** Returns how the dashboard of a server names the command line. */
async function commandNameOf(url: string): Promise<string> {
  return ((await (await fetch(`${url}/api/health`)).json()) as { command_name: string }).command_name;
}

test('a server gets the name that the caller has typed, unless the user gives it one', async () => {
  await inTree({}, async (cwd) => {
    const env = { XDG_DATA_HOME: cwd, TWIN_INGEST_COMMAND: "/a b/it's" };
    const named = async (flags: readonly string[], more = {}) => {
      const { child, shown, ended } = start('main', ['--no-open', '--port', '0', ...flags], {
        cwd,
        env: { ...env, ...more },
      });
      const [, url] = await shown(/^\{"event":"ready","url":"([^"]+)"/);
      const name = await commandNameOf(url!);
      child.kill('SIGTERM');
      assert.equal((await ended).code, 0);
      return name;
    };
    assert.equal(await named([]), `'/a b/it'\\''s'`);
    assert.equal(await named(['--command-name', 'mine']), 'mine');
    assert.equal(await named([], { INGEST_COMMAND_NAME: 'ours' }), 'ours');
    assert.equal(await named([], { TWIN_INGEST_COMMAND: `/${'a'.repeat(600)}` }), 'twin-ingest');
    assert.equal(await named([], { TWIN_INGEST_COMMAND: '/a\nb' }), 'twin-ingest');
  });
});

for (const runtime of ['rust', 'node'] as const) {
  test(`twin-ingest --runtime ${runtime} opens the dashboard, and Ctrl-C ends it with 0`, async () => {
    await inTree({}, async (cwd) => {
      const flags = ['--runtime', runtime, '--port', '0'];
      const { child, shown, ended } = start('main', flags, { cwd, env: fakeOpener(cwd) });
      const [, url, found] = await shown(/^\{"event":"ready","url":"([^"]+)".*"runtime":"(\w+)"/);
      assert.equal(found, runtime);
      assert.equal(await commandNameOf(url!), './twin-ingest');
      for (let tries = 0; tries < 100 && !existsSync(join(cwd, 'opened')); tries++) await sleep(50);
      assert.equal(readFileSync(join(cwd, 'opened'), 'utf8'), `${url}/`);
      assert.ok(existsSync(join(cwd, 'twin-ingest/events.db')));
      child.kill('SIGINT');
      const { code, stdout, stderr } = await ended;
      assert.equal(code, 0);
      assert.equal(stdout.split('\n').length, 2, stdout);
      assert.match(stderr, /Connect +\.\/twin-ingest connect claude-code/);
    });
  });
}

test('a terminal shows people no log lines, and Ctrl-C ends the server once', async (context) => {
  // util-linux's `script` is a terminal; a container may have no pseudo-terminals.
  const terminal = spawnSync('script', ['--quiet', '--return', '--command', 'true', '/dev/null']);
  if (process.platform !== 'linux' || terminal.status !== 0)
    return context.skip(`no terminal: ${terminal.stderr ?? terminal.error}`.trim());
  await inTree({}, async (cwd) => {
    // `script` runs a shell. dash would stay, receive Ctrl-C as well, and end with 130.
    const command = `exec '${process.execPath}' '${MAIN}' --no-open --port 0`;
    const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
      cwd,
      env: { ...process.env, XDG_DATA_HOME: cwd },
    });
    let text = '';
    child.stdout.setEncoding('utf8').on('data', (more: string) => {
      const isFirst = !text.includes('Ctrl-C stops');
      text += more;
      if (isFirst && text.includes('Ctrl-C stops')) child.stdin.write('\x03');
    });
    const late = setTimeout(() => child.kill('SIGKILL'), 20_000);
    const [code] = (await once(child, 'close')) as [number | null];
    clearTimeout(late);
    assert.equal(code, 0, `exit code ${code}: ${text}`);
    assert.match(text, /Dashboard +http:/);
    assert.match(text, /Stopped\.\r\n$/);
    assert.doesNotMatch(text, /"level"|"ready"/);
  });
});

test('a signal that reaches the command twice, as from `timeout`, stops the server once', async (context) => {
  if (process.platform === 'win32') return context.skip('no process groups');
  await inTree({}, async (cwd) => {
    const { child, shown, ended } = start('main', ['--no-open', '--port', '0'], {
      cwd,
      env: { XDG_DATA_HOME: cwd },
    });
    await shown(/^\{"event":"ready"/);
    child.kill('SIGTERM');
    child.kill('SIGINT');
    const { code, stderr } = await ended;
    assert.equal(code, 0, stderr);
  });
});

test('--no-open opens nothing', async () => {
  await inTree({}, async (cwd) => {
    const flags = ['start', '--no-open', '--port', '0'];
    const { child, shown, ended } = start('main', flags, { cwd, env: fakeOpener(cwd) });
    await shown(/^\{"event":"ready"/);
    child.kill('SIGTERM');
    assert.equal((await ended).code, 0);
    assert.equal(existsSync(join(cwd, 'opened')), false);
  });
});

test('a second start names the server that runs, and opens its dashboard', async () => {
  await inTree({}, async (cwd) => {
    const env = fakeOpener(cwd);
    const { child, shown, ended } = start('main', ['--no-open', '--port', '0'], { cwd, env });
    const [, url] = await shown(/^\{"event":"ready","url":"([^"]+)"/);
    const again = await run('main', ['--port', '0'], { cwd, env });
    assert.equal(again.code, 75);
    assert.match(again.stderr, /is in use by the server with pid/);
    assert.ok(
      again.stderr.endsWith(`already shows these events at ${url}/ (process ${pidOf(cwd)})\n`),
      again.stderr,
    );
    for (let tries = 0; tries < 100 && !existsSync(join(cwd, 'opened')); tries++) await sleep(50);
    assert.equal(readFileSync(join(cwd, 'opened'), 'utf8'), `${url}/`);
    child.kill('SIGINT');
    assert.equal((await ended).code, 0);
  });
});

function pidOf(cwd: string): number {
  return (JSON.parse(readFileSync(join(cwd, 'twin-ingest/events.db.owner'), 'utf8')) as { pid: number }).pid;
}

test('a wrong flag of the server is followed by where the flags are listed', async () => {
  await inTree({}, async (cwd) => {
    const { code, stderr } = await run('main', ['--prot', '80'], { cwd, env: { XDG_DATA_HOME: cwd } });
    assert.deepEqual(
      [code, stderr],
      [2, 'unknown flag --prot\nunexpected argument "80"\ntwin-ingest: --help lists all flags\n'],
    );
    assert.match((await run('main', ['-h'], { cwd })).stdout, /^Usage: /);
  });
});

test('an unknown command and a wrong runtime end with 2', async () => {
  await inTree({}, async (cwd) => {
    const unknown = await run('main', ['conect'], { cwd });
    assert.deepEqual(
      [unknown.code, unknown.stderr],
      [2, 'twin-ingest: unknown command conect; do you mean connect?; --help lists all\n'],
    );
    const far = await run('main', ['frobnicate'], { cwd });
    assert.equal(far.stderr, 'twin-ingest: unknown command frobnicate; --help lists all\n');
    const wrong = await run('main', ['--runtime', 'go'], { cwd });
    assert.deepEqual(
      [wrong.code, wrong.stderr],
      [2, 'twin-ingest: --runtime must be rust or node, not "go"\n'],
    );
  });
});

test('a path that leads nowhere ends in a sentence, and in no stack trace', async () => {
  await inTree({ file: '', 'folder/x': '' }, async (cwd) => {
    symlinkSync('loop', join(cwd, 'loop'));
    const paths = ['file/e.db', 'loop/e.db', `${'n'.repeat(300)}/e.db`, 'folder'];
    const commands = [
      ...paths.flatMap((db) => [
        ['ensure', '--db', db],
        ['stop', '--db', db],
        ['service', 'status', '--db', db],
      ]),
      ...['file/e.db', 'loop', 'folder'].flatMap((path) => [
        ['export', 's', '--url', 'http://127.0.0.1:9', '--out', path],
        ['export', 's', '--url', 'http://127.0.0.1:9', '--token-file', path],
        ['import', 'codex', path, '--dry-run'],
        ['connect', 'claude-code', '--settings', path, '--yes', '--url', 'http://127.0.0.1:9'],
        ['doctor', '--token-file', path],
        ['demo', '--corpus', path, '--server', 'ts', '--no-build', '--no-open', '--seconds', '0.1'],
      ]),
      ['ensure', '--db', 'e.db', '--program', 'none'],
    ];
    const check = async (argv: readonly string[]) => {
      const env = { HOME: cwd, XDG_CONFIG_HOME: join(cwd, 'file'), XDG_DATA_HOME: join(cwd, 'file') };
      const { code, stderr } = await run('main', argv, { cwd, env });
      assert.doesNotMatch(stderr, /^ +at |E[A-Z]{4,}:/m, argv.join(' '));
      assert.ok(code !== null && code !== 134, argv.join(' '));
      if (argv[0] === 'ensure') assert.match(stderr, /^ensure: \S+ /, argv.join(' '));
    };
    for (let at = 0; at < commands.length; at += 4) await Promise.all(commands.slice(at, at + 4).map(check));
    const parent = await run('main', ['ensure', '--db', 'file/e.db'], { cwd });
    assert.equal(parent.stderr, `ensure: ${join(cwd, 'file')} is a file, not a folder\n`);
  });
});

test('a full disk behind the output ends in a sentence', async (context) => {
  if (!existsSync('/dev/full')) return context.skip('no /dev/full');
  await inTree({}, (cwd) => {
    for (const argv of ['--help', '--version', 'stop --help', 'doctor', 'stop --db x']) {
      const script = `exec "$0" "$@" > /dev/full`;
      const words = [process.execPath, MAIN, ...argv.split(' ')];
      const { status, stderr } = spawnSync('sh', ['-c', script, ...words], {
        cwd,
        encoding: 'utf8',
        env: { HOME: cwd },
      });
      assert.deepEqual(
        [status, stderr],
        [1, 'twin-ingest: the output cannot be written: the disk is full\n'],
        argv,
      );
    }
  });
});

for (const { name } of COMMANDS) {
  test(`twin-ingest ${name} --help prints the usage of the command`, async () => {
    await inTree({}, async (cwd) => {
      const { code, stdout } = await run('main', [name, '--help'], { cwd });
      assert.equal(code, 0);
      assert.match(stdout, /^Usage: /);
      const all = await run('main', ['--help'], { cwd });
      assert.match(all.stdout, new RegExp(`^  ${name} `, 'm'));
    });
  });
}
