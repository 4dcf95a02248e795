/** Tests the parts of `pnpm bench:codecs`: flags, events, exchanges, ids, goals, and reports. */
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { batchBody } from '@twin-ingest/testkit/codecs/codecs.ts';
import { REQUEST_FORMATS } from '@twin-ingest/testkit/codecs/format.ts';
import { jsonEvent } from '@twin-ingest/testkit/codecs/json.ts';
import { checkFields, type Step, stepFigures } from '../src/codecs/alone.ts';
import { CODECS } from '../src/codecs/command.ts';
import { Exchange } from '../src/codecs/exchange.ts';
import { FIGURES } from '../src/codecs/figure.ts';
import { outcomeOf } from '../src/codecs/goal.ts';
import { GOALS } from '../src/codecs/goals.ts';
import { requestBytes } from '../src/codecs/load-process.ts';
import { idsIn, ingestRequests } from '../src/codecs/loader.ts';
import { decodeBatch } from '../src/codecs/protobuf.ts';
import { codecsDocument } from '../src/codecs/report/markdown.ts';
import { codecsTerminal } from '../src/codecs/report/terminal.ts';
import { procwirePayload, sourceEvents, upTo } from '../src/codecs/source-events.ts';
import { parseSuite } from '../src/plan/suite-options.ts';
import { violations } from '../src/result/json.ts';
import { codecRow as row, sampleCodecs } from './codecs-sample.ts';

const SOURCE = { seed: 1, corpus: undefined };

test('flags choose servers, scenarios and size, and every wrong one is reported', () => {
  const parsed = parseSuite(CODECS, ['--only', 'ts', '--scenarios=pipe,codec', '--all', '--no-build']);
  assert.equal(parsed.kind, 'run');
  if (parsed.kind !== 'run') return;
  const { targets, scenarios, size, build } = parsed.options;
  assert.deepEqual(
    { targets, scenarios, size, build },
    {
      targets: ['ts'],
      scenarios: ['codec', 'pipe'],
      size: 'all',
      build: false,
    },
  );
  const wrong = parseSuite(CODECS, ['--only=go', '--scenarios=x', '--quick', '--all', 'word']);
  assert.equal(wrong.kind === 'invalid' && wrong.problems.length, 4);
  assert.equal(parseSuite(CODECS, ['--help']).kind, 'help');
});

test('the same seed gives the same events, sized as asked, and metadata keeps its text', async () => {
  const events = await sourceEvents('real', 200, SOURCE);
  assert.deepEqual(await sourceEvents('real', 200, SOURCE), events);
  assert.equal(new Set(events.map(({ event_id }) => event_id)).size, 200);
  const part = upTo(events, 10_000);
  const bytes = part.reduce((sum, event) => sum + Buffer.byteLength(jsonEvent(event)) + 1, 0);
  assert.ok(bytes <= 10_000 && part.length > 1, `${part.length} events of ${bytes} bytes`);
  assert.equal(upTo(events, 1).length, 1);
  assert.ok((await sourceEvents('bare', 5, SOURCE)).every(({ metadata }) => metadata === undefined));
  assert.equal(procwirePayload(10_000).data.length, 10_000 - 424);
});

test('the ids of a body are found in every format, and Protobuf reads what it wrote', async () => {
  const events = await sourceEvents('small', 20, SOURCE);
  for (const format of REQUEST_FORMATS) {
    const body = batchBody(format, events);
    const ids = idsIn(body, events).map((at) => body.toString('latin1', at, at + 36));
    assert.deepEqual(
      ids,
      events.map(({ event_id }) => event_id),
      format,
    );
  }
  const read = decodeBatch(batchBody('protobuf', events));
  assert.equal(read[3]!.metadata, events[3]!.metadata);
  assert.equal(read[3]!.event_type, events[3]!.event_type);
  assert.throws(() => idsIn(Buffer.from('{}'), events), /does not hold/);
});

