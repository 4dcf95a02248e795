/** Tests what the log says about refused requests, and about the reason of a stop (rules SEC-11 and PRO-07). */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import TUNING from '../../contract/tuning.json' with { type: 'json' };
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const REFUSALS: ScenarioFile = {
  name: 'refusals',
  about: 'the log of refused requests and of stops',
  scenarios: [
    {
      name: 'the log names each refused Host and Origin once, and bounds their number',
      rules: ['SEC-11', 'SEC-10'],
      uses: 'each',
      run: warnings,
    },
    {
      name: 'the log has every refused request at debug',
      rules: ['SEC-11'],
      uses: 'each',
      run: debugLines,
    },
    {
      name: 'the line of a stop has its reason',
      rules: ['PRO-07', 'PRO-10', 'PRO-14', 'PRO-17', 'PRO-18'],
      uses: 'each',
      waits: true,
      run: stopReasons,
    },
  ],
};

const TOKEN = 'correct-horse-battery-staple';

interface Line {
  readonly level: string;
  readonly message: string;
  readonly code?: string;
  readonly reason?: string;
}

async function warnings(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  for (const host of ['evil.example', 'evil.example', 'evil.example:1'])
    assert.equal(await status(server, { host }), 403);
  assert.equal(await status(server, { origin: 'http://evil.example' }), 403);
  assert.equal(await status(server, { host: 'a\u202e"<' }), 403);
  for (let n = 0; n < 3 * TUNING.refusals_logged; n++)
    assert.equal(await status(server, { host: `host-${n}` }), 403);
  await server.stop();
  const shown = linesOf(server).filter(({ message }) => message === 'request refused');
  assert.equal(shown.length, TUNING.refusals_logged);
  assert.ok(shown.every(({ level }) => level === 'WARN'));
  assert.deepEqual(
    shown.slice(0, 4).map(({ code, reason }) => [code, reason]),
    [
      ['forbidden_host', 'evil.example is refused; --allow-host evil.example would allow it'],
      ['forbidden_host', 'evil.example:1 is refused; --allow-host evil.example would allow it'],
      [
        'forbidden_origin',
        'http://evil.example is refused; --allow-origin http://evil.example would allow it',
      ],
      ['forbidden_host', 'a.\\x22\\x3c is refused, and no flag allows it'],
    ].map(([code, reason]) => [code, reason!.replace('a.', 'a\\xe2\\x80\\xae')]),
  );
}

async function debugLines(context: ScenarioContext): Promise<void> {
  const file = context.db('token');
  writeFileSync(file, TOKEN, { mode: 0o600 });
  const server = await context.start({ flags: ['--log-level', 'debug', '--token-file', file] });
  const wrong = 'Bearer another-token-of-length';
  for (const headers of [{ host: 'a' }, { host: 'a' }, { origin: 'null' }, { authorization: wrong }, {}])
    assert.ok((await status(server, headers)) >= 401);
  assert.equal(await status(server, { authorization: `Bearer ${TOKEN}` }), 200);
  await server.stop();
  const lines = linesOf(server).filter(({ message }) => message === 'request refused');
  const shown = lines.filter(({ level }) => level === 'DEBUG').map(({ code, reason }) => [code, reason]);
  const host = 'a is refused; --allow-host a would allow it';
  assert.deepEqual(shown, [
    ['forbidden_host', host],
    ['forbidden_host', host],
    ['forbidden_origin', 'null is refused, and no flag allows it'],
    ['unauthorized', undefined],
    ['unauthorized', undefined],
  ]);
  assert.equal(server.stderr().includes(wrong), false);
}

async function stopReasons(context: ScenarioContext): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    const server = await context.start({ db: context.db(`${signal}.db`) });
    process.kill(server.pid, signal);
    await requireReason(server, signal);
  }
  const piped = await context.start({
    db: context.db('a.db'),
    flags: ['--exit-with-stdin'],
    hasInput: true,
  });
  piped.endInput();
  await requireReason(piped, 'stdin ended');
  const fed = await context.start({ db: context.db('b.db'), flags: ['--stdin', 'ndjson'], hasInput: true });
  fed.endInput();
  await requireReason(fed, 'stdin ended');
  const parent = spawn('sleep', ['60']);
  await once(parent, 'spawn');
  const watching = await context.start({
    db: context.db('c.db'),
    flags: ['--parent-pid', String(parent.pid)],
  });
  parent.kill('SIGKILL');
  await requireReason(watching, 'parent ended');
  const idle = await context.start({ db: context.db('d.db'), flags: ['--idle-exit', '1'] });
  await requireReason(idle, 'idle');
  const asked = await context.start({ db: context.db('e.db') });
  writeFileSync(`${context.db('e.db')}.stop`, readFileSync(`${context.db('e.db')}.owner`));
  await requireReason(asked, 'stop asked');
}

async function requireReason(server: RunningServer, reason: string): Promise<void> {
  assert.deepEqual(await server.exited, { code: 0, signal: null });
  const lines = () => linesOf(server).filter(({ message }) => message === 'stopping');
  await until(() => lines().length > 0, 'the line of the stop');
  assert.deepEqual(
    lines().map((line) => line.reason),
    [reason],
  );
}

function linesOf(server: RunningServer): Line[] {
  const lines = server.stderr().split('\n').filter(Boolean);
  return lines.map((line) => JSON.parse(line) as Line);
}

async function status(server: RunningServer, headers: Record<string, string>): Promise<number> {
  const bytes = Object.entries(headers).map(([name, value]) => [name, Buffer.from(value).toString('latin1')]);
  return await new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port: server.port, path: '/api/events', agent: false };
    request({ ...options, headers: Object.fromEntries(bytes) }, (response) => {
      response.resume();
      resolve(response.statusCode!);
    })
      .on('error', reject)
      .end();
  });
}
