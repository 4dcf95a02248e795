/** Tests `--stdin ndjson` (rules PRO-12 to PRO-14): the definition of a line, and the handling of bad lines. */
import assert from 'node:assert/strict';
import { requireWhole, resultTexts, sumsOf } from '../src/result-lines.ts';
import type { ScenarioContext, ScenarioFile } from '../src/scenario.ts';
import { finishInput, lineOf, startWithInput } from '../src/server-input.ts';

export const STDIN_LINES: ScenarioFile = {
  name: 'stdin-lines',
  about: 'lines of standard input',
  scenarios: [
    {
      name: 'both servers store the same lines and reject the same lines',
      rules: ['PRO-12', 'PRO-13', 'PRO-14', 'FMT-02', 'LAW'],
      uses: 'both',
      run: sameSums,
    },
    {
      name: 'a line of every kind is stored, skipped or rejected with its number',
      rules: ['PRO-13', 'PRO-14', 'FMT-02', 'BOD-01'],
      uses: 'each',
      run: everyKind,
    },
    {
      name: 'an input without a line makes no batch',
      rules: ['PRO-13', 'PRO-14'],
      uses: 'each',
      run: noLines,
    },
  ],
};

const MAX_BYTES = 2048;

/** Returns valid lines with every kind of invalid line among them. The last line has no line feed. */
function mixedLines(): Buffer[] {
  const lines: Buffer[] = [];
  const add = (line: string | Buffer): void => void lines.push(Buffer.from(line as string));
  for (let index = 0; index < 3_000; index++) {
    add(`${lineOf({ event_id: `e${index % 2_900}`, metadata: { index } })}${index % 3 === 0 ? '\r' : ''}`);
    if (index % 100 === 7) add('');
    if (index % 100 === 11) add('{"session_id":');
    if (index % 100 === 13) add(Buffer.from([0x7b, 0xff, 0x7d]));
    if (index % 100 === 17) add('[]');
    if (index % 100 === 19) add(lineOf({ status: 'unknown' }));
    if (index % 1000 === 500) add(lineOf({ metadata: 'x'.repeat(2 << 20) }));
    if (index % 1000 === 501) add(lineOf({ metadata: 'x'.repeat(MAX_BYTES) }));
  }
  return lines;
}

async function sameSums(context: ScenarioContext): Promise<void> {
  const lines = mixedLines();
  const input = Buffer.concat(
    lines.map((line, at) => (at === 0 ? line : Buffer.from(`\n${line.toString('latin1')}`, 'latin1'))),
  );
  const found = [];
  for (const target of ['rs', 'ts'] as const) {
    const server = await startWithInput(context, 'ndjson', {
      target,
      db: context.db(target),
      flags: ['--max-body-bytes', `${MAX_BYTES}`, '--max-batch-events', '100'],
    });
    // Sends the input in pieces that end at arbitrary positions.
    for (let at = 0; at < input.length; at += 70_001) server.input(input.subarray(at, at + 70_001));
    const results = await finishInput(server);
    requireWhole(results, lines.length);
    for (const { first_line: first, last_line: last } of results) assert.ok(last! - first! < 100);
    found.push(sumsOf(results));
    const next = await context.start({ target, db: context.db(target) });
    const page = await context.client(next).get('/api/events?order=asc&limit=1000');
    const rows = page.json<{ events: { event_id: string; metadata: unknown }[] }>().events;
    assert.deepEqual(
      rows.map((row) => [row.event_id, row.metadata]),
      rows.map((_, index) => [`e${index}`, { index }]),
    );
  }
  assert.deepEqual(found[0], found[1]);
  const { received, ids, duplicates, rejected } = found[0]!;
  assert.deepEqual(
    ids,
    Array.from({ length: 2_900 }, (_, index) => index + 1),
  );
  assert.deepEqual([received, duplicates, rejected.length], [2_900, 100, 3_000 / 25 + 6]);
  const problemAt = (line: string | Buffer): string => {
    const at = lines.findIndex((one) => one.equals(Buffer.from(line as string))) + 1;
    return rejected.find((one) => one.startsWith(`${at} `))!.replace(/^\d+ /, '');
  };
  assert.equal(problemAt('{"session_id":'), 'body: must be valid JSON');
  assert.equal(problemAt(Buffer.from([0x7b, 0xff, 0x7d])), 'body: must be valid JSON');
  assert.equal(problemAt('[]'), 'body: must be a JSON object');
  assert.equal(
    problemAt(lineOf({ metadata: 'x'.repeat(2 << 20) })),
    `body: must be at most ${MAX_BYTES} bytes`,
  );
}

