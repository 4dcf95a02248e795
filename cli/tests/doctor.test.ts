/**
 * Tests `twin-ingest doctor` as a command with both servers: findings about them and the token, and its exit code.
 */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { chmodSync, mkdirSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { TOKEN_VARIABLE } from '../src/connect/agent.ts';
import { connect, doctor, post, withServer } from './doctor-run.ts';

const TOKEN = 'a-token-of-more-than-sixteen-characters';

/** Returns an address where a server has stopped. */
async function closedPort(): Promise<string> {
  const server = createServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}`;
}

for (const name of TARGET_NAMES) {
  test(`a connected agent is first silent, then without problems (${name})`, async () => {
    await inTree({}, async (root) => {
      await withServer(name, root, [], async ({ url }) => {
        connect(root, 'opencode', { origin: url, token_file: null });
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
          /OpenCode: connected\n.*\n {13}last \d+ seconds? ago: response\n(?:.*: not connected .*\n)*\nAll is well\.\n$/,
        );
      });
    });
  });

  test(`a wrong port is explained with the address of ${name}`, async () => {
    await inTree({}, async (root) => {
      await withServer(name, root, [], async ({ url }) => {
        const closed = await closedPort();
        connect(root, 'opencode', { origin: closed, token_file: null });
        const { code, stdout } = await doctor(root, ['--url', url]);
        assert.equal(code, 1);
        assert.match(
          stdout,
          /1\. No server answers at http:\/\/127\.0\.0\.1:\d+, where OpenCode sends \(ECONNREFUSED\)\.\n/,
        );
        assert.ok(
          stdout.includes(`A server answers at ${url}: run ./twin-ingest connect opencode --url ${url}, or`),
        );
      });
    });
  });

  test(`a stopped server is named by its pid, and a frozen one leaves the last event unknown (${name})`, async (context) => {
    if (process.platform === 'win32') return context.skip('no SIGSTOP');
    await inTree({}, async (root) => {
      const db = join(root, 'share/twin-ingest/events.db');
      mkdirSync(dirname(db), { recursive: true });
      const env = { XDG_DATA_HOME: join(root, 'share') };
      const server = await startServer(name, { cwd: root, flags: ['--db', db] });
      connect(root, 'opencode', { origin: server.url, token_file: null });
      try {
        assert.equal(await post(server.url), 201);
        server.signal('SIGSTOP');
        const { code, stdout } = await doctor(root, ['--url', server.url], env);
        assert.equal(code, 1);
        assert.match(stdout, /^Server \S+: listens, but gives no answer \(no answer within 3 seconds\)\n/);
        assert.match(stdout, /\n {13}last unknown\n/);
        assert.ok(
          stdout.includes(
            `1. The server with pid ${server.pid} listens at ${server.url}, where OpenCode sends and does not answer (no answer within 3 seconds).\n    End it and start a server there (./twin-ingest --port ${server.port}), or `,
          ),
          stdout,
        );
        const unnamed = await doctor(root, ['--url', server.url]);
        assert.match(unnamed.stdout, /1\. A program listens at /);
      } finally {
        server.signal('SIGCONT');
        await server.stop();
      }
      const stopped = await doctor(root, ['--url', server.url], env);
      assert.match(stopped.stdout, /\n {13}last unknown\n/);
      assert.match(stopped.stdout, /No server answers at .*\n {4}Start a server there/);
    });
  });

  test(`the doctor distinguishes a missing, an old and a right token (${name})`, async () => {
    await inTree({ right: `${TOKEN}\n`, old: 'another-token-of-sixteen-characters\n' }, async (root) => {
      chmodSync(join(root, 'right'), 0o600);
      await withServer(name, root, ['--token-file', join(root, 'right')], async ({ url }) => {
        connect(root, 'opencode', { origin: url, token_file: null });
        const missing = await doctor(root, []);
        assert.match(
          missing.stdout,
          /wants a token, and neither the settings nor --token-file say where it is/,
        );
        const named = await doctor(root, ['--token-file', 'right']);
        assert.match(
          named.stdout,
          /the plugin of OpenCode have none[\s\S]*twin-ingest connect opencode --token-file/,
        );
        const gone = await doctor(root, ['--token-file', 'nowhere']);
        assert.match(gone.stdout, /nowhere cannot be read or is empty/);

        connect(root, 'opencode', { origin: url, token_file: join(root, 'old') });
        const old = await doctor(root, []);
        assert.match(old.stdout, /refuses the token in .*old: it is an old one/);

        connect(root, 'opencode', { origin: url, token_file: join(root, 'right') });
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
        connect(root, 'claude-code', { origin: url, token_file: join(root, 'token') });
        assert.match((await doctor(root, [])).stdout, /This shell has no TWIN_INGEST_TOKEN/);
        const old = await doctor(root, [], { [TOKEN_VARIABLE]: 'old' });
        assert.match(old.stdout, /TWIN_INGEST_TOKEN of this shell is not the token in /);
        const right = await doctor(root, [], { [TOKEN_VARIABLE]: TOKEN });
        assert.doesNotMatch(right.stdout, /This shell|of this shell/);
      });
    });
  });
}

test('another program at the port is explained', async () => {
  const other = createServer((_, response) => response.writeHead(404).end('nothing'));
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as AddressInfo;
  await inTree({}, async (root) => {
    connect(root, 'gemini', { origin: `http://127.0.0.1:${port}`, token_file: null });
    const { code, stdout } = await doctor(root, []);
    assert.equal(code, 1);
    assert.match(
      stdout,
      /Another program answers at http:\/\/127\.0\.0\.1:\d+, where Gemini CLI sends \(status 404\)\.\n {4}End it and start a server there/,
    );
  });
  other.closeAllConnections();
  await new Promise((resolve) => other.close(resolve));
});

test('malformed settings do not stop the other checks', async () => {
  await inTree({ '.gemini/settings.json': '{' }, async (root) => {
    connect(root, 'opencode', { origin: await closedPort(), token_file: null });
    const { code, stdout } = await doctor(root, []);
    assert.equal(code, 1);
    assert.match(stdout, /2 things to do:[\s\S]*No server answers[\s\S]*settings\.json is not JSON/);
  });
});

test('a wrong command line is explained, and --help prints the usage', async () => {
  await inTree({}, async (root) => {
    const wrong = await doctor(root, ['x', '--force', '--url', 'nowhere']);
    assert.deepEqual([wrong.code, wrong.stdout], [2, '']);
    assert.match(wrong.stderr, /^doctor: unknown flag --force/);
    const word = await doctor(root, ['x', '--url', 'nowhere']);
    assert.match(word.stderr, /^doctor: unexpected argument x\ndoctor: --url must be like /);
    const help = await doctor(root, ['--help']);
    assert.deepEqual([help.code, help.stdout.split('\n')[0]], [0, 'Usage: ./twin-ingest doctor [flags]']);
  });
});
