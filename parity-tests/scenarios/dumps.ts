/** Tests dumps: they load in either server byte for byte, also those of earlier schemas; damaged ones are refused. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import type { TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import CONFIG from '../../contract/config.json' with { type: 'json' };
import SCHEMA from '../../contract/schema.json' with { type: 'json' };
import { attach, readAttachment, sha256 } from '../src/attachment-client.ts';
import { linesOf, runCommand } from '../src/command-line.ts';
import { fillEveryKind, uuidOf } from '../src/every-kind.ts';
import { moveHours } from '../src/move-hours.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';

export const DUMPS: ScenarioFile = {
  name: 'dumps',
  about: 'dump and load across the servers',
  scenarios: [
    {
      name: 'a dump of either server loads in the other, byte for byte',
      rules: ['BAK-04', 'BAK-05', 'PRO-08', 'EVT-13'],
      uses: 'both',
      run: dumpAcross,
    },
    {
      name: 'a dump of an earlier schema loads with everything that it has',
      rules: ['BAK-05', 'STO-10', 'PRO-08', 'STA-01'],
      uses: 'both',
      run: loadEarlier,
    },
    {
      name: 'an absent column, table or fact of an earlier dump has its default',
      rules: ['BAK-05'],
      uses: 'each',
      run: loadAbsent,
    },
    {
      name: 'a dump with a line in another place or form is refused',
      rules: ['BAK-04', 'BAK-05'],
      attacks: ['X5'],
      uses: 'each',
      run: refuseOtherOrders,
    },
    {
      name: 'a damaged dump is refused as a whole',
      rules: ['BAK-05', 'BAK-03'],
      uses: 'each',
      run: refuseDumps,
    },
  ],
};

const EXITS = CONFIG.exits;

async function dumpAcross(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await fillEveryKind(client);
  const content = Buffer.concat([Buffer.alloc(1 << 20, 1), Buffer.from('end')]);
  for (const [name, bytes] of [
    ['a', content],
    ['b', Buffer.alloc(0)],
    ['c', content],
  ] as const) {
    assert.equal(await attach(server.port, 7, name, bytes), 201);
  }
  // A deletion leaves keys without events, and sums above those of the events.
  assert.equal((await client.send('DELETE', '/api/events?before=300', undefined, [])).status, 200);
  const cwd = context.folder;
  const dumps: string[] = [];
  for (const target of [context.target, context.other]) {
    dumps.push(context.db(`${target}.ndjson`));
    const done = await runCommand(target, ['dump', '--db', context.db()], { cwd, outputFile: dumps.at(-1)! });
    assert.equal(done.exit, 0, done.stderr);
  }
  const stats = (await client.get('/api/stats')).text;
  await server.stop();
  const [dump] = dumps.map((path) => readFileSync(path, 'utf8'));
  assert.equal(readFileSync(dumps[1]!, 'utf8'), dump, 'both servers write the same dump');
  for (const line of dump!.trimEnd().split('\n')) JSON.parse(line);
  for (const target of [context.target, context.other]) {
    const db = context.db(`loaded-${target}.db`);
    const loaded = await runCommand(target, ['load', '--db', db], { cwd, inputFile: dumps[0]! });
    assert.equal(loaded.exit, 0, loaded.stderr);
    const lines = dump!.split('\n').length - 1;
    assert.deepEqual(linesOf(loaded), [{ event: 'load', file: db, lines, events: 901 }]);
    const again = context.db(`again-${target}.ndjson`);
    await runCommand(target, ['dump', '--db', db], { cwd, outputFile: again });
    assert.equal(readFileSync(again, 'utf8'), dump, 'a dump of the loaded database');
    assert.equal((await runCommand(target, ['verify', db], { cwd })).exit, 0);
    const next = await context.start({ target, db });
    const loadedClient = context.client(next);
    assert.equal((await loadedClient.get('/api/stats')).text, stats);
    const known = await loadedClient.ingest([
      event({ event_id: uuidOf(1) }),
      event({ event_id: 'text "7"' }),
    ]);
    assert.deepEqual([known.received, known.duplicates], [0, 2]);
    assert.equal((await loadedClient.get(`/api/attachments/${sha256(Buffer.alloc(0))}`)).status, 404);
    await next.stop();
  }
}

/** Dumps that earlier servers wrote, and their answers. */
const EARLIER = new URL('../dumps/', import.meta.url);