const BAD = 'body: must be valid JSON';
const NO_OBJECT = 'body: must be a JSON object';
const TOO_LONG = `body: must be at most ${MAX_BYTES} bytes`;
const MISSING = ['session_id', 'agent_type', 'event_type']
  .map((name) => `${name}: must be a string`)
  .join('; ');

/** A line and its problem. A line without a problem is stored, or skipped if `isBlank`. */
interface Kind {
  readonly line: Buffer;
  readonly problem?: string | undefined;
  readonly isBlank?: boolean;
}

function kindOf(line: string | Uint8Array, problem?: string): Kind {
  return { line: Buffer.from(line as string), problem };
}

/** Returns an event of exactly this many bytes, including white space. */
function padded(bytes: number, end = ''): string {
  return `${lineOf({}).padEnd(bytes - end.length)}${end}`;
}

function nested(depth: number): string {
  return lineOf({ metadata: 0 }).replace(/0}$/, `${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`);
}

function everyLine(): Kind[] {
  const good = Buffer.from(lineOf({}));
  return [
    kindOf(good),
    kindOf(`${good}\r`),
    kindOf(` \t${good}\t \r`),
    ...['', '\r', ' \t ', ' \r \r'].map((line) => ({ ...kindOf(line), isBlank: true })),
    kindOf('{', BAD),
    kindOf(`${good}${good}`, BAD),
    kindOf(`${good}\r${good}`, BAD),
    kindOf(`\u2028${good}`, BAD),
    kindOf(`\u00a0`, BAD),
    kindOf(`\v`, BAD),
    kindOf(`\0`, BAD),
    kindOf(`\ufeff${good}`, BAD),
    kindOf(Buffer.from([0x7b, 0xff, 0x7d]), BAD),
    kindOf(Buffer.from([0xed, 0xa0, 0x80]), BAD),
    kindOf(Buffer.from([0xc3]), BAD),
    kindOf(Buffer.from([0xa9]), BAD),
    kindOf(nested(128)),
    kindOf(nested(129), BAD),
    kindOf('['.repeat(MAX_BYTES), BAD),
    ...['[]', '1', 'null', '"x"', 'true', '-0', '1e400'].map((line) => kindOf(line, NO_OBJECT)),
    kindOf('{"events":[]}', MISSING),
    kindOf('{"a":1,"a":2}', MISSING),
    kindOf(padded(MAX_BYTES)),
    kindOf(padded(MAX_BYTES, '\r')),
    kindOf(padded(MAX_BYTES + 1), TOO_LONG),
    kindOf(padded(MAX_BYTES + 1, '\r'), TOO_LONG),
    kindOf(' '.repeat(MAX_BYTES + 1), TOO_LONG),
    kindOf(Buffer.alloc(3 << 20, 0xff), TOO_LONG),
    // This line has no line feed.
    kindOf(good),
  ];
}

async function everyKind(context: ScenarioContext): Promise<void> {
  const kinds = everyLine();
  const server = await startWithInput(context, 'ndjson', { flags: ['--max-body-bytes', `${MAX_BYTES}`] });
  for (const [index, { line }] of kinds.entries()) {
    if (index > 0) server.input('\n');
    // Splits each line between two pieces of the input.
    server.input(line.subarray(0, line.length >> 1));
    server.input(line.subarray(line.length >> 1));
  }
  const results = await finishInput(server);
  requireWhole(results, kinds.length);
  const { received, rejected } = sumsOf(results);
  const wanted = kinds.flatMap(({ problem }, index) => (problem ? [`${index + 1} ${problem}`] : []));
  assert.deepEqual(rejected, wanted);
  assert.equal(received, kinds.filter(({ problem, isBlank }) => !problem && !isBlank).length);
}

async function noLines(context: ScenarioContext): Promise<void> {
  const server = await startWithInput(context, 'ndjson');
  await finishInput(server);
  assert.deepEqual(resultTexts(server), []);
}
