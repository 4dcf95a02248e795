/**
 * Tests whole metadata next to rows with a summary (rule MET-04): every way in and out, deletions and copies.
 *
 * A kill, a receiver and a search with bounded bytes are here too.
 */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { batchBody, eventBody } from '@twin-ingest/testkit/codecs/codecs.ts';
import { mediaTypeOf, type RequestFormat } from '@twin-ingest/testkit/codecs/format.ts';
import { memberText } from '@twin-ingest/testkit/events/metadata-span.ts';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import { otlpProtobuf } from '@twin-ingest/testkit/otlp/protobuf.ts';
import Database from 'better-sqlite3';
import CONFIG from '../../contract/config.json' with { type: 'json' };
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import TUNING from '../../contract/tuning.json' with { type: 'json' };
import { linesOf, runCommand } from '../src/command-line.ts';
import { RECEIVERS, startReceiver, startSender, untilForwarded } from '../src/forward-pair.ts';
import { type ScenarioContext, type ScenarioFile, until } from '../src/scenario.ts';

export const WHOLE_METADATA: ScenarioFile = {
  name: 'whole-metadata',
  about: 'whole metadata next to a summary',
  scenarios: [
    {
      name: 'large metadata comes back whole from every way in',
      rules: ['MET-01', 'MET-04', 'HOK-03', 'OTL-08', 'FMT-04', 'FMT-06', 'RPC-05'],
      uses: 'each',
      run: everyWay,
    },
    {
      name: 'whole metadata goes with its event, and no byte of it stays after the deletion of a client',
      rules: ['MET-04', 'RET-02', 'RET-04', 'RET-07'],
      uses: 'each',
      run: deletions,
    },
    {
      name: 'dumps of both servers are equal with whole metadata, and load in the other one',
      rules: ['MET-04', 'BAK-01', 'BAK-03', 'BAK-04', 'BAK-05', 'BAK-06'],
      uses: 'both',
      run: copies,
    },
    {
      name: 'verify and load find whole metadata that is damaged, alone or of another size',
      rules: ['BAK-05', 'BAK-06'],
      uses: 'each',
      run: damaged,
    },
    {
      name: 'after a kill every summary that was stored has its whole metadata',
      rules: ['MET-04', 'STO-03'],
      uses: 'each',
      faults: ['F1'],
      run: kill,
    },
    {
      name: 'a receiver gets whole metadata that fits into a batch',
      rules: ['FWD-02', 'FWD-05'],
      uses: 'each',
      run: forwarded,
    },
    {
      name: 'a page with whole=1 ends with the row that reaches the bytes of a search, in both servers',
      rules: ['GET-13', 'LAW'],
      uses: 'both',
      run: boundedSearch,
    },
  ],
};

const FIELDS = { session_id: 's', agent_type: 'a', event_type: 'tool_use' };

/** Returns text that zstd makes only about half as long. */
function noise(bytes: number, seed: string): string {
  let text = '';
  for (let at = 0; text.length < bytes; at++)
    text += createHash('sha256').update(`${seed} ${at}`).digest('hex');
  return text.slice(0, bytes);
}

/** Returns metadata with spellings that a server must keep. */
function metadataOf(bytes: number, seed: string): string {
  return `{ "type" : "t",\n"n":1.50e1,"s":"\\ud800\\u00e9é","big":"${noise(bytes, seed)}", "last": [ 1 ] }`;
}

async function wholeOf(client: ApiClient, id: number): Promise<string> {
  const { status, text } = await client.get(`/api/events/${id}`);
  assert.equal(status, 200, text.slice(0, 200));
  return memberText(text, 'metadata')!;
}

async function newestId(client: ApiClient): Promise<number> {
  return (await client.get('/api/events?limit=1')).json<{ events: [{ id: number }] }>().events[0].id;
}

/** Sends a body that stores an event; returns the id of the newest event. */
async function sendOne(client: ApiClient, path: string, body: Buffer, type: string): Promise<number> {
  const reply = await client.send('POST', path, body, [['content-type', type]]);
  assert.ok(reply.status < 300, `${path}: ${reply.status} ${reply.text.slice(0, 200)}`);
  return newestId(client);
}

