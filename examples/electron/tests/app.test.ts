/** Tests the main process under Node, with both servers and a stand-in for Electron's modules. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { TARGETS } from '@twin-ingest/testkit/servers/targets.ts';
import { bundledProgram, runApp } from '../src/app.mjs';
import { type Program, startSidecar } from '../src/sidecar.mjs';

const CONFIG = JSON.parse(readFileSync(new URL('../electron-builder.json', import.meta.url), 'utf8')) as {
  extraResources: { from: string; to: string }[];
  mac: { binaries: string[] };
};

async function isServing(url: string): Promise<boolean> {
  return await fetch(`${url}/livez`).then(
    ({ ok }) => ok,
    () => false,
  );
}

/** Behaves as Electron's `app`: `quit` ends it, unless a listener of `will-quit` prevents that. */
class FakeApp extends EventEmitter {
  readonly folder: string;
  hasLock = true;
  quits = 0;
  readonly hasQuit = once(this, 'quit');

  constructor(folder: string) {
    super();
    this.folder = folder;
  }

  requestSingleInstanceLock = () => this.hasLock;
  whenReady = () => Promise.resolve();
  getPath = () => this.folder;
  quit(): void {
    let isPrevented = false;
    const preventDefault = () => {
      isPrevented = true;
    };
    this.emit('will-quit', { preventDefault });
    if (!isPrevented && this.quits++ === 0) this.emit('quit');
  }
}

class FakeWindow {
  static newest: FakeWindow;
  readonly options: { readonly webPreferences: Readonly<Record<string, boolean>> };
  readonly webContents = Object.assign(new EventEmitter(), { setWindowOpenHandler: () => {} });
  url = '';

  constructor(options: FakeWindow['options']) {
    this.options = options;
    FakeWindow.newest = this;
  }

  loadURL(url: string): Promise<void> {
    this.url = url;
    return Promise.resolve();
  }
}

function electron(app: FakeApp): Parameters<typeof runApp>[0] {
  return { app, BrowserWindow: FakeWindow } as unknown as Parameters<typeof runApp>[0];
}

for (const name of ['rs', 'ts'] as const) {
  const program: Program = TARGETS[name];

  test(`the window signs in without the token, and the server ends with the app (${name})`, async () => {
    await inTree({}, async (folder) => {
      const app = new FakeApp(folder);
      await runApp(electron(app), program);
      const { url, options, webContents } = FakeWindow.newest;
      const { origin } = new URL(url);
      assert.deepEqual(options.webPreferences, {
        sandbox: true,
        contextIsolation: true,
        nodeIntegration: false,
      });
      assert.equal((await fetch(`${origin}/api/events`)).status, 401);
      const signedIn = await fetch(url, { redirect: 'manual' });
      const cookie = signedIn.headers.get('set-cookie')!.split(';')[0]!;
      assert.equal((await fetch(`${origin}/api/events`, { headers: { cookie } })).status, 200);
      assert.equal(url.includes(readFileSync(`${folder}/token`, 'utf8').trim()), false);
      const navigated: boolean[] = [];
      for (const target of [`${origin}/x`, 'https://example.org/'])
        webContents.emit('will-navigate', { preventDefault: () => navigated.push(false) }, target);
      assert.deepEqual(navigated, [false], 'only the foreign page is prevented');
      app.emit('window-all-closed');
      await app.hasQuit;
      assert.equal(await isServing(origin), false);
    });
  });

  test(`the server ends within a second after kill -9 of the app (${name})`, async () => {
    await inTree({}, async (folder) => {
      const module = JSON.stringify(new URL('../src/sidecar.mjs', import.meta.url));
      const script = `import { startSidecar } from ${module};
const { url } = await startSidecar(${JSON.stringify({ command: program.command, args: program.args })}, ${JSON.stringify(folder)});
process.stdout.write(url);
setInterval(() => {}, 1000);`;
      const app = spawn(process.execPath, ['--input-type=module', '-e', script], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const [url] = (await once(app.stdout.setEncoding('utf8'), 'data')) as [string];
      assert.equal(await isServing(url), true);
      app.kill('SIGKILL');
      const killed = performance.now();
      while (await isServing(url)) assert.ok(performance.now() - killed < 1_000, 'the server still runs');
      const next = await startSidecar(program, folder);
      assert.equal(await next.stop(), 0);
    });
  });
}

test('a start that fails reports the exit code and the message', async () => {
  await inTree({}, async (folder) => {
    writeFileSync(`${folder}/events.db`, 'no database');
    await assert.rejects(startSidecar(TARGETS.rs, folder), /ended with 65: .*is not a SQLite database/);
    await assert.rejects(startSidecar({ command: '/nonexistent' }, folder), { code: 'ENOENT' });
  });
});

test('a second instance of the app starts no server', async () => {
  await inTree({}, async (folder) => {
    const app = new FakeApp(folder);
    app.hasLock = false;
    await runApp(electron(app), { command: '/nonexistent' });
    assert.equal(app.quits, 1);
  });
});

test('the app quits when its server ends', async () => {
  await inTree({}, async (folder) => {
    const app = new FakeApp(folder);
    await runApp(electron(app), TARGETS.rs);
    const owner = JSON.parse(readFileSync(`${folder}/events.db.owner`, 'utf8')) as { pid: number };
    process.kill(owner.pid, 'SIGTERM');
    await app.hasQuit;
  });
});

test('the packaging puts the server where the app looks', () => {
  assert.equal(bundledProgram('/app/resources', 'linux'), '/app/resources/bin/ingest-server');
  assert.match(bundledProgram('/r', 'win32'), /ingest-server\.exe$/);
  const [{ from, to }] = CONFIG.extraResources as [{ from: string; to: string }];
  assert.deepEqual([from, to], ['build/bin/$' + '{os}-$' + '{arch}', 'bin']);
  assert.deepEqual(CONFIG.mac.binaries, ['Contents/Resources/bin/ingest-server']);
});
