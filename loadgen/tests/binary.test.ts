/** Tests the parts of `pnpm bench:binary`: flags, bytes, orders, laps, goals, and reports. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { keepAttachment } from '../src/binary/attachment.ts';
import { blobBytes, hashOf } from '../src/binary/blob-bytes.ts';
import type { BodyOrders } from '../src/binary/body-process.ts';
import { BINARY } from '../src/binary/command.ts';
import { FIGURES } from '../src/binary/figure.ts';
import { outcomeOf } from '../src/binary/goal.ts';
import { GOALS } from '../src/binary/goals.ts';
import { lapsInPage, methodsInPage } from '../src/binary/in-page.ts';
import { LivezProbe } from '../src/binary/livez-probe.ts';
import { contestantsOf, isFast } from '../src/binary/methods.ts';
import { orderOf } from '../src/binary/order.ts';
import { binaryDocument } from '../src/binary/report/markdown.ts';
import { binaryTerminal } from '../src/binary/report/terminal.ts';
import { figuresOf } from '../src/binary/scenarios/transfer.ts';
import { parseSuite } from '../src/plan/suite-options.ts';
import { violations } from '../src/result/json.ts';
import { Helper } from '../src/run/helper.ts';
import { sampleBinary, transferRow } from './binary-sample.ts';
import { lifetime } from './scratch.ts';

test('flags choose servers, scenarios and size, and every wrong one is reported', () => {
  const parsed = parseSuite(BINARY, ['--only', 'ts', '--scenarios=livez', '--all', '--no-build']);
  assert.equal(parsed.kind, 'run');
  if (parsed.kind !== 'run') return;
  const { targets, scenarios, size, build } = parsed.options;
  assert.deepEqual(
    { targets, scenarios, size, build },
    { targets: ['ts'], scenarios: ['livez'], size: 'all', build: false },
  );
  const wrong = parseSuite(BINARY, ['--only=go', '--scenarios=x', '--quick', '--all', 'word']);
  assert.equal(wrong.kind === 'invalid' && wrong.problems.length, 4);
  assert.equal(parseSuite(BINARY, ['--help']).kind, 'help');
});

test('the expected bytes are those of the rule BEN-04', () => {
  // The known first outputs of xorshift32 with this seed begin with 723471715.
  assert.deepEqual([...new Uint32Array(Uint8Array.from(blobBytes(8)).buffer)], [2_463_534_242, 723_471_715]);
  assert.equal(blobBytes(5).length, 5);
  assert.ok(blobBytes(1001).subarray(0, 5).equals(blobBytes(5)));
  assert.match(hashOf(blobBytes(10_240)), /^[0-9a-f]{64}$/);
});

test('an order has each method in each place and after each other one equally often', () => {
  for (const count of [1, 2, 5, 6, 11, 12]) {
    const places = new Map<string, number>();
    const pairs = new Map<string, number>();
    for (let round = 0; round < 2 * count; round++) {
      const order = orderOf(round, count);
      assert.deepEqual(
        order.toSorted((a, b) => a - b),
        [...Array(count).keys()],
      );
      for (const [place, method] of order.entries()) {
        places.set(`${place} ${method}`, (places.get(`${place} ${method}`) ?? 0) + 1);
        const pair = `${order[place - 1]} ${method}`;
        if (place > 0) pairs.set(pair, (pairs.get(pair) ?? 0) + 1);
      }
    }
    assert.deepEqual([places.size, new Set(places.values())], [count ** 2, new Set([2])]);
    assert.equal(pairs.size, count * (count - 1));
    assert.deepEqual(new Set(pairs.values()), new Set(count === 1 ? [] : [2]));
  }
});

test('a lap has the time and the hash of the method that was named', async () => {
  const script = `data:text/javascript,
    export const METHODS = ['slow', 'fast'].map((name) => ({ name, title: name, form: 'raw', isSupported: name === 'fast' }));
    export const runLap = async ({ name }, address) => ({
      lap: { took: name.length + 1e-7, block: 2, received: 3 },
      bytes: new TextEncoder().encode(name + address).buffer,
    });`;
  assert.deepEqual((await methodsInPage(script))[1], {
    name: 'fast',
    title: 'fast',
    form: 'raw',
    isSupported: true,
  });
  const laps = [{ method: 'fast', address: '/a' }];
  assert.deepEqual(await lapsInPage({ script, laps }), [
    { took_ms: 4, block_ms: 2, received_bytes: 3, encode_ms: null, hash: hashOf(Buffer.from('fast/a')) },
  ]);
});

test('a lap with other bytes is a failure, however fast it was', () => {
  const figures = { took_ms: 1, block_ms: 2, received_bytes: 3, encode_ms: null };
  const hash = hashOf(blobBytes(9));
  assert.deepEqual(figuresOf({ ...figures, hash }, hash, 'rs, raw'), figures);
  assert.throws(() => figuresOf({ ...figures, hash: hashOf(blobBytes(8)) }, hash, 'rs, raw'), {
    code: 'payload_differs',
  });
});

test('methods read their own form, and only raw bytes and fast base64 are measured at 32 MiB', () => {
  const { methods } = sampleBinary();
  const contestants = contestantsOf(methods);
  assert.deepEqual(contestants.find(({ name }) => name === 'numbers')!.lap(7, ''), {
    method: 'numbers',
    address: '/bench/blob?size=7&as=numbers',
  });
  assert.deepEqual(
    methods.filter((method) => !isFast(method)).map(({ name }) => name),
    ['numbers'],
  );
});

test('bytes become an attachment, and a server that says another hash is refused', async (context) => {
  let hash = '';
  const seen: string[] = [];
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    request.resume().on('end', () => {
      response.statusCode = 201;
      response.end(JSON.stringify(request.method === 'POST' ? { ids: [7] } : { sha256: hash }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  context.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  hash = hashOf(blobBytes(9));
  await keepAttachment(url, blobBytes(9));
  assert.deepEqual(seen, ['POST /api/events', 'PUT /api/events/7/attachments/bytes']);
  await assert.rejects(keepAttachment(url, blobBytes(8)), /SHA-256/);
  const file = contestantsOf(sampleBinary().methods).find(({ form }) => form === 'file')!;
  assert.deepEqual(file.lap(9, 'abc'), { method: 'raw-array-buffer', address: '/api/attachments/abc' });
});

test('bodies are compared, and /livez is asked meanwhile', async (context) => {
  let isWrong = false;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      if (request.url === '/livez') response.end('{}');
      else response.end(isWrong ? Buffer.alloc(1000) : Buffer.concat(chunks));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const program = new URL('../src/binary/body-main.ts', import.meta.url);
  const child = new Helper<BodyOrders>({ name: 'the process that sends', program, lifetime });
  context.after(async () => {
    await child.close();
    server.closeAllConnections();
    server.close();
  });
  const first = () => child.ask('first', port, 'echo', 1000);
  await first();
  const probe = new LivezProbe(`http://127.0.0.1:${port}`);
  const moved = await child.ask('run', 0.1);
  const times = await probe.end();
  assert.ok(moved.bodies > 0 && moved.duration_ms >= 100, JSON.stringify(moved));
  assert.ok(times.length > 0 && times.every((time, i) => time >= (times[i - 1] ?? 0)), String(times));
  isWrong = true;
  await assert.rejects(first(), /other bytes/);
});

test('a result follows the schema, with every figure', async () => {
  const figures = Object.fromEntries(Object.keys(FIGURES).map((key) => [key, [1, 2]]));
  const binary = sampleBinary();
  const whole = { ...binary, rows: [...binary.rows, { ...transferRow('x', [1]), figures }] };
  assert.deepEqual(await violations(JSON.parse(JSON.stringify(whole)), '#/$defs/binary'), []);
  const wrong = { ...whole, rows: [transferRow('x', [])] };
  assert.notDeepEqual(await violations(JSON.parse(JSON.stringify(wrong)), '#/$defs/binary'), []);
});

test('goals say whether they are met, by how much they are missed, and what was not measured', () => {
  const binary = sampleBinary();
  const [raw, ratio, base64] = GOALS.map((goal) => outcomeOf(goal, binary, 'rs'));
  assert.deepEqual(raw, { found: 12, goal: 20, share: 0.6, isMet: true });
  assert.deepEqual([ratio!.found, ratio!.isMet], [35, true]);
  assert.deepEqual([base64!.found, base64!.isMet], [8.4, false]);
  assert.deepEqual(outcomeOf(GOALS[0]!, binary, 'ts'), { found: null, goal: 20, share: null, isMet: null });
  const text = binaryTerminal(binary, 400);
  assert.match(text, /8\.40 times, missed by 6\.7 %/);
  assert.match(
    text,
    /Missed, Rust by 6\.7 %: the fastest base64 method against the number array: the number array, one/,
  );
});

test('tables fit the terminal and have each figure of a method', () => {
  for (const columns of [80, 120]) {
    const lines = binaryTerminal(sampleBinary(), columns)
      .split('\n')
      .filter((line) => /^[│┌├└]/.test(line));
    const widest = Math.max(...lines.map((line) => line.length));
    assert.ok(lines.length > 10 && widest <= columns, `${widest} characters of ${columns}`);
  }
  const text = binaryTerminal(sampleBinary(), 400);
  assert.match(
    text,
    /raw, bytes\(\) +│ 12\.0 ± 2\.8 +│ 12\.0 +│ 14\.0 +│ 3,464,800 +│ 14\.0 +│ 0\.15 +│ 35\.0 \[/,
  );
  assert.match(text, /Rust, \/bench\/echo +│ 1\.50 +│ 9\.00 +│ 45\.50 +│ 1,700 +│ 700/);
});

test('the document has the goals and every table', () => {
  const text = binaryDocument(sampleBinary());
  assert.match(text, /12\.0 ± 2\.8/);
  assert.doesNotMatch(text, /undefined|NaN|Infinity|\[object/);
});