async function everyWay(context: ScenarioContext): Promise<void> {
  const client = context.client(await context.start());
  const metadata = metadataOf(1 << 20, context.target);
  let last = 0;
  const check = async (name: string, id: number, expected = metadata): Promise<void> => {
    assert.equal(id, ++last, `${name} is stored`);
    assert.ok((await wholeOf(client, id)) === expected, `${name} is whole`);
    const listed = (await client.get(`/api/events?after=${id - 1}&limit=1`)).text;
    assert.ok(listed.length < 20_000, `${name} has a summary in a list`);
    const [row] = (JSON.parse(listed) as { events: Record<string, unknown>[] }).events;
    const { payload_truncated: isTruncated, metadata_bytes: bytes } = row!;
    assert.deepEqual([isTruncated, bytes], [true, Buffer.byteLength(expected)], name);
  };
  const sent = { ...FIELDS, metadata };
  for (const format of ['json', 'msgpack', 'protobuf'] as const) {
    const type = mediaTypeOf(format);
    await check(format, await sendOne(client, '/api/events', eventBody(format, sent), type));
  }
  for (const format of ['json', 'ndjson', 'msgpack', 'protobuf'] as RequestFormat[]) {
    // A line of NDJSON has no line feed inside.
    const text = format === 'ndjson' ? metadata.replaceAll('\n', ' ') : metadata;
    const body = batchBody(format, [{ ...FIELDS, metadata: text }]);
    const id = await sendOne(client, '/api/events/batch', body, mediaTypeOf(format));
    await check(`a batch in ${format}`, id, text);
  }
  const hook = `{"session_id":"h","hook_event_name":"Stop","text":${JSON.stringify(noise(1 << 20, 'h'))}, "n" : 1.0}`;
  const hookId = await sendOne(client, '/api/hooks/claude-code', Buffer.from(hook), 'application/json');
  await check('a hook', hookId, hook);
  const call = `{"jsonrpc":"2.0","id":1,"method":"events.ingest","params":[[${JSON.stringify(FIELDS).slice(0, -1)},"metadata":${metadata}}]]}`;
  await check('a call', await sendOne(client, '/api/rpc', Buffer.from(call), 'application/json'));
  await telemetry(client, check);
}

async function telemetry(
  client: ApiClient,
  check: (name: string, id: number, expected: string) => Promise<void>,
): Promise<void> {
  // A larger record is not read (rule OTL-06).
  const prompt = noise(LIMITS.otlp_record_bytes - 1_000, 'o');
  const attributesOf = (sequence: string) => {
    return { 'session.id': 'o', 'event.name': 'user_prompt', 'event.sequence': sequence, prompt, last: 'l' };
  };
  const requestOf = (attributes: Readonly<Record<string, string>>) => ({
    resourceLogs: [
      {
        resource: { attributes: [{ key: 'service.name', value: { stringValue: 'claude-code' } }] },
        scopeLogs: [
          {
            scope: { name: 'com.anthropic.claude_code.events' },
            logRecords: [
              {
                timeUnixNano: '1771438001231000000',
                attributes: Object.entries(attributes).map(([key, stringValue]) => ({
                  key,
                  value: { stringValue },
                })),
              },
            ],
          },
        ],
      },
    ],
  });
  const json = Buffer.from(JSON.stringify(requestOf(attributesOf('1'))));
  const ofJson = await sendOne(client, '/v1/logs', json, 'application/json');
  await check('OTLP', ofJson, JSON.stringify(attributesOf('1')));
  const protobuf = otlpProtobuf('/v1/logs', requestOf(attributesOf('2')) as never);
  const id = await sendOne(client, '/v1/logs', protobuf, 'application/x-protobuf');
  await check('OTLP in Protobuf', id, JSON.stringify(attributesOf('2')));
  const row = (await client.get(`/api/events?after=${id - 1}`)).json<{ events: [{ metadata: object }] }>();
  const { events } = row;
  assert.deepEqual(
    Object.keys(events[0].metadata),
    ['_truncated', '_original_bytes', 'session.id', 'event.name', 'event.sequence', 'last', 'prompt'],
    'a long attribute costs no other one',
  );
}

