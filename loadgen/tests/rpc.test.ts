/** Tests the parts of `pnpm bench:rpc`: flags, values, samples, calls, goals, and reports. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { pack, unpack } from 'msgpackr';
import { deviation, mean } from '../src/analyse/statistics.ts';
import { measureCall } from '../src/codecs/alone-calls.ts';
import { parseSuite } from '../src/plan/suite-options.ts';
import { violations } from '../src/result/json.ts';
import { type Call, libraryTime } from '../src/rpc/call.ts';
import type { CallOrders, Sliced } from '../src/rpc/call-process.ts';
import { RPC } from '../src/rpc/command.ts';
import { FIGURES, figuresOf } from '../src/rpc/figure.ts';
import { outcomeOf } from '../src/rpc/goal.ts';
import { GOALS } from '../src/rpc/goals.ts';
import { Pool } from '../src/rpc/pool.ts';
import { rpcDocument } from '../src/rpc/report/markdown.ts';
import { rpcPrior } from '../src/rpc/report/prior.ts';
import { rpcTerminal } from '../src/rpc/report/terminal.ts';
import { marginOf, Samples } from '../src/rpc/samples.ts';
import { parametersOf, usualCall } from '../src/rpc/scenario.ts';
import { argumentOf, callOf, LOREM, nameOf, responseOf, STRING_CHARACTERS } from '../src/rpc/values.ts';
import { Helper } from '../src/run/helper.ts';
import { rpcRow, sampleRpc } from './rpc-sample.ts';
import { lifetime } from './scratch.ts';

test('flags choose servers, scenarios, size and seed, and every wrong one is reported', () => {
  const parsed = parseSuite(RPC, [
    '--only',
    'ts',
    '--scenarios=large,scalars',
    '--all',
    '--seed=7',
    '--no-build',
  ]);
  assert.equal(parsed.kind, 'run');
  if (parsed.kind !== 'run') return;
  const { targets, scenarios, size, seed, build } = parsed.options;
  assert.deepEqual(
    { targets, scenarios, size, seed, build },
    { targets: ['ts'], scenarios: ['scalars', 'large'], size: 'all', seed: 7, build: false },
  );
  const wrong = parseSuite(RPC, ['--only=go', '--scenarios=x', '--quick', '--all', '--seed=1.5', 'word']);
  assert.equal(wrong.kind === 'invalid' && wrong.problems.length, 5);
  assert.equal(parseSuite(RPC, ['--help']).kind, 'help');
});

test('the same seed gives the same values, of the right types', () => {
  const subject = { type: 'nestedDict', length: 50, strings: 'random' } as const;
  const values = argumentOf(subject, 1) as { topStr: string; topD: number; nested: { str: string } }[];
  assert.deepEqual(argumentOf(subject, 1), values);
  assert.notDeepEqual(argumentOf(subject, 2), values);
  assert.equal(values.length, 50);
  for (const { topStr, topD } of values) {
    assert.ok(topStr.isWellFormed() && Number.isFinite(topD));
    assert.equal([...topStr].length, STRING_CHARACTERS);
    assert.equal([...topStr].filter((char) => char.charCodeAt(0) < 0x80).length, STRING_CHARACTERS / 2);
  }
  assert.ok(values.some(({ topD }) => !Number.isInteger(topD)));
  const longs = argumentOf({ type: 'long', length: 1_000, strings: 'identical' }, 1) as number[];
  assert.ok(longs.every((long) => long === (long | 0)) && longs.some((long) => long < 0));
  assert.equal(LOREM.length, STRING_CHARACTERS);
  assert.equal(argumentOf({ type: 'DOMString', length: null, strings: 'identical' }, 1), LOREM);
  assert.deepEqual(
    ['long', 'dict'].map((type) => nameOf({ ...subject, type: type as 'long' })),
    ['longs', 'dicts'],
  );
});

test('a sample is all calls of 20 ms, and what is left over counts only alone', () => {
  const samples = new Samples(0);
  for (const at of [5, 10, 25, 40, 50, 52]) samples.add(at);
  assert.deepEqual(samples.end(60), [25_000 / 3, 12_500]);
  const short = new Samples(0);
  short.add(8);
  assert.deepEqual(short.end(10), [10_000]);
  assert.deepEqual(new Samples(0).end(10), []);
});

test('margin, mean and standard deviation are those of a sample', () => {
  assert.equal(mean([2, 4, 4, 4, 5, 5, 7, 9]), 5);
  assert.equal(deviation([1, 3]), Math.SQRT2);
  assert.equal(deviation([1]), null);
  assert.equal(marginOf([1]), null);
  // For one degree of freedom t is 12.706. The mean is 2 and its standard error is 1.
  assert.equal(marginOf([1, 3])!.toFixed(3), '6.353');
  const many = Array.from({ length: 100 }, (_, i) => 1 + (i % 2));
  assert.equal(marginOf(many)!.toFixed(4), ((1.96 * deviation(many)!) / 10 / 1.5).toFixed(4));
});

test('slices of a case are one figure each', () => {
  const sliced: Sliced = {
    samples_us: [100, 300],
    latencies_us: Float64Array.of(100, 200, 300),
    lib_us: Float64Array.of(10, 20, 30),
    sent_bytes: 5,
    received_bytes: 6,
    cpu_us: 30,
  };
  const pool = new Pool();
  pool.add(sliced, 60);
  pool.add(
    { ...sliced, samples_us: [200], latencies_us: Float64Array.of(200), lib_us: Float64Array.of(20) },
    20,
  );
  const { calls, samples, calls_per_s, p50_us, max_us, lib_us, server_cpu_us, client_cpu_us } =
    pool.figures();
  assert.deepEqual(
    { calls, samples, calls_per_s, p50_us, max_us, lib_us, server_cpu_us, client_cpu_us },
    {
      calls: 4,
      samples: 3,
      calls_per_s: 5_000,
      p50_us: 200,
      max_us: 300,
      lib_us: 20,
      server_cpu_us: 20,
      client_cpu_us: 15,
    },
  );
  pool.add(sliced, null);
  assert.equal(pool.figures().server_cpu_us, undefined);
  assert.throws(() => figuresOf({ calls: Number.NaN }), RangeError);
});

test('rows name what differs: no length of one value, no strings of numbers', () => {
  const long = usualCall({ type: 'long', length: null, strings: 'identical' });
  assert.deepEqual(parametersOf(long), { type: 'long', client: 'checked', format: 'json', in_flight: 1 });
  const dicts = usualCall({ type: 'dict', length: 10, strings: 'random' }, { client: 'raw', in_flight: 8 });
  assert.deepEqual(parametersOf(dicts), {
    type: 'dict',
    length: 10,
    strings: 'random',
    client: 'raw',
    format: 'json',
    in_flight: 8,
  });
});

test('the time of the library is read to the microsecond', () => {
  assert.equal(libraryTime('lib;dur=0.125'), 125);
  assert.throws(() => libraryTime('encode;dur=1'), /no Server-Timing/);
});

test('calls are compared, then timed, by each client and in each format', async (context) => {
  let wrong: 'value' | 'length' | null = null;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const type = request.headers['content-type']!;
      const body = Buffer.concat(chunks);
      const { params, id } = type === 'application/json' ? JSON.parse(body.toString()) : unpack(body);
      const result = wrong === 'value' ? 'other' : wrong === 'length' ? params[0].slice(1) : params[0];
      const answer = { ...responseOf(result), id };
      const text = type === 'application/json' ? Buffer.from(JSON.stringify(answer)) : pack(answer);
      response.writeHead(200, {
        'content-type': type,
        'content-length': text.length,
        'server-timing': 'lib;dur=0.050',
      });
      response.end(text);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const program = new URL('../src/rpc/call-main.ts', import.meta.url);
  const child = new Helper<CallOrders>({ name: 'the process that calls', program, lifetime });
  context.after(async () => {
    await child.close();
    server.closeAllConnections();
    server.close();
  });
  const subject = { type: 'dict', length: 3, strings: 'random' } as const;
  const prepare = (call: Call) => child.ask('prepare', port, call, 1, 0);
  for (const call of [
    usualCall(subject),
    usualCall(subject, { format: 'msgpack', client: 'unchecked' }),
    usualCall(subject, { client: 'raw', in_flight: 3 }),
    usualCall({ ...subject, length: null }, { in_flight: 2 }),
  ]) {
    await prepare(call);
    const { samples_us, latencies_us, lib_us, sent_bytes, received_bytes } = await child.ask('run', 0, 5);
    assert.equal(latencies_us.length, 5);
    assert.deepEqual([...lib_us], call.client === 'raw' ? [] : [50, 50, 50, 50, 50]);
    assert.ok(samples_us.length > 0 && samples_us.every((us) => us > 0));
    assert.ok(
      sent_bytes > received_bytes && received_bytes > 100,
      `${sent_bytes} and ${received_bytes} bytes`,
    );
  }
  wrong = 'value';
  await assert.rejects(prepare(usualCall(subject)), /echo\.dicts, json: 200/);
  wrong = null;
  await prepare(usualCall(subject, { client: 'unchecked' }));
  wrong = 'length';
  await assert.rejects(child.ask('run', 0, 1), /echo\.dicts gave another value/);
});

test('the reference parses and answers the same call, with and without its bytes', () => {
  const subject = { type: 'nestedDict', length: 3, strings: 'random' } as const;
  const text = JSON.stringify(callOf(subject, argumentOf(subject, 1)));
  const printed: unknown[] = [];
  const report = {
    time: (work: () => unknown) => [work() === undefined ? 0 : 1],
    print: (...step: unknown[]) => void printed.push(step),
  };
  measureCall(report, text, 3);
  const bytes = Buffer.byteLength(text);
  assert.deepEqual(printed, [
    ['bytes', bytes, 3, [1]],
    ['text', bytes, 3, [1]],
  ]);
  assert.throws(() => measureCall(report, text, 4), /another number of values/);
});

test('a result follows the schema, with every figure', async () => {
  const figures = Object.fromEntries(Object.keys(FIGURES).map((key) => [key, 1]));
  const rpc = sampleRpc();
  const whole = { ...rpc, rows: [...rpc.rows, rpcRow('large', { what: 'calls' }, figures)] };
  assert.deepEqual(await violations(JSON.parse(JSON.stringify(whole)), '#/$defs/rpc'), []);
  const wrong = { ...whole, rows: [{ ...rpc.rows[0]!, figures: { calls: 'many' } }] };
  assert.notDeepEqual(await violations(JSON.parse(JSON.stringify(wrong)), '#/$defs/rpc'), []);
});

test('goals say whether they are met, by how much they are missed, and what was not measured', () => {
  const rpc = sampleRpc();
  const found = new Map(GOALS.map((goal) => [goal.title, outcomeOf(goal, rpc, 'rs')]));
  const of = (text: string) => [...found].find(([title]) => title.includes(text))![1];
  assert.deepEqual([of('slowest').found, of('slowest').isMet], [7_600, false]);
  assert.deepEqual(
    [of('over plain JSON, identical').found, of('over plain JSON, identical').isMet],
    [1.05, true],
  );
  assert.deepEqual(of('over plain JSON, random'), { found: null, goal: 1.5, share: null, isMet: null });
  assert.deepEqual(of('10,000 nested dicts, library time').found, 1.05);
  assert.deepEqual([of('memory').found, of('memory').isMet], [1.25, false]);
  assert.equal(outcomeOf(GOALS[0]!, rpc, 'ts').found, null);
  const text = rpcTerminal(rpc, { columns: 400, tables: false });
  assert.match(text, /7,600 round trips\/s, missed by 5 %/);
  assert.match(text, /Missed, Rust by 4\.2 %: 100,000 nested dicts, memory/);
});

test('tables fit the terminal and have each figure of a call', () => {
  const lines = rpcTerminal(sampleRpc(), { columns: 120, tables: false })
    .split('\n')
    .filter((line) => /^[│┌├└]/.test(line));
  const widest = Math.max(...lines.map((line) => line.length));
  assert.ok(lines.length > 10 && widest <= 120, `${widest} characters`);
  assert.match(
    rpcTerminal(sampleRpc(), { columns: 120, tables: true }),
    /Rust, type nestedDict, strings identical, length 100000, what calls/,
  );
  const text = rpcTerminal(sampleRpc(), { columns: 400, tables: false });
  assert.match(
    text,
    /│ long +│ 10,000 ±1\.3% +│ 40 +│ 90\.0 +│ 120 +│ 200 +│ 10\.0 ±2\.50 +│ 20\.0 +│ 10 % +│ 64 \/ 1,234 +│/,
  );
  assert.match(text, /│ 10,000 +│ — +│ — +│ — +│ — +│ 12\.5 ±1\.3% +│/);
  assert.match(text, /│ 10,000 × nestedDict +│ 12\.5 ±1\.3% +│ 25\.0 ±1\.3% +│ 2\.00 +│/);
  assert.match(text, /│ Rust, identical +│ 21\.00 +│ 20\.00 +│ 1\.05 +│/);
  assert.match(text, /│ Rust, identical +│ 0\.50 +│ 0\.90 +│ 1\.00 +│ 0\.70 +│ 9\.00 +│ 12\.34 +│/);
  assert.match(
    rpcPrior(sampleRpc()),
    /\n\| one typed call in flight, long \| 418 \| one call in flight .* \| 10,000 round/,
  );
});

test('the document has the goals and every table', () => {
  const text = rpcDocument(sampleRpc());
  assert.match(text, /^# Typed calls/);
  assert.match(text, /10,000 ±1\.3%/);
  assert.doesNotMatch(text, /undefined|NaN|Infinity|\[object/);
});
