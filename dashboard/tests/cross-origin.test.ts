/**
 * Tests that a page of another origin gains nothing from a server, in a real Chromium (rules SEC-01 to SEC-07).
 *
 * The page is on another site or port, in a sandbox (Origin null), or on a name that now resolves to the server (DNS
 * rebinding). The browser is signed in, and the page knows the token too.
 */
import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, type TestContext, test } from 'node:test';
import { launchOptions, skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { startServer } from '@twin-ingest/testkit/servers/server.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { EMBEDS, type Gains, READS, SCRIPT, WRITES } from './attacks.ts';
import { startNaive } from './naive-server.ts';
import { event, tunnel } from './servers.ts';

const TOKEN = 'a-token-of-more-than-sixteen-characters';
const MARK = 'only-for-the-owner';
const IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==',
  'base64',
);
/** Names that Chromium resolves to 127.0.0.1. */
const EVIL = 'evil.test';
const ORIGINS = ['another site', 'another port', 'a sandbox', 'a rebound name'] as const;
type Place = (typeof ORIGINS)[number];
const VARIANTS = [false, true].flatMap((inTunnel) =>
  [false, true].map((token) => [token, inTunnel] as const),
);

let browser: Browser;
before(async () => {
  if (skip) return;
  const args = [...launchOptions.args, `--host-resolver-rules=MAP ${EVIL} 127.0.0.1`];
  browser = await chromium.launch({ ...launchOptions, args });
});
after(() => browser?.close());

test('every attack succeeds on a server without checks', { skip }, async (t) => {
  for (const place of ORIGINS) {
    const { url, port, taken } = await startNaive(t, JSON.stringify({ session_id: MARK }), IMAGE);
    const gains = await attack(t, await newContext(t), place, url, port);
    for (const name of READS) assert.ok(gains[name]?.includes(MARK), `${place}: ${name}`);
    for (const name of EMBEDS) assert.equal(gains[name], 'loaded', `${place}: ${name}`);
    assert.deepEqual(
      WRITES.filter((name) => !taken.has(name)),
      [],
      place,
    );
    assert.ok((await framed(t, await newContext(t), EVIL, url)).includes(MARK));
  }
});

for (const name of TARGET_NAMES) {
  for (const [withToken, inTunnel] of VARIANTS) {
    const suffix = (withToken ? ' with the token' : '') + (inTunnel ? ' through a tunnel' : '');
    test(`${name}: no attack succeeds${suffix}`, { skip }, async (t) => {
      const server = await startMarked(t, name, withToken, inTunnel);
      const context = await newContext(t);
      if (withToken) {
        const owner = await context.newPage();
        await owner.goto(`${server.url}/?token=${TOKEN}`);
        assert.equal((await owner.goto(`${server.url}/api/events`))?.status(), 200);
        await owner.close();
      }
      const before = await server.state();
      assert.ok(JSON.stringify(before).includes(MARK));
      for (const place of ORIGINS) {
        const gains = await attack(t, context, place, server.url, server.port, server.image);
        assert.equal(Object.keys(gains).length, READS.length + EMBEDS.length + WRITES.length);
        for (const [attack, gained] of Object.entries(gains)) {
          assert.ok(!gained.includes(MARK) && gained !== 'loaded', `${place}: ${attack}: ${gained}`);
          const isReadable = place === 'a rebound name';
          assert.match(
            gained,
            isReadable ? /^$|"code":"forbidden_(?:host|origin)"/ : /^$/,
            `${place}: ${attack}`,
          );
        }
        assert.deepEqual(await server.state(), before, place);
      }
      assert.ok(!existsSync(`${server.database}.backups`));
      for (const host of [EVIL, '127.0.0.1'])
        assert.ok(!(await framed(t, context, host, server.url)).includes('id="app"'), host);
    });
  }
}

async function newContext(t: TestContext): Promise<BrowserContext> {
  const context = await browser.newContext();
  t.after(() => context.close());
  return context;
}

/** Opens a page at this place, and returns what its attacks gained. */
async function attack(
  t: TestContext,
  context: BrowserContext,
  place: Place,
  url: string,
  port: number,
  image = '0'.repeat(64),
): Promise<Gains> {
  const page = await context.newPage();
  let base = url;
  if (place === 'a rebound name') {
    // The script was loaded while the name had another address. Now the name resolves to the server.
    base = '';
    await page.goto(`http://${EVIL}:${port}/`);
    await page.evaluate(`(() => { ${SCRIPT} })()`);
  } else {
    const host = place === 'another port' ? '127.0.0.1' : EVIL;
    const path = place === 'a sandbox' ? 'sandbox' : '';
    await page.goto(`http://${host}:${await pagePort(t)}/${path}`);
  }
  const gains = await page.evaluate<Gains>(`attack('${base}', '${TOKEN}', '${image}')`);
  await page.close();
  return gains;
}

/** Returns what a frame of the server shows in the attacker's page. */
async function framed(t: TestContext, context: BrowserContext, host: string, url: string): Promise<string> {
  const page = await context.newPage();
  await page.goto(`http://${host}:${await pagePort(t)}/`);
  await page.evaluate(`new Promise((resolve) => {
    const frame = Object.assign(document.createElement('iframe'), { src: '${url}/', onload: resolve });
    document.body.append(frame);
  })`);
  const frame = page.frames()[1]!;
  const shown = await frame.content().catch(() => '');
  await page.close();
  return shown;
}

/** Starts the server of the attacker's page and returns its port. */
async function pagePort(t: TestContext): Promise<number> {
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    if (request.url === '/sandbox')
      response.setHeader('content-security-policy', 'sandbox allow-scripts allow-forms');
    response.end(`<body><script>${SCRIPT}</script>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

/** Starts a server with one row, an image, and a way for its owner to see its state. A tunnel has its own port. */
async function startMarked(t: TestContext, name: TargetName, withToken: boolean, inTunnel: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'cross-origin-'));
  const database = join(folder, 'page.db');
  const flags = ['--db', database];
  if (withToken) {
    writeFileSync(join(folder, 'token'), TOKEN);
    chmodSync(join(folder, 'token'), 0o600);
    flags.push('--token-file', join(folder, 'token'));
  }
  const server = await startServer(name, { cwd: folder, flags });
  t.after(async () => {
    await server.stop().catch(() => undefined);
    rmSync(folder, { recursive: true, force: true });
  });
  const ask = async (path: string, init: RequestInit = {}): Promise<string> => {
    const headers = { ...init.headers, ...(withToken ? { authorization: `Bearer ${TOKEN}` } : {}) };
    const response = await fetch(`${server.url}${path}`, { ...init, headers });
    assert.ok(response.ok, `${path}: ${response.status}`);
    return await response.text();
  };
  const post = (body: object) =>
    ask('/api/events', {
      method: 'POST',
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    });
  await post(event({ session_id: 'marked', tool_name: MARK }));
  const headers = { 'content-type': 'image/png' };
  const put = await ask('/api/events/1/attachments/a.png', { method: 'PUT', body: IMAGE, headers });
  const { sha256 } = JSON.parse(put) as { sha256: string };
  const state = async () => {
    const { days, bytes } = JSON.parse(await ask('/api/retention')) as { days: number; bytes: number };
    return [await ask('/api/events'), await ask('/api/events/1/attachments'), days, bytes];
  };
  const port = inTunnel ? await tunnel(t, server.port) : server.port;
  return { url: `http://127.0.0.1:${port}`, port, database, image: sha256, state };
}