async function deletions(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const secret = noise(64, 'secret');
  const texts = (): number[] => {
    const db = new Database(context.db(), { readonly: true });
    const ids = db.prepare('SELECT id FROM whole_texts ORDER BY id').pluck().all() as number[];
    db.close();
    return ids;
  };
  const large = (session_id: string) =>
    event({ session_id, metadata: { a: noise(30_000, session_id), secret: [secret] } });
  await client.ingest([large('one'), event(), large('two'), large('one'), large('two'), large('three')]);
  assert.deepEqual(texts(), [1, 3, 4, 5, 6]);
  assert.equal((await client.send('DELETE', '/api/sessions/one', undefined, [])).status, 200);
  assert.deepEqual(texts(), [3, 5, 6]);
  assert.equal((await client.send('DELETE', '/api/events?before=6', undefined, [])).status, 200);
  assert.deepEqual(texts(), [6]);
  assert.equal((await client.send('DELETE', '/api/sessions/three', undefined, [])).status, 200);
  assert.deepEqual(texts(), []);
  await client.ingest([event({ metadata: { a: 'b' } })]);
  await server.stop();
  // A frame has noise as literals, so it would be found.
  for (const suffix of ['', '-wal']) {
    if (!existsSync(`${context.db()}${suffix}`)) continue;
    assert.ok(
      !readFileSync(`${context.db()}${suffix}`).includes(secret.slice(0, 16)),
      `a secret in ${suffix}`,
    );
  }

  const limit = 4_000_000;
  const bounded = await context.start({
    db: context.db('bounded.db'),
    flags: ['--retain-bytes', String(limit)],
  });
  const other = context.client(bounded);
  for (let at = 0; at < 1_100; at += 100)
    await other.ingest(
      Array.from({ length: 100 }, (_, n) => event({ metadata: noise(20_000, `${at + n}`) })),
    );
  const used = async (): Promise<number> =>
    (await other.get('/api/retention')).json<{ used_bytes: number }>().used_bytes;
  const oldest = async (): Promise<number> =>
    (await other.get('/api/retention')).json<{ first_event_id: number }>().first_event_id;
  await until(async () => (await oldest()) > 1, 'the oldest events are deleted');
  context.note(`${await used()} bytes with ${1_100 - (await oldest()) + 1} events`);
  await bounded.stop();
  const db = new Database(context.db('bounded.db'), { readonly: true });
  const alone = db
    .prepare('SELECT count(*) FROM whole_texts WHERE id NOT IN (SELECT id FROM events)')
    .pluck();
  assert.equal(alone.get(), 0);
  db.close();
}

async function copies(context: ScenarioContext): Promise<void> {
  const cwd = context.folder;
  const server = await context.start();
  const client = context.client(server);
  const texts = [metadataOf(20_000, 'a'), metadataOf(2_000_000, 'b'), `["${'é\\n😀'.repeat(5_000)}"]`];
  for (const metadata of texts)
    await sendOne(client, '/api/events', eventBody('json', { ...FIELDS, metadata }), 'application/json');
  const run = async (target: typeof context.target, ...args: string[]): Promise<void> => {
    const done = await runCommand(target, args, { cwd });
    assert.equal(done.exit, 0, done.stderr);
  };
  await run(context.other, 'backup', context.db('copy.db'), '--db', context.db());
  const dumps: string[] = [];
  for (const [target, db] of [
    [context.target, context.db()],
    [context.other, context.db()],
    [context.target, context.db('copy.db')],
  ] as const) {
    const outputFile = context.db(`${dumps.length}.ndjson`);
    const done = await runCommand(target, ['dump', '--db', db], { cwd, outputFile });
    assert.equal(done.exit, 0, done.stderr);
    dumps.push(readFileSync(outputFile, 'utf8'));
  }
  await server.stop();
  const [dump] = dumps;
  assert.ok(
    dumps.every((one) => one === dump),
    'dumps of the database and of its copy are equal',
  );
  const lines = dump!.split('\n').filter((line) => line.startsWith('{"table":"whole_texts"'));
  assert.deepEqual(
    lines.map((line) => JSON.parse(line) as unknown),
    texts.map((text, at) => ({ table: 'whole_texts', id: at + 1, text })),
  );
  for (const target of [context.target, context.other]) {
    const db = context.db(`loaded-${target}.db`);
    const loaded = await runCommand(target, ['load', '--db', db], { cwd, inputFile: context.db('0.ndjson') });
    assert.equal(loaded.exit, 0, loaded.stderr);
    const again = context.db(`again-${target}.ndjson`);
    await runCommand(context.other, ['dump', '--db', db], { cwd, outputFile: again });
    assert.ok(readFileSync(again, 'utf8') === dump, 'a dump of the loaded database');
    await run(context.target, 'verify', db);
    const next = await context.start({ target, db });
    const reader = context.client(next);
    for (const [at, text] of texts.entries()) assert.ok((await wholeOf(reader, at + 1)) === text);
    await next.stop();
  }
}

