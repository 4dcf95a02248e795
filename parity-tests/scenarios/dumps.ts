/** Tests dumps: they load in either server byte for byte, and damaged ones are refused. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import CONFIG from '../../contract/config.json' with { type: 'json' };
import { attach, sha256 } from '../src/attachment-client.ts';
import { linesOf, runCommand } from '../src/command-line.ts';
import { fillEveryKind, uuidOf } from '../src/every-kind.ts';
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
  const contradicts = (check: string) => messages.contradicts.replace('{check}', check);
  const cases: [string, string][] = [
    of('cut', ['', 0]),
    of('cut', [`${lines.slice(0, -1).join('\n')}\n`, 0]),
    of('line', ['{"table":"dump"', 1]),
    of('line', ['[]', 1]),
    of('first', [lines.slice(1).join('\n'), 1]),
    [
      changed('dump', `"schema":${schema}`, '"schema":99')[0],
      messages.schema.replace('{found}', '99').replace('{known}', String(schema)),
    ],
    of('table', changed('names', '"names"', '"nothing"')),
    of('row', changed('events', '"session":1', '"session":null')),
    of('row', changed('events', '"tokens_in":0', '"tokens_in":"many"')),
    of('count', without('names')),
    of('count', without('attachment_bytes')),
    of('offset', changed('attachment_bytes', '"offset":0', '"offset":1')),
    of('digest', [changed('attachment_bytes', 'aGVsbG8=', 'aGVsbG9v')[0], lines.length]),
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
