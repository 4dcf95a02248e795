/** Tests that no command sends a request for this machine to the proxy of the environment, with both servers. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { pluginFor } from '../src/connect/opencode.ts';
import { post, withServer } from './doctor-run.ts';
import { type Ran, run } from './run-script.ts';

const execute = promisify(execFile);

interface Proxy {
  /** Variables as in a shell whose programs use the proxy. */
  readonly env: Readonly<Record<string, string>>;
  /** The first line of each connection. */
  readonly seen: readonly string[];
}

/** Records connections, and refuses them. */
async function withProxy(work: (proxy: Proxy) => Promise<void>): Promise<void> {
  const seen: string[] = [];
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (data) => {
      seen.push(String(data).split('\r\n')[0]!);
      socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const names = ['HTTP_PROXY', 'HTTPS_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]);
  const env = {
    ...Object.fromEntries(names.map((name) => [name, url])),
    ...{ NODE_USE_ENV_PROXY: '1', NO_PROXY: '', no_proxy: '' },
  };
  try {
    await work({ env, seen });
  } finally {
    server.close();
  }
}

test('the proxy of these tests records what Node sends to it', async () => {
  await withProxy(async ({ env, seen }) => {
    const code = "fetch('http://127.0.0.1:65535/a').catch(() => undefined)";
    await execute(process.execPath, ['-e', code], { env: { ...process.env, ...env } });
    assert.ok(seen.length > 0);
  });
});

const LINE = {
  ...{ type: 'user', uuid: 'u1', sessionId: 's9', timestamp: '2026-01-31T10:00:00.000Z', cwd: '/p' },
  message: { role: 'user', content: 'hello' },
};

for (const name of TARGET_NAMES) {
  test(`no command sends a request to ${name} through a proxy`, async () => {
    const transcript = `${JSON.stringify(LINE)}\n`;
    await inTree({ '.claude/projects/p/s9.jsonl': transcript }, async (root) => {
      await withProxy(async ({ env: proxies, seen }) => {
        const env = { ...proxies, HOME: root, USERPROFILE: root, XDG_CONFIG_HOME: join(root, '.config') };
        const command = (script: string, ...argv: string[]): Promise<Ran> =>
          run(script, argv, { cwd: root, env });
        await withServer(name, root, [], async ({ url }) => {
          assert.equal(await post(url), 201);
          const connected = await command('connect', 'opencode', '--yes', '--url', url);
          assert.match(connected.stdout, /^A server answers at /m);
          const report = await command('doctor', '--url', url);
          assert.match(report.stdout, /^Server http\S+: ok/m);
          const exported = await command('export', 's', '--url', url);
          assert.equal(exported.code, 0, exported.stderr);
          const imported = await command('import', 'claude-code', '--url', url);
          assert.equal(imported.code, 0, imported.stderr + imported.stdout);
          const trimmed = await command('trim', '--nats', 'nats://127.0.0.1:1', '--servers', url);
          assert.match(trimmed.stderr, /has no --store jetstream/);
          const held = await command('ensure', '--db', 'data/events.db', '--runtime', 'node');
          assert.equal(held.stdout, `${url}\n`, held.stderr);
          const stopped = await command('stop', '--db', 'data/events.db');
          assert.match(stopped.stdout, /^stopped the server/);
        });
        const demo = ['--', '--no-open', '--no-build', '--server', name, '--speed', '50', '--seconds', '2'];
        const played = await command('demo', ...demo);
        assert.equal(played.code, 0, played.stderr);
        assert.deepEqual(seen, []);
      });
    });
  });

  test(`the plugin of OpenCode sends to ${name} through no proxy`, async () => {
    await inTree({}, async (root) => {
      await withProxy(async ({ env, seen }) => {
        await withServer(name, root, [], async ({ url }) => {
          const plugin = join(root, 'plugin.mjs');
          writeFileSync(plugin, pluginFor({ origin: url, token_file: null }));
          const event = {
            type: 'session.created',
            id: 'e',
            properties: { sessionID: 's', info: { id: 's' } },
          };
          const code = `const { TwinIngest } = await import(${JSON.stringify(pathToFileURL(plugin).href)});
            await (await TwinIngest({ directory: '/p' })).event({ event: ${JSON.stringify(event)} });`;
          const argv = ['--input-type=module', '-e', code];
          const { stderr } = await execute(process.execPath, argv, { env: { ...process.env, ...env } });
          assert.equal(stderr, '');
          const { events } = (await (await fetch(`${url}/api/events`)).json()) as { events: unknown[] };
          assert.equal(events.length, 1);
        });
        assert.deepEqual(seen, []);
      });
    });
  });
}
