/**
 * Tests the demos without a screen, and once with the dashboard: real servers, every kind of end, and nothing left
 * behind.
 */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { skip } from '@twin-ingest/testkit/browser/chromium.ts';
import { launch, open } from '@twin-ingest/testkit/browser/page.ts';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { run, start } from './run-script.ts';

const folder = mkdtempSync(join(tmpdir(), 'demo-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let folders = 0;

/** Returns a place for the demo's folder, so that the test sees which files remain. */
function ownPlace(): { readonly cwd: string; readonly env: Record<string, string> } {
  const cwd = mkdtempSync(join(folder, `${++folders}-`));
  return { cwd, env: { TMPDIR: cwd, TEMP: cwd, TMP: cwd } };
}
const HEADLESS = ['--no-open', '--no-build'];

async function isTaken(port: number): Promise<boolean> {
  const probe = createServer();
  return await new Promise((resolve) => {
    probe.once('error', () => resolve(true));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(false)));
  });
}

/** Matches the server's counts and the agents' work. */
const COMPARED =
  /\nsent ([\d,]+) {2}stored ([\d,]+)\ncalls (\S+) of (\S+) {2}errors (\S+) of (\S+) {2}tokens in (\S+) of (\S+) {2}tokens out (\S+) of (\S+) {2}cost \$(\S+) of \$(\S+)\n$/;

for (const name of TARGET_NAMES) {
  test(`a demo on ${name} plays until its time is over, and the server counts what the agents did`, async () => {
    const place = ownPlace();
    const argv = ['--', ...HEADLESS, '--server', name, '--speed', '50', '--seconds', '6'];
    const { code, stdout, stderr } = await run('demo', argv, place);
    assert.deepEqual([code, stderr], [0, '']);
    const [, sent, stored, ...pairs] = COMPARED.exec(stdout)!;
    assert.ok(!['0', sent].includes(stored!), 'requests of several records');
    for (let i = 0; i < pairs.length; i += 2) assert.equal(pairs[i], pairs[i + 1], stdout);
    assert.ok(!pairs.includes('0'), stdout);
    assert.deepEqual(readdirSync(place.cwd), []);
  });
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  test(`${signal} ends a demo: exit 0, the server gone, nothing left`, async () => {
    const place = ownPlace();
    const argv = [...HEADLESS, '--server', 'ts', '--speed', '50'];
    const { child, ended, shown } = start('demo', argv, place);
    const [, url, port] = await shown(/ at (http:\/\/127\.0\.0\.1:(\d+))\/ /);
    const total = async () => {
      const response = await fetch(`${url}/api/stats`);
      return ((await response.json()) as { total_events: number }).total_events;
    };
    while ((await total()) === 0) await sleep(20);
    assert.ok(await isTaken(Number(port)));
    child.kill(signal);
    const { code, stderr } = await ended;
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(await isTaken(Number(port)), false);
    assert.deepEqual(readdirSync(place.cwd), []);
  });
}