async function loadEarlier(context: ScenarioContext): Promise<void> {
  const names = readdirSync(EARLIER).flatMap((file) => /^([^.]+)\.ndjson$/.exec(file)?.[1] ?? []);
  assert.equal(names.length, 3);
  for (const name of names) {
    const input = readFileSync(new URL(`${name}.ndjson`, EARLIER), 'utf8');
    const dumps: string[] = [];
    for (const target of [context.target, context.other]) {
      const db = context.db(`${name}-${target}.db`);
      await load(context, target, db, input);
      dumps.push((await runCommand(target, ['dump', '--db', db], { cwd: context.folder })).stdout);
      await assertSame(context, target, db, name);
    }
    assert.equal(dumps[0], dumps[1], `${name}: both servers load the same`);
  }
}

/** Loads a dump, and verifies the database. */
async function load(context: ScenarioContext, target: TargetName, db: string, input: string): Promise<void> {
  const cwd = context.folder;
  const loaded = await runCommand(target, ['load', '--db', db], { cwd, input });
  assert.equal(loaded.exit, 0, loaded.stderr);
  const verified = await runCommand(target, ['verify', db], { cwd });
  assert.equal(verified.exit, 0, verified.stdout + verified.stderr);
}

/** Checks that a server answers from the loaded database as the one that wrote it, and goes on in later hours. */
async function assertSame(
  context: ScenarioContext,
  target: TargetName,
  db: string,
  name: string,
): Promise<void> {
  const answers = readFileSync(new URL(`${name}.answers.ndjson`, EARLIER), 'utf8')
    .trimEnd()
    .split('\n');
  let total = 0;
  for (const [turn, hours] of [0, -1, -2].entries()) {
    if (hours !== 0) moveHours(db, hours);
    const server = await context.start({ target, db });
    const client = context.client(server);
    if (turn === 0) {
      for (const line of answers) {
        const { path, answer } = JSON.parse(line) as { path: string; answer: unknown };
        assertContains((await client.get(path)).json(), answer, `${name} ${path}`);
      }
      assert.equal(String(await readAttachment(server.port, sha256(Buffer.from('hello')))), 'hello');
      const known = [event({ event_id: 'start 2' }), event({ event_id: uuidOf(3) })];
      assert.equal((await client.ingest(known)).duplicates, 2);
      total = await totalOf(client);
    }
    assert.equal(await totalOf(client), total + turn, `${name}, turn ${turn}`);
    await client.ingest([event()]);
    assert.equal(await totalOf(client), total + turn + 1);
    await server.stop();
    const verified = await runCommand(target, ['verify', db], { cwd: context.folder });
    assert.equal(verified.exit, 0, verified.stdout);
  }
}

async function totalOf(client: ApiClient): Promise<number> {
  return (await client.get('/api/stats')).json<{ total_events: number }>().total_events;
}

/** Checks that a value has everything that another one has. */
function assertContains(value: unknown, part: unknown, where: string): void {
  if (typeof part !== 'object' || part === null) {
    assert.equal(value, part, where);
    return;
  }
  assert.ok(typeof value === 'object' && value !== null, where);
  if (Array.isArray(part)) assert.equal((value as unknown[]).length, part.length, where);
  for (const [key, inner] of Object.entries(part))
    assertContains((value as Record<string, unknown>)[key], inner, `${where}/${key}`);
}

/** Columns of events that the dump lacks. */
const ABSENT = [
  ...['call_id', 'agent_id', 'computed_cost_nanos', 'response_id', 'service_tier', 'subagent', 'skill'],
  ...['mcp_server', 'host', 'cache_write_1h_tokens', 'arrived_at'],
] as const;

