/**
 * Tests the dashboard in a real Chromium behind a tunnel and a proxy (rules SEC-02, SEC-03 and SEC-07).
 *
 * Their ports are not the server's. The scripts of the page, its stream and its requests all work.
 */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { createServer } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { launchOptions, skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { DEADLINE_MS } from '@twin-ingest/testkit/browser/page.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { build } from 'esbuild';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { fiveSessions } from './agent.ts';
import { shot, untilConnection, untilIds } from './browser.ts';
import { event, forward, tunnel } from './servers.ts';

/** A name that Chromium resolves to 127.0.0.1, as one of another machine. */
const DEVBOX = 'devbox.test';
const CLIENT = fileURLToPath(new URL('../../client-ts/src/index.ts', import.meta.url));

let browser: Browser;
before(async () => {
  if (skip) return;
  const args = [`--host-resolver-rules=MAP ${DEVBOX} 127.0.0.1`, '--ignore-certificate-errors'];
  browser = await chromium.launch({ ...launchOptions, args: [...launchOptions.args, ...args] });
});
after(() => browser?.close());

for (const name of TARGET_NAMES) {
  for (const host of ['localhost', '127.0.0.1']) {
    test(`${name}: the dashboard works through a tunnel at ${host}`, { skip }, async (t) => {
      const server = await start(t, name);
      const url = `http://${host}:${await tunnel(t, server.port)}`;
      const { page, errors } = await openIn(await newContext(t), url);
      await page.getByText('No events yet.').waitFor();
      await server.post(event({ metadata: { command: 'first' } }));
      await untilIds(page, [1]);
      await untilConnection(page, 'live');
      for (const hook of fiveSessions()) await server.post(hook, '/api/hooks/claude-code');
      const group = page.getByRole('list', { name: /^Needs an answer/ });
      const item = group.getByRole('listitem').filter({ hasText: 'Deploy the fixed invoice service' });
      await item.getByRole('button', { name: 'Dismiss' }).click();
      await item.waitFor({ state: 'detached' });
      await shot(page, `${name}-tunnel-${host}`);
      assert.deepEqual(errors, []);
    });
  }

  test(`${name}: the client sends and follows from a page in a tunnel`, { skip }, async (t) => {
    const server = await start(t, name);
    const url = `http://localhost:${await tunnel(t, server.port)}`;
    const { page, errors } = await openIn(await newContext(t), url);
    const options = { bundle: true, write: false, format: 'iife', globalName: 'client' } as const;
    const { outputFiles } = await build({ entryPoints: [CLIENT], platform: 'browser', ...options });
    const got = await page.evaluate<number[]>(`(async () => {
      ${outputFiles[0]!.text}
      const sender = new client.Sender();
      sender.send(${JSON.stringify(event())});
      await sender.flush();
      const ids = [];
      const { epoch } = await (await fetch('/api/health')).json();
      for await (const { row } of client.iterateEvents({ from: { id: 0, epoch } })) {
        ids.push(row.id);
        break;
      }
      navigator.sendBeacon('/api/events', new Blob(['${JSON.stringify(event())}'], { type: 'application/json' }));
      return ids;
    })()`);
    assert.deepEqual(got, [1]);
    await untilIds(page, [2, 1]);
    assert.deepEqual(errors, []);
  });

  test(`${name}: two tunnels with tokens at one name stay signed in next to each other`, {
    skip,
  }, async (t) => {
    const context = await newContext(t);
    const servers = [await start(t, name, { token: 'the-token-of-the-first' })];
    servers.push(await start(t, name, { token: 'the-token-of-the-second' }));
    const pages: Page[] = [];
    for (const server of servers) {
      const url = `http://localhost:${await tunnel(t, server.port)}`;
      const stranger = await context.newPage();
      assert.equal((await stranger.goto(url))?.status(), 401);
      await stranger.close();
      const { page, errors } = await openIn(context, `${url}/?token=${server.token}`);
      await untilConnection(page, 'live');
      assert.deepEqual(errors, []);
      pages.push(page);
    }
    // The server itself at the same name, signed in without disturbing the tunnels.
    const { port, token } = servers[0]!;
    const { page: near } = await openIn(context, `http://localhost:${port}/?token=${token}`);
    await untilConnection(near, 'live');
    for (const [index, page] of pages.entries()) {
      await page.reload();
      await untilConnection(page, 'live');
      const status =
        await page.evaluate(`fetch('/api/events', { method: 'POST', body: '${JSON.stringify(event())}',
        headers: { 'content-type': 'application/json' } }).then(({ status }) => status)`);
      assert.equal(status, 201);
      await untilIds(page, [1]);
      await shot(page, `${name}-tunnel-token-${index}`);
    }
  });

  for (const scheme of ['http', 'https'] as const) {
    test(`${name}: the dashboard works on an allowed host with ${scheme}`, { skip }, async (t) => {
      const server = await start(t, name, { flags: ['--allow-host', DEVBOX] });
      const port = await (scheme === 'http' ? tunnel(t, server.port) : secureProxy(t, server.port));
      if (port === undefined) return;
      const { page, errors } = await openIn(await newContext(t), `${scheme}://${DEVBOX}:${port}`);
      await untilConnection(page, 'live');
      await server.post(event());
      await untilIds(page, [1]);
      const post = `fetch('/api/events', { method: 'POST', body: '${JSON.stringify(event())}',
        headers: { 'content-type': 'application/json' } }).then(({ status }) => status)`;
      assert.equal(await page.evaluate(post), 201);
      await untilIds(page, [2, 1]);
      assert.deepEqual(errors, []);
    });
  }
}

async function newContext(t: TestContext): Promise<BrowserContext> {
  const context = await browser.newContext({ viewport: { width: 1400, height: 900 } });
  context.setDefaultTimeout(DEADLINE_MS);
  t.after(() => context.close());
  return context;
}

async function openIn(context: BrowserContext, url: string): Promise<{ page: Page; errors: string[] }> {
  const page = await context.newPage();
  const errors: string[] = [];
  page.on('console', (message) => {
    // Chromium's note that it ignores this header on a plain HTTP name of another machine.
    const isNote = message.text().startsWith('The Cross-Origin-Opener-Policy header has been ignored');
    if (message.type() === 'error' && !isNote) errors.push(message.text());
  });
  page.on('pageerror', (error) => void errors.push(error.message));
  await page.goto(url);
  return { page, errors };
}

interface Options {
  readonly flags?: readonly string[];
  readonly token?: string;
}

async function start(t: TestContext, name: TargetName, { flags = [], token }: Options = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'tunnel-'));
  const more: string[] = [];
  if (token !== undefined) {
    writeFileSync(join(folder, 'token'), token);
    chmodSync(join(folder, 'token'), 0o600);
    more.push('--token-file', join(folder, 'token'));
  }
  const server = await startServer(name, {
    cwd: folder,
    flags: ['--db', join(folder, 'page.db'), ...flags, ...more],
  });
  t.after(async () => {
    await server.stop().catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  });
  const post = async (body: object, path = '/api/events'): Promise<void> => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${server.url}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    assert.ok(response.ok, await response.text());
  };
  return { port: server.port, token, post };
}

/** Ends TLS in front of the server, as a proxy does; returns its port, or nothing without openssl. */
async function secureProxy(t: TestContext, port: number): Promise<number | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'tunnel-tls-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
  const files = ['-keyout', key, '-out', cert, '-days', '2', '-subj', `/CN=${DEVBOX}`];
  const made = spawnSync('openssl', ['req', '-x509', ...curve, ...files]);
  if (made.error !== undefined) {
    t.skip('openssl is missing');
    return undefined;
  }
  const sockets = new Set<Socket>();
  const server = createServer({ key: readFileSync(key), cert: readFileSync(cert) }, (near) => {
    sockets.add(near);
    forward(near, port);
  });
  server.on('tlsClientError', () => {});
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as { port: number }).port;
}