for (const name of TARGET_NAMES)
  test(`a signal to a demo and to its group, as \`timeout\` sends it, ends it in order (${name})`, async (context) => {
    if (process.platform === 'win32') return context.skip('no process groups');
    const { cwd, env } = ownPlace();
    const program = fileURLToPath(new URL('../src/demo.ts', import.meta.url));
    const child = spawn(process.execPath, [program, ...HEADLESS, '--server', name, '--speed', '50'], {
      cwd,
      env: { ...process.env, ...env },
      detached: true,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr, isSent] = ['', '', false];
    child.stderr.on('data', (text) => {
      stderr += text;
    });
    child.stdout.on('data', (text) => {
      stdout += text;
      if (isSent || !/ at http:\S+\/ /.test(stdout)) return;
      isSent = true;
      process.kill(child.pid!, 'SIGINT');
      process.kill(-child.pid!, 'SIGINT');
    });
    const [code] = await once(child, 'close');
    assert.deepEqual([code, stderr], [0, ''], stdout);
    assert.match(stdout, COMPARED);
    assert.deepEqual(readdirSync(cwd), []);
  });

test('a closed output ends a demo: exit 0, no server and no folder left', async () => {
  const place = ownPlace();
  const { child, ended, shown } = start('demo', [...HEADLESS, '--server', 'ts', '--speed', '50'], place);
  const [, , port] = await shown(/ at (http:\/\/127\.0\.0\.1:(\d+))\/ /);
  child.stdout?.destroy();
  const { code, stderr } = await ended;
  assert.deepEqual([code, stderr], [0, '']);
  assert.equal(await isTaken(Number(port)), false);
  assert.deepEqual(readdirSync(place.cwd), []);
});

test('a corpus is replayed, and refused events are reported', async () => {
  const place = ownPlace();
  const file = join(folder, 'corpus.ndjson');
  const lines = Array.from({ length: 40 }, (_, i) => ({
    event_id: 'the same in each',
    session_id: 's',
    agent_type: 'agent',
    event_type: i % 4 === 0 ? 'unheard of' : 'response',
    client_timestamp: new Date(Date.UTC(2026, 0, 1) + i).toISOString(),
  }));
  writeFileSync(file, lines.map((line) => JSON.stringify(line)).join('\n'));
  const argv = [...HEADLESS, '--server', 'ts', '--corpus', file, '--seconds', '1.5'];
  const { code, stdout, stderr } = await run('demo', argv, place);
  assert.deepEqual([code, stderr], [0, '']);
  assert.match(stdout, /\nsent 40 {2}stored 30 {2}refused 10\n$/);
});

test('a taken port is an error that names it, without a stack trace', async () => {
  const place = ownPlace();
  const holder = createServer();
  await new Promise<void>((resolve) => holder.listen(0, '127.0.0.1', resolve));
  const { port } = holder.address() as { port: number };
  try {
    const { code, stderr } = await run(
      'demo',
      [...HEADLESS, '--server', 'ts', '--port', String(port)],
      place,
    );
    assert.equal(code, 1);
    assert.match(stderr, new RegExp(`^demo: [\\s\\S]*${port}`));
    assert.deepEqual(readdirSync(place.cwd), []);
  } finally {
    holder.close();
  }
});

const VERDICT =
  /\n(Every event once|NOT every event once) across (\d+) swaps: sent (\S+) {2}acknowledged (\S+) {2}stored (\S+) {2}streamed (\S+) {2}doubled (\S+) {2}missed (\S+)\n$/;

test('servers that are killed in turn lose no event and store none twice', async () => {
  const place = ownPlace();
  const argv = [...HEADLESS, '--interval', '0.5', '--swaps', '4', '--speed', '60'];
  const { code, stdout, stderr } = await run('demo-swap', argv, place);
  assert.deepEqual([code, stderr], [0, ''], stdout);
  const [, verdict, swaps, sent, acknowledged, stored, streamed, doubled, missed] = VERDICT.exec(stdout)!;
  assert.deepEqual([verdict, swaps, doubled, missed], ['Every event once', '4', '0', '0']);
  assert.deepEqual([acknowledged, stored, streamed], [sent, sent, sent]);
  const kills = [...stdout.matchAll(/^(\w+) .* was killed with (\d+) events under way/gm)];
  assert.deepEqual(
    kills.map(([, name]) => name),
    ['Rust', 'TypeScript', 'Rust', 'TypeScript'],
  );
  assert.ok(kills.every(([, , waiting]) => Number(waiting) > 0));
  assert.deepEqual(readdirSync(place.cwd), []);
});

test('the dashboard receives every event while the servers are killed in turn', { skip }, async (t) => {
  const place = ownPlace();
  const browser = await launch();
  t.after(() => browser.close());
  // Ten events a second, and more of them than the test lasts. In ten seconds without a server, fewer become due than
  // the page fetches at once.
  const SPEED = 0.05;
  const EVERY_MS = 100 * SPEED;
  const corpus = join(folder, 'slow.ndjson');
  const lines = Array.from({ length: 1000 }, (_, i) => ({
    session_id: 's',
    agent_type: 'agent',
    event_type: 'response',
    client_timestamp: new Date(Date.UTC(2026, 0, 1) + i * EVERY_MS).toISOString(),
  }));
  writeFileSync(corpus, lines.map((line) => JSON.stringify(line)).join('\n'));
  const argv = [...HEADLESS, '--corpus', corpus, '--speed', String(SPEED), '--interval', '0.5'];
  const { child, ended, shown } = start('demo-swap', argv, place);
  const [, url] = await shown(/ at (http:\/\/127\.0\.0\.1:\d+)\/ /);
  /** Returns the number of stored events, `undefined` without a server. */
  const stored = async () => {
    const response = await fetch(`${url}/api/stats`).catch(() => undefined);
    return ((await response?.json()) as { total_events: number } | undefined)?.total_events;
  };
  /** Stops the sender and the kills at a moment when a server answers. */
  const pause = async () => {
    for (;;) {
      child.kill('SIGSTOP');
      if ((await stored()) !== undefined) return;
      child.kill('SIGCONT');
      await sleep(50);
    }
  };

  const end = () => {
    child.kill('SIGCONT');
    child.kill('SIGINT');
  };
  t.after(end);

  await pause();
  const { page } = await open(browser, url!);
  await page.waitForSelector('[data-connection]');
  child.kill('SIGCONT');
  await page.getByText(/since opened/).waitFor();
  const [before] = await shown(/^[\s\S]*/);
  const kills = before.split('was killed').length - 1;
  await shown(new RegExp(`(was killed[\\s\\S]*){${kills + 2}}`));
  await pause();

  // The page waits up to 10 s before another attempt, once several have failed.
  const late_ms = performance.now() + 35_000;
  const count = page.getByTitle(/^Of the events /);
  let [, first, last]: (string | undefined)[] = [];
  while (Number(last) !== (await stored())) {
    assert.ok(performance.now() < late_ms, `the page has events to ${last} of ${await stored()}`);
    await sleep(50);
    [, first, last] = /^Of the events (\d+) to (\d+)$/.exec((await count.getAttribute('title'))!)!;
  }
  const received = Number(last) - Number(first) + 1;
  await page.getByText(`${received} since opened, none missing`).waitFor();
  end();
  const { code, stdout, stderr } = await ended;
  assert.deepEqual([code, stderr], [0, ''], stdout);
  const [, verdict, , sent] = VERDICT.exec(stdout)!;
  assert.equal(verdict, 'Every event once');
  assert.ok(Number(sent) >= Number(last), stdout);
});

test('Ctrl-C during the swaps ends them with a verdict', async () => {
  const place = ownPlace();
  const { child, ended, shown } = start(
    'demo-swap',
    [...HEADLESS, '--interval', '0.3', '--server', 'ts'],
    place,
  );
  await shown(/was killed[\s\S]*was killed/);
  child.kill('SIGINT');
  const { code, stdout, stderr } = await ended;
  assert.deepEqual([code, stderr], [0, ''], stdout);
  assert.equal(VERDICT.exec(stdout)![1], 'Every event once');
  assert.deepEqual(readdirSync(place.cwd), []);
});