async function loadAbsent(context: ScenarioContext): Promise<void> {
  const rows = linesOf({ stdout: readFileSync(new URL('schema-1.ndjson', EARLIER), 'utf8') });
  const kept = rows
    .slice(1, -1)
    .filter(({ table }) => !['attachments', 'attachment_bytes', 'session_waits'].includes(String(table)))
    .map(({ call_id, agent_id, computed_cost_nanos, ...rest }) => rest);
  const summaries = [
    ['{"_truncated":true,"_original_bytes":20000,"type":"t"}', 20_000],
    ['{"_truncated":true,"_original_bytes":0}', 0],
    ['{"_truncated":true,"_original_bytes":9007199254740991}', Number.MAX_SAFE_INTEGER],
    ['{"_truncated":true,"_original_bytes":9007199254740992}', null],
    ['{"_truncated":true,"_original_bytes":99999999999999999999}', null],
    ['{"_truncated":true,"_original_bytes":2e3}', null],
    ['{"_truncated":true,"_original_bytes":02}', null],
    ['{"_truncated":true,"_original_bytes":"2"}', null],
  ] as const;
  const events = kept.filter(({ table }) => table === 'events');
  for (const [at, [metadata]] of summaries.entries())
    Object.assign(events[at]!, { payload_truncated: 1, metadata });
  const facts = { cluster_stream: 'a stream', cluster_sequence: 21, forward_origin: 'an origin' };
  const meta = Object.entries(facts).map(([key, value]) => ({ table: 'meta', key, value }));
  kept.push(...meta);
  kept.sort((one, other) => compare(placeOf(one), placeOf(other)));
  const db = context.db();
  await load(context, context.target, db, dumpOf(1, kept));
  const dump = linesOf(await runCommand(context.target, ['dump', '--db', db], { cwd: context.folder }));
  const of = (name: string) => dump.filter(({ table }) => table === name);
  assert.deepEqual(Object.fromEntries(of('meta').map(({ key, value }) => [key, value])), {
    ...facts,
    last_deletion_id: 0,
    last_keyed_event_id: 0,
    open_quarter: 1793356200,
  });
  assert.equal(of('events').length, 21);
  assert.deepEqual(
    of('events').map(({ metadata_bytes: bytes }) => bytes),
    [...summaries.map(([, bytes]) => bytes), ...Array.from({ length: 21 - summaries.length }, () => null)],
  );
  for (const row of of('events'))
    for (const name of ABSENT) assert.equal(row[name], name === 'cache_write_1h_tokens' ? 0 : null, name);
  for (const row of [...of('stats'), ...of('sessions')]) assert.equal(row.computed_cost_nanos, 0);
  assert.deepEqual([of('session_waits'), of('attachments'), of('attachment_bytes')], [[], [], []]);
}

/** Returns a text that orders the rows of a dump; rows of one table stay in their order, but facts have that of their keys. */
function placeOf(row: Record<string, unknown>): string {
  return row.table === 'meta' ? `meta ${row.key}` : String(row.table);
}

function compare(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}

/** Returns a dump of these rows. */
function dumpOf(schema: number, rows: readonly object[]): string {
  const all = [{ table: 'dump', schema }, ...rows, { table: 'end', lines: rows.length + 1 }];
  return all.map((line) => `${JSON.stringify(line)}\n`).join('');
}

