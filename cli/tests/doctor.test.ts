/** `pnpm agents:doctor` as it is run, with both servers: what it finds of them and of the token, and its exit code. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { type RunningServer, startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { TOKEN_VARIABLE } from '../src/connect/agent.ts';
import { type Ran, run } from './run-script.ts';

const TOKEN = 'a-token-of-more-than-sixteen-characters';

/** Of a user whose home is `root`: nothing of the machine's own user gets in. */
async function doctor(
  root: string,
  argv: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ran> {
  return await run('doctor', argv, { cwd: root, env: { ...homeOf(root), ...env } });
}
async function connect(root: string, ...argv: readonly string[]): Promise<void> {
  const { code, stderr } = await run('connect', [...argv, '--yes'], { cwd: root, env: homeOf(root) });
  assert.equal(code, 0, stderr);
}
const homeOf = (root: string) => ({ HOME: root, USERPROFILE: root, XDG_CONFIG_HOME: join(root, '.config') });

async function withServer(
  name: TargetName,
  root: string,
  flags: readonly string[],
  work: (server: RunningServer) => Promise<void>,
): Promise<void> {
  const server = await startServer(name, {
    cwd: root,
    flags: ['--db', join(root, 'data', 'events.db'), ...flags],
  });
  try {
    await work(server);
  } finally {
    await server.stop();
  }
}

/** An address at which a server was, and is no longer. */
async function closedPort(): Promise<string> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

async function post(url: string, metadata: unknown = {}): Promise<number> {
  const event = { session_id: 's', agent_type: 'opencode', event_type: 'response', source: 'hook', metadata };
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(`${url}/api/events`, { method: 'POST', headers, body: JSON.stringify(event) });
  await response.arrayBuffer();
  return response.status;
}

for (const name of TARGET_NAMES) {
  test(`an agent that is connected to ${name} is silent, then well`, async () => {
    await inTree({}, async (root) => {
      await withServer(name, root, [], async ({ url }) => {
        await connect(root, 'opencode', '--url', url);
        const silent = await doctor(root, []);
        assert.equal(silent.code, 1, silent.stdout);
        assert.match(
          silent.stdout,
          /1 thing to do:\n {1}1\. Nothing has come from the plugin of OpenCode yet\.\n/,
        );
        assert.equal(await post(url), 201);
        const well = await doctor(root, []);
        assert.deepEqual([well.code, well.stderr], [0, '']);
        assert.match(
          well.stdout,
          /OpenCode: connected\n.*\n {13}last \d+ seconds? ago: response\n\nAll is well\.\n$/,
        );
      });
    });
  });

  test(`a wrong port is explained by where ${name} answers`, async () => {
    await inTree({}, async (root) => {
      await withServer(name, root, [], async ({ url }) => {
        const closed = await closedPort();
        await connect(root, 'opencode', '--url', closed);
        const { code, stdout } = await doctor(root, ['--url', url]);
        assert.equal(code, 1);
        assert.match(
          stdout,
          /1\. No server answers at http:\/\/127\.0\.0\.1:\d+, where OpenCode sends \(ECONNREFUSED\)\.\n/,
        );
        assert.ok(stdout.includes(`A server answers at ${url}: run pnpm connect opencode --url ${url}, or`));
      });
    });
  });

  test(`the doctor tells a missing token from an old and a right one (${name})`, async () => {
    await inTree({ right: `${TOKEN}\n`, old: 'another-token-of-sixteen-characters\n' }, async (root) => {
      chmodSync(join(root, 'right'), 0o600);
      await withServer(name, root, ['--token-file', join(root, 'right')], async ({ url }) => {
        await connect(root, 'opencode', '--url', url);
        const missing = await doctor(root, []);
        assert.match(
          missing.stdout,
          /wants a token, and neither the settings nor --token-file say where it is/,
        );
        const named = await doctor(root, ['--token-file', 'right']);
        assert.match(
          named.stdout,
          /the plugin of OpenCode have none[\s\S]*pnpm connect opencode --token-file/,
        );
        const gone = await doctor(root, ['--token-file', 'nowhere']);
        assert.match(gone.stdout, /nowhere cannot be read or is empty/);

        await connect(root, 'opencode', '--url', url, '--token-file', join(root, 'old'));
        const old = await doctor(root, []);
        assert.match(old.stdout, /refuses the token in .*old: it is an old one/);

        await connect(root, 'opencode', '--url', url, '--token-file', join(root, 'right'));
        const right = await doctor(root, []);
        assert.match(right.stdout, /1 thing to do:\n.*Nothing has come/);
        for (const { code } of [missing, named, gone, old, right]) assert.equal(code, 1);
        assert.ok(![missing, named, gone, old, right].some(({ stdout }) => stdout.includes(TOKEN)));
      });
    });
  });

  test(`a shell without the token, and with an old one, is explained (${name})`, async () => {
    await inTree({ token: `${TOKEN}\n` }, async (root) => {
      chmodSync(join(root, 'token'), 0o600);
      await withServer(name, root, ['--token-file', join(root, 'token')], async ({ url }) => {
        await connect(root, 'claude-code', '--url', url, '--token-file', join(root, 'token'));
        assert.match((await doctor(root, [])).stdout, /This shell has no TWIN_INGEST_TOKEN/);
        const old = await doctor(root, [], { [TOKEN_VARIABLE]: 'old' });
        assert.match(old.stdout, /TWIN_INGEST_TOKEN of this shell is not the token in /);
        const right = await doctor(root, [], { [TOKEN_VARIABLE]: TOKEN });
        assert.doesNotMatch(right.stdout, /This shell|of this shell/);
      });
    });
  });

  test(`a full disk of ${name} is explained`, async (context) => {
    await inTree({}, async (root) => {
      const disk = join(root, 'data');
      mkdirSync(disk);
      const mount = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m,mode=0700', 'tmpfs', disk]);
      if (mount.status !== 0) return context.skip('a small file system cannot be mounted');
      try {
        await withServer(name, root, [], async ({ url }) => {
          await connect(root, 'opencode', '--url', url);
          assert.equal(await post(url), 201);
          let status = 201;
          for (let events = 0; status === 201 && events < 2000; events += 1)
            status = await post(url, 'x'.repeat(9000));
          assert.equal(status, 507);
          const { code, stdout } = await doctor(root, []);
          assert.equal(code, 1);
          assert.match(stdout, /: degraded \(/);
          assert.match(
            stdout,
            /1 thing to do:\n.*is full, so it stores nothing \(storage_full\)\.\n.*Free space/,
          );
        });
      } finally {
        spawnSync('umount', ['-l', disk]);
      }
    });
  });
}

test('another program at the port is explained', async () => {
  const other = createServer((_, response) => response.writeHead(404).end('nothing'));
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await inTree({}, async (root) => {
    await connect(root, 'gemini', '--url', `http://127.0.0.1:${port}`);
    const { code, stdout } = await doctor(root, []);
    assert.equal(code, 1);
    assert.match(
      stdout,
      /Another program answers at http:\/\/127\.0\.0\.1:\d+, where Gemini CLI sends \(status 404\)/,
    );
  });
  other.closeAllConnections();
  await new Promise((resolve) => other.close(resolve));
});

test('settings that are no JSON do not keep the rest from being looked at', async () => {
  await inTree({ '.gemini/settings.json': '{' }, async (root) => {
    await connect(root, 'opencode', '--url', await closedPort());
    const { code, stdout } = await doctor(root, []);
    assert.equal(code, 1);
    assert.match(stdout, /2 things to do:[\s\S]*No server answers[\s\S]*settings\.json is not JSON/);
  });
});

test('a wrong command line says what is wrong, and --help explains', async () => {
  await inTree({}, async (root) => {
    const wrong = await doctor(root, ['x', '--force', '--url', 'nowhere']);
    assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
    assert.match(wrong.stderr, /^doctor: unknown flag --force/);
    const word = await doctor(root, ['x', '--url', 'nowhere']);
    assert.match(word.stderr, /^doctor: unexpected argument x\ndoctor: --url must be like /);
    const help = await doctor(root, ['--help']);
    assert.deepEqual([help.code, help.stdout.split('\n')[0]], [0, 'Usage: pnpm agents:doctor [flags]']);
  });
});