test('an exchange reads answers with a length and in chunks, cut anywhere', async (context) => {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.method === 'POST') response.end('{"received":20}');
      else for (const part of ['a'.repeat(70_000), 'b', 'c'.repeat(10)]) response.write(part);
      response.end();
    });
  }).listen(0);
  context.after(() => server.close());
  const exchange = new Exchange({ port: (server.address() as AddressInfo).port });
  context.after(() => exchange.close());
  const [post] = ingestRequests('json', await sourceEvents('small', 20, SOURCE), 20);
  const get = { ...post!, method: 'GET' as const, body: new Uint8Array() };
  for (let i = 0; i < 3; i++) {
    const answer = await exchange.send(requestBytes(post!), false);
    assert.deepEqual([answer.status, answer.bytes, String(answer.body)], [200, 15, '{"received":20}']);
    const streamed = await exchange.send(requestBytes(get), true);
    assert.deepEqual([streamed.bytes, streamed.body.length], [70_011, 70_011]);
  }
});

test('codecs that read another number of fields than others are refused', () => {
  const step = (codec: string, fields: number): Step => ({
    codec,
    step: 'decode',
    count: 10,
    bytes: 1000,
    fields,
    ns: [1000, 3000, 2000],
  });
  checkFields([step('json', 5), step('msgpack', 5)]);
  assert.throws(() => checkFields([step('json', 5), step('msgpack', 6)]), /reads 5 fields/);
  const figures = stepFigures([step('json', 5)], { events: 10, json_bytes: 1000 });
  assert.deepEqual([figures.mean_us, figures.p99_us, figures.mb_per_s], [[2], [3], [500]]);
});

test('a result follows the schema, with every figure', async () => {
  const figures = Object.fromEntries(Object.keys(FIGURES).map((key) => [key, [1, 2]]));
  const codecs = sampleCodecs();
  const whole = { ...codecs, rows: [...codecs.rows, row('codec', { codec: 'json' }, figures)] };
  assert.deepEqual(await violations(JSON.parse(JSON.stringify(whole)), '#/$defs/codecs'), []);
  const wrong = { ...whole, rows: [row('codec', {}, { events: [] })] };
  assert.notDeepEqual(await violations(JSON.parse(JSON.stringify(wrong)), '#/$defs/codecs'), []);
});

test('goals say whether they are met, by how much they are missed, and what was not measured', () => {
  const codecs = sampleCodecs();
  const named = (title: string) => GOALS.find((goal) => goal.title.startsWith(title))!;
  assert.equal(outcomeOf(named('small events'), codecs, 'rs').isMet, true);
  assert.deepEqual(outcomeOf(named('true raw at 1 MB'), codecs, 'rs'), {
    found: 900,
    goal: 1000,
    share: 0.9,
    isMet: false,
  });
  assert.equal(outcomeOf(named('small events'), codecs, 'ts').isMet, null);
  const text = codecsTerminal(codecs, { columns: 400, tables: false });
  assert.match(text, /900 MB\/s, missed by 10 %/);
  assert.match(text, /Missed, Rust by 10 %: true raw at 1 MB: the machine; an AMD EPYC/);
});

test('short tables fit the terminal, and those of every row come when asked', () => {
  const tables = (columns: number, tables: boolean) =>
    codecsTerminal(sampleCodecs(), { columns, tables })
      .split('\n')
      .filter((line) => /^[│┌├└]/.test(line));
  for (const columns of [80, 120]) {
    const widest = Math.max(...tables(columns, false).map((line) => line.length));
    assert.ok(widest <= columns, `${widest} characters of ${columns}`);
  }
  const cases = (lines: readonly string[]) => lines.filter((line) => /Rust, real, batch 50, json/.test(line));
  assert.equal(cases(tables(80, false)).length, 0);
  assert.equal(cases(tables(80, true)).length, 1);
});

test('the document has the goals and every table', () => {
  const text = codecsDocument(sampleCodecs());
  assert.match(text, /0\.50 \[0\.50, 0\.50\]/);
  assert.doesNotMatch(text, /undefined|NaN|Infinity|\[object/);
});