async function refuseOtherOrders(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await client.ingest([event({ event_id: 'one', tool_name: 'Bash' }), event({ session_id: 's2' })]);
  const large = Buffer.alloc((1 << 20) + 1, 'x');
  for (const [at, bytes] of [large, Buffer.from('a'), Buffer.from('b')].entries())
    assert.equal(await attach(server.port, 1 + (at % 2), String(at), bytes), 201);
  await server.stop();
  const cwd = context.folder;
  const { dump: messages } = EXITS;
  let loads = 0;
  const refused = async (lines: readonly (string | undefined)[], messages: RegExp, what: string) => {
    const db = context.db(`refused-${loads++}.db`);
    const { exit, stderr } = await runCommand(context.target, ['load', '--db', db], {
      cwd,
      input: lines.map((line) => `${line}\n`).join(''),
    });
    assert.equal(exit, EXITS.dump.code, what);
    assert.match(stderr, messages, what);
    assert.deepEqual(
      readdirSync(cwd).filter((name) => name.startsWith(db)),
      [],
      what,
    );
  };
  const dump = (await runCommand(context.target, ['dump', '--db', context.db()], { cwd })).stdout;
  const earlier = readFileSync(new URL('schema-1.ndjson', EARLIER), 'utf8');
  for (const text of [dump, earlier]) {
    const lines = text.trimEnd().split('\n');
    // Each kind of line is moved by one, and by more; of many rows of one table some are enough.
    for (const [at, step] of swapsOf(lines)) {
      const swapped = [...lines];
      [swapped[at], swapped[at + step]] = [lines[at + step]!, lines[at]!];
      const place = /^line \d+ |^the content before line \d+ /;
      await refused(swapped, place, `${at} and ${at + step}: ${lines[at]}`);
    }
    const after = messages.after.replace('{line}', String(lines.length + 1));
    for (const rest of ['', ' ', lines.at(-1)!, lines[1]!, '{"table":"names"}'])
      await refused([...lines, rest], new RegExp(`^${after}\n$`), `${JSON.stringify(rest)} at the end`);
    for (const table of ['dump', 'end', 'attachment_bytes']) {
      const at = lines.findIndex((line) => line.startsWith(`{"table":"${table}"`));
      const form = new RegExp(`^${messages.form.replace('{line}', String(at + 1))}\n$`);
      const { table: name, ...rest } = JSON.parse(lines[at]!) as Record<string, unknown>;
      const others = [
        JSON.stringify({ table: name, ...rest, more: 1 }),
        JSON.stringify({ ...rest, table: name }),
        lines[at]!.replace('"table":', '"table": '),
        lines[at]!.replace('"table":', '"table":"names","table":'),
        `${lines[at]} `,
      ];
      for (const other of others) await refused(lines.with(at, other), form, other.slice(0, 100));
    }
  }
  context.note(`${loads} dumps were refused`);
}

/** Returns places of lines to swap, and how far: all places where the table changes, and the first two rows of each. */
function swapsOf(lines: readonly string[]): [number, number][] {
  const tables = lines.map((line) => (JSON.parse(line) as { table: string }).table);
  const kinds = new Set<string>();
  const swaps: [number, number][] = [];
  for (let at = 0; at + 1 < lines.length; at++) {
    const kind = `${tables[at]} ${tables[at + 1]}`;
    // The rows of a table that is gone are not read, so their order does not count.
    if (kinds.has(kind) || (tables[at] === tables[at + 1] && SCHEMA.dropped.includes(tables[at]!))) continue;
    kinds.add(kind);
    swaps.push([at, 1]);
    if (kinds.size % 4 === 0 && at + 5 < lines.length) swaps.push([at, 5]);
  }
  return swaps;
}

