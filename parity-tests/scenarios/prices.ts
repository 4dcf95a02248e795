/**
 * Tests `--prices` (rules PRI-01 to PRI-07): files that stop the start, files that replace each other, and standard
 * input.
 *
 * All prices are made up.
 */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { event } from '@twin-ingest/testkit/http/api-client.ts';
import { failedStart, plainLines } from '@twin-ingest/testkit/servers/failed-start.ts';
import { TARGET_NAMES, type TargetName } from '@twin-ingest/testkit/servers/targets.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';
import { finishInput, lineOf, startWithInput } from '../src/server-input.ts';

export const PRICES: ScenarioFile = {
  name: 'prices',
  about: 'files of prices',
  scenarios: [
    {
      name: 'a file with a problem stops the start, and both servers report its first problem',
      rules: ['PRI-01', 'PRI-02', 'PRI-03', 'PRO-03', 'LAW'],
      uses: 'both',
      run: problems,
    },
    {
      name: 'a computed cost stays when its price file is replaced or removed',
      rules: ['PRI-05', 'PRI-06', 'PRO-08'],
      uses: 'both',
      run: turns,
    },
    {
      name: 'lines of standard input get a computed cost',
      rules: ['PRI-04', 'PRO-12'],
      uses: 'each',
      run: lines,
    },
  ],
};

const of = (models: string): string => `{"date":"2026-11-25","models":${models}}`;
const modelOf = (price: string): string => of(`{"made-up":${price}}`);

/** The text of a file, and the problem that the server must report. */
const WRONG: readonly (readonly [text: string | Buffer, problem: string])[] = [
  ['', 'must be JSON; line 1 is not'],
  ['{\n', 'must be JSON; line 2 is not'],
  [`${of('{}')} x`, 'must be JSON; line 1 is not'],
  [`\uFEFF${of('{}')}`, 'must be JSON; line 1 is not'],
  [modelOf('\n{"input":NaN}'), 'must be JSON; line 2 is not'],
  [modelOf('{"input":1\n"output":1}'), 'must be JSON; line 2 is not'],
  [Buffer.from([0x22, 0xff, 0x22]), 'is not UTF-8 text'],
  ['[]', ': "" must be an object'],
  ['{}', ': "/date" is missing'],
  ['{"models":{}}', ': "/date" is missing'],
  ['{"date":"2026-11-25"}', ': "/models" is missing'],
  ['{"date":"2026-02-29","models":{}}', ': "/date" must be a date such as 2026-01-31'],
  ['{"date":"2026-11-25T00:00:00Z","models":{}}', ': "/date" must be a date such as 2026-01-31'],
  ['{"date":"2026-1-25","models":{}}', ': "/date" must be a date such as 2026-01-31'],
  ['{"date":20261125,"models":{}}', ': "/date" must be a date such as 2026-01-31'],
  ['{"date":"2026-11-25","currency":"EUR","models":{}}', ': "/currency" is no member of a price file'],
  ['{"date":"2026-11-25","date":"2026-11-25"}', ': "/date" is given twice'],
  [of('[]'), ': "/models" must be an object'],
  [of('{"made-up":1.5}'), ': "/models/made-up" must be an object'],
  [of('{"made-up":{},"m\\u0061de-up":{}}'), ': "/models/made-up" is given twice'],
  [of('{"a/b~c\\n1":null}'), ': "/models/a~1b~0c\\n1" must be an object'],
  [of('{"":{}}'), ': "/models/" is neither a model nor the beginning of one followed by *'],
  [of('{"a*b":{}}'), ': "/models/a*b" is neither a model nor the beginning of one followed by *'],
  [of('{"**":{}}'), ': "/models/**" is neither a model nor the beginning of one followed by *'],
  [of('{" a":{}}'), ': "/models/ a" is neither a model nor the beginning of one followed by *'],
  [of('{"\\udc00":{}}'), ': "/models" has a name that is no well-formed text'],
  [of('{"made-up":{},"Made-up":{}}'), ': "/models/Made-up" is given twice'],
  [
    modelOf('{"above":{"0200":{}}}'),
    ': "/models/made-up/above/0200" must be named by a number of tokens such as 200000',
  ],
  [modelOf('{"modes":{"standard":1}}'), ': "/models/made-up/modes/standard" is no member of a price file'],
  [modelOf('{"modes":{"batch":{"above":1}}}'), ': "/models/made-up/modes/batch/above" must be an object'],
  ['{"source":1}', ': "/source" must be text'],
  [modelOf('{"inputs":1}'), ': "/models/made-up/inputs" is no member of a price file'],
  [modelOf('{"input":1,"input":1}'), ': "/models/made-up/input" is given twice'],
  [modelOf('{"input":-1e-9}'), ': "/models/made-up/input" must be a number from 0 to 1000000'],
  [modelOf('{"output":1e400}'), ': "/models/made-up/output" must be a number from 0 to 1000000'],
  [modelOf('{"cache_read":"1"}'), ': "/models/made-up/cache_read" must be a number from 0 to 1000000'],
  [modelOf('{"cache_write":null}'), ': "/models/made-up/cache_write" must be a number from 0 to 1000000'],
  // Of several problems, the server reports the first in the order of the file.
  [
    modelOf('{"output":-1,"input":-1,"x":1}'),
    ': "/models/made-up/output" must be a number from 0 to 1000000',
  ],
];