async function damaged(context: ScenarioContext): Promise<void> {
  const cwd = context.folder;
  const server = await context.start();
  const client = context.client(server);
  await client.ingest(Array.from({ length: 6 }, (_, at) => event({ metadata: noise(20_000, `${at}`) })));
  await server.stop();
  const dump = context.db('dump.ndjson');
  await runCommand(context.target, ['dump', '--db', context.db()], { cwd, outputFile: dump });
  const db = new Database(context.db());
  const frame = db.prepare('SELECT text FROM whole_texts WHERE id = 1').pluck().get() as Buffer;
  db.prepare('UPDATE whole_texts SET text = ? WHERE id = 2').run(frame.subarray(0, -1));
  db.prepare("UPDATE whole_texts SET text = x'00' WHERE id = 3").run();
  db.prepare('UPDATE events SET metadata_bytes = 7 WHERE id = 4').run();
  db.prepare('UPDATE events SET payload_truncated = 0 WHERE id = 5').run();
  db.prepare('INSERT INTO whole_texts (id, text) VALUES (99, ?)').run(frame);
  db.close();
  const verified = await runCommand(context.target, ['verify', context.db()], { cwd });
  assert.equal(verified.exit, CONFIG.exits.verify.code, verified.stderr);
  assert.deepEqual(
    linesOf(verified)
      .filter(({ check }) => check !== undefined)
      .map(({ check, count }) => [check, count]),
    [['whole_texts', 5]],
    verified.stdout,
  );
  const broken = await context.start();
  const { status } = await context.client(broken).get('/api/events/2');
  assert.equal(status, 500, 'a frame that is no text');
  assert.equal((await context.client(broken).get('/api/events')).status, 200);
  await broken.stop();

  const text = readFileSync(dump, 'utf8');
  for (const [from, to] of [
    ['"text":"', '"text":"x'],
    ['{"table":"whole_texts","id":1,', '{"table":"whole_texts","id":0,'],
  ] as const) {
    const file = context.db('changed.ndjson');
    writeFileSync(file, text.replace(from, to));
    const loaded = await runCommand(context.target, ['load', '--db', context.db('l.db')], {
      cwd,
      inputFile: file,
    });
    assert.equal(loaded.exit, 65, loaded.stderr);
    assert.match(loaded.stderr, /the dump contradicts itself in its whole_texts/);
  }
  const number = context.db('number.ndjson');
  writeFileSync(number, text.replace(/"text":"[^"]*\\"[^\n]*/, '"text":7}'));
  const refused = await runCommand(context.target, ['load', '--db', context.db('n.db')], {
    cwd,
    inputFile: number,
  });
  assert.equal(refused.exit, 65, refused.stderr);
}

async function kill(context: ScenarioContext): Promise<void> {
  let checked = 0;
  for (let round = 0; round < 3; round++) {
    const server = await context.start();
    const client = context.client(server);
    const sending = Array.from({ length: 4 }, async (_, sender) => {
      for (let at = 0; ; at++)
        await client.ingest([event({ metadata: noise(200_000, `${round} ${sender} ${at}`) }), event()]);
    });
    const ended = Promise.allSettled(sending);
    await until(async () => (await newestOrNone(client)) > 20 * (round + 1), 'some events are stored');
    await server.kill();
    await ended;
    const verified = await context.start();
    await verified.stop();
    const done = await runCommand(context.other, ['verify', context.db()], { cwd: context.folder });
    assert.equal(done.exit, 0, done.stdout);
    const db = new Database(context.db(), { readonly: true });
    const [summaries, texts] = [
      'SELECT count(*) FROM events WHERE payload_truncated',
      'SELECT count(*) FROM whole_texts JOIN events USING (id)',
    ].map((sql) => db.prepare(sql).pluck().get());
    db.close();
    assert.equal(texts, summaries);
    checked = Number(texts);
  }
  context.note(`${checked} texts after 3 kills`);
}

async function newestOrNone(client: ApiClient): Promise<number> {
  const { events } = (await client.get('/api/events?limit=1')).json<{ events: { id: number }[] }>();
  return events[0]?.id ?? 0;
}

async function forwarded(context: ScenarioContext): Promise<void> {
  for (const target of RECEIVERS) {
    const receiver = await startReceiver(context, target);
    const sender = await startSender(context, target, receiver.port);
    const client = context.client(sender);
    const most = TUNING.forward_batch_bytes;
    const texts = [20_000, most - 300, 700_000, 700_000, most + 1].map((bytes) =>
      metadataOf(bytes, `${bytes}`),
    );
    for (const metadata of texts)
      await sendOne(client, '/api/events', eventBody('json', { ...FIELDS, metadata }), 'application/json');
    const hook = `{"session_id":"h","hook_event_name":"Stop","text":"${noise(50_000, 'h')}"}`;
    await sendOne(client, '/api/hooks/claude-code', Buffer.from(hook), 'application/json');
    await untilForwarded(client);
    const reader = context.client(receiver);
    const found: boolean[] = [];
    for (const [at, text] of [...texts, hook].entries()) found.push((await wholeOf(reader, at + 1)) === text);
    assert.deepEqual(found, [true, true, true, true, false, true], `${context.target} to ${target}`);
    const row = (await reader.get('/api/events/5')).json<Record<string, unknown>>();
    const { payload_truncated: isTruncated, metadata_bytes: bytes } = row;
    assert.deepEqual([isTruncated, bytes], [true, Buffer.byteLength(texts[4]!)], 'the summary of the sender');
    await Promise.all([sender.stop(), receiver.stop()]);
  }
}

async function boundedSearch(context: ScenarioContext): Promise<void> {
  const clients = await Promise.all(
    [context.target, context.other].map(async (target) =>
      context.client(await context.start({ target, db: context.db(`${target}.db`) })),
    ),
  );
  const size = 3 << 20;
  const rows = Math.ceil(LIMITS.page_search_bytes / size);
  const filler = 'x'.repeat(size);
  for (const client of clients) {
    for (let at = 0; at < 2 * rows; at++) {
      const metadata = { filler, at: `needle ${at}` };
      assert.equal((await client.post('/api/events', event({ metadata }))).status, 201);
    }
  }
  const untimed = (text: string): string => text.replaceAll(/"(?:created_at|time)":"[^"]+"/g, '');
  const pages = async (
    path: string,
  ): Promise<readonly { events: { id: number }[]; next: number | null }[]> => {
    const [one, other] = await Promise.all(clients.map((client) => client.get(path)));
    assert.equal(one!.status, 200, one!.text);
    assert.equal(untimed(other!.text), untimed(one!.text), path);
    const page = one!.json<{ events: { id: number }[]; next: number | null }>();
    const before = path.replace(/&(?:before|after)=\d+/, '');
    const order = path.includes('order=asc') ? 'after' : 'before';
    return page.next === null ? [page] : [page, ...(await pages(`${before}&${order}=${page.next}`))];
  };
  for (const order of ['desc', 'asc']) {
    const whole = await pages(`/api/events?q=needle&whole=1&order=${order}`);
    assert.deepEqual(
      whole.map(({ events }) => events.length).filter((count) => count > 0),
      [rows, rows],
    );
    assert.deepEqual(
      await pages(`/api/events?q=needle&order=${order}`).then((all) => all.flatMap(({ events }) => events)),
      [],
    );
    assert.equal((await pages(`/api/events?q=needle&order=${order}`)).length, 1, 'summaries are small');
    const none = await pages(`/api/events?q=absent&whole=1&order=${order}`);
    assert.ok(none.length >= 2 && none.every(({ events }) => events.length === 0));
  }
  const ndjson = await Promise.all(
    clients.map((client) =>
      client.send('GET', '/api/events?q=needle&whole=1&limit=5000', undefined, [
        ['accept', 'application/x-ndjson'],
      ]),
    ),
  );
  assert.equal(ndjson[0]!.text.trimEnd().split('\n').length, 2 * rows);
  const call = '{"jsonrpc":"2.0","id":1,"method":"events.query","params":[{"q":"needle 3","whole":"1"}]}';
  for (const client of clients) {
    const reply = await client.send('POST', '/api/rpc', Buffer.from(call), []);
    assert.ok(!reply.text.includes('"error"'), reply.text.slice(0, 300));
  }
  const series = await Promise.all(
    clients.map((client) =>
      client.get('/api/series?bucket=month&q=needle&whole=1&since=2026-01-01T00:00:00Z'),
    ),
  );
  for (const { status, text } of series) assert.equal(status, 200, text);
}