async function refuseDumps(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  await client.ingest([event({ event_id: 'one', tool_name: 'Bash' }), event({ session_id: 's2' })]);
  await attach(server.port, 2, 'a', Buffer.from('hello'));
  await server.stop();
  const cwd = context.folder;
  const dump = (await runCommand(context.target, ['dump', '--db', context.db()], { cwd })).stdout;
  const lines = dump.trimEnd().split('\n');
  const at = (table: string) => lines.findIndex((line) => line.startsWith(`{"table":"${table}"`));
  const changed = (table: string, from: string | RegExp, to: string): [string, number] => {
    const index = at(table);
    const line = lines[index]!.replace(from, to);
    assert.notEqual(line, lines[index], `${table} has ${from}`);
    return [[...lines.slice(0, index), line, ...lines.slice(index + 1), ''].join('\n'), index + 1];
  };
  const { dump: messages, target } = EXITS;
  const of = (message: keyof typeof messages, [input, line]: [string, number]): [string, string] => [
    input,
    String(messages[message]).replace('{line}', String(line)),
  ];
  const without = (table: string): [string, number] => [
    lines.filter((_, index) => index !== at(table)).join('\n'),
    lines.length - 1,
  ];
  const { schema } = JSON.parse(lines[0]!) as { schema: number };
  assert.equal(schema, SCHEMA.number);
  const contradicts = (check: string) => messages.contradicts.replace('{check}', check);
  const cases: [string, string][] = [
    of('cut', ['', 0]),
    of('cut', [`${lines.slice(0, -1).join('\n')}\n`, 0]),
    of('line', ['{"table":"dump"', 1]),
    of('line', ['[]', 1]),
    of('first', [lines.slice(1).join('\n'), 1]),
    ...['null', '0', '-1', '1.5', '"1"', '[1]'].map((value) =>
      of('first', changed('dump', `"schema":${schema}`, `"schema":${value}`)),
    ),
    // Of equal keys the last counts, other members may be nested deeper than any body, and a number has any spelling.
    ...['1000000000000000000', `${'['.repeat(9_999)}${']'.repeat(9_999)}`, `${schema},"schema":"1"`].map(
      (value) => of('first', changed('dump', `"schema":${schema}`, `"schema":${value}`)),
    ),
    ...[`${schema}.0`, `"1","schema":${schema}`].map((value) =>
      of('form', changed('dump', `"schema":${schema}`, `"schema":${value}`)),
    ),
    of('form', changed('attachment_bytes', '"offset":0', '"offset":"0","offset":-0')),
    of('form', changed('end', /"lines":(\d+)/, '"lines":$1.0')),
    [
      changed('dump', `"schema":${schema}`, `"schema":${schema + 1}`)[0],
      messages.newer.replace('{found}', String(schema + 1)).replace('{known}', String(schema)),
    ],
    ...[schema, schema - 1].flatMap((number): [string, string][] => [
      of('table', [dumpOf(number, [{ table: 'notes', id: 1 }]), 2]),
      [
        dumpOf(number, [{ table: 'names', id: 1, kind: 'model', name: 'm', note: 1 }]),
        messages.column.replace('{line}', '2').replace('{column}', 'note'),
      ],
      of('row', [dumpOf(number, [{ table: 'names', id: 1, kind: 'model' }]), 2]),
      of('row', [dumpOf(number, [{ table: 'meta', key: 'epoch', value: 'mine' }]), 2]),
    ]),
    of('table', changed('names', '"names"', '"nothing"')),
    of('row', changed('events', '"session":1', '"session":null')),
    of('row', changed('events', '"tokens_in":0', '"tokens_in":"many"')),
    of('count', without('names')),
    of('count', without('attachment_bytes')),
    of('offset', changed('attachment_bytes', '"offset":0', '"offset":1')),
    of('digest', [changed('attachment_bytes', 'aGVsbG8=', 'aGVsbG9v')[0], lines.length]),
    of('count', changed('end', /"lines":\d+/, '"lines":"many"')),
    of('offset', changed('attachment_bytes', '"offset":0', '"offset":"0"')),
    of('row', changed('attachment_bytes', '"aGVsbG8="', '1')),
    of('row', changed('attachment_bytes', 'aGVsbG8=', 'aGVsbG8')),
    [changed('events', '"tokens_in":0', '"tokens_in":5')[0], contradicts('sessions')],
    [changed('event_blocks', /"names":\{"hex":"[0-9A-F]{8}/, '"names":{"hex":"')[0], contradicts('blocks')],
    [changed('event_key_tail', /"keys":\{"hex":"[0-9A-F]+/, '"keys":{"hex":"')[0], contradicts('event_ids')],
  ];
  for (const [index, [input, message]] of cases.entries()) {
    const db = context.db(`refused-${index}.db`);
    const loaded = await runCommand(context.target, ['load', '--db', db], { cwd, input });
    assert.equal(loaded.stderr, `${message}\n`, `case ${index}`);
    assert.deepEqual([loaded.exit, loaded.stdout], [messages.code, ''], `case ${index}`);
    assert.deepEqual([existsSync(db), existsSync(`${db}.partial`)], [false, false]);
  }
  const notText = Buffer.concat([Buffer.from(`${lines[0]}\n`), Buffer.from([0xff, 0x0a])]);
  writeFileSync(context.db('bytes'), notText);
  const bytes = { cwd, inputFile: context.db('bytes') };
  const refused = await runCommand(context.target, ['load', '--db', 'x.db'], bytes);
  assert.deepEqual([refused.exit, refused.stderr], [messages.code, 'line 2 is not UTF-8 text\n']);
  const taken = await runCommand(context.target, ['load', '--db', context.db()], { cwd, input: dump });
  assert.deepEqual(
    [taken.exit, taken.stderr],
    [target.code, `${target.exists.replace('{path}', context.db())}\n`],
  );
}