async function problems(context: ScenarioContext): Promise<void> {
  const file = join(context.folder, 'prices.json');
  const starts = (flags: readonly string[]) =>
    Promise.all(TARGET_NAMES.map((target) => failedStart(target, flags, context.folder)));
  for (const [text, problem] of WRONG) {
    writeFileSync(file, text);
    for (const exit of await starts(['--prices', file])) {
      assert.equal(exit.code, 2, String(text));
      assert.equal(exit.stdout, '');
      const shown = problem.startsWith(':') ? problem : ` ${problem}`;
      assert.deepEqual(plainLines(exit.stderr), [`--prices ${JSON.stringify(file)}${shown}`]);
    }
  }
  for (const exit of await starts(['--port', 'x', `--prices=${file}.no`])) {
    assert.equal(exit.code, 2);
    assert.equal(plainLines(exit.stderr).length, 2, exit.stderr);
    assert.ok(exit.stderr.includes(`--prices "${file}.no" does not exist`), exit.stderr);
  }
}

async function turns(context: ScenarioContext): Promise<void> {
  const file = join(context.folder, 'prices.json');
  const sent = event({ model: 'made-up', tokens_in: 1000 });
  const steps: readonly (readonly [target: TargetName, price: string | undefined])[] = [
    ['rs', '{"input":1}'],
    ['ts', '{"input":3}'],
    ['rs', undefined],
    ['ts', '{"output":3}'],
    ['rs', '{"input":0.5}'],
  ];
  for (const [target, price] of steps) {
    if (price !== undefined) writeFileSync(file, modelOf(price));
    const server = await context.start({ target, flags: price === undefined ? [] : ['--prices', file] });
    await context.client(server).ingest([sent]);
    // The server reads the file only at its start, so later changes have no effect.
    writeFileSync(file, modelOf('{"input":100}'));
    await context.client(server).ingest([{ ...sent, event_id: 'same' }]);
    await server.stop();
  }
  for (const target of TARGET_NAMES) {
    const server = await context.start({ target });
    const client = context.client(server);
    const page = await client.get('/api/events?order=asc');
    const { events } = page.json<{ events: { computed_cost_usd: number | null }[] }>();
    // The event with an id is stored once: by the first server.
    assert.deepEqual(
      events.map((row) => row.computed_cost_usd),
      [0.001, 0.001, 0.003, null, null, 0.0005],
    );
    const stats = (await client.get('/api/stats')).json<Record<string, number>>();
    assert.deepEqual([stats.total_cost_usd, stats.total_computed_cost_usd], [0, 0.0055]);
    await server.stop();
  }
}

async function lines(context: ScenarioContext): Promise<void> {
  const file = join(context.folder, 'prices.json');
  writeFileSync(file, modelOf('{"input":1.25}'));
  const server = await startWithInput(context, 'ndjson', { flags: ['--prices', file] });
  server.input(`${lineOf({ model: 'made-up', tokens_in: 8 })}\n`);
  await finishInput(server);
  const reader = await context.start();
  const row = (await context.client(reader).get('/api/events/1')).json<Record<string, unknown>>();
  assert.equal(row.computed_cost_usd, 0.00001);
}
