import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import fc from 'fast-check';
import { Buffers } from '../src/buffers.ts';
import { LIMITS } from '../src/contract.ts';
import { EventTable, RawEvents } from '../src/event.ts';
import { scanBatch } from '../src/json.ts';
import { idOf } from '../src/render.ts';
import { type Connection, openConnection } from '../src/store/connection.ts';
import { Deletions } from '../src/store/deletions.ts';
import { EventWriter } from '../src/store/events.ts';
import { type EventFilter, Queries } from '../src/store/query.ts';
import { createSchema } from '../src/store/schema.ts';
import type { Submission } from '../src/store/submission.ts';
import { listByTime, parseTimeCursor, timeCursorText } from '../src/store/time-search.ts';
import { validator } from '../src/validate.ts';

const NOW = Date.UTC(2026, 10, 20, 12, 0, 0);
/** The times of a history: few, so that many rows have one time. */
const TIMES = 12;
const TOOLS = [undefined, 'common', 'rare'] as const;

let folder = '';

before(() => {
  folder = mkdtempSync(join(tmpdir(), 'ingest-times-'));
});

after(() => rmSync(folder, { recursive: true, force: true }));

/** One row: seconds before now, the tool, the session, and bytes of metadata. */
interface Sent {
  readonly age: number;
  readonly tool: number;
  readonly session: number;
  readonly bytes: number;
}

/** A step of a history: rows whose ids are `gap` apart, or a deletion. */
type Step =
  | { readonly kind: 'rows'; readonly gap: number; readonly rows: readonly Sent[] }
  | { readonly kind: 'before'; readonly share: number }
  | { readonly kind: 'session'; readonly session: number };

interface Asked {
  readonly order: EventFilter['order'];
  readonly limit: number;
  readonly tool: number;
  readonly session: number | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
}

const sent: fc.Arbitrary<Sent> = fc.record({
  age: fc.nat(TIMES),
  tool: fc.nat(2),
  session: fc.nat(2),
  bytes: fc.constantFrom(0, 0, 0, 40, 90),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('rows' as const),
      gap: fc.constantFrom(1, 1, 100, 256, 65_536),
      rows: fc.array(sent, { minLength: 1, maxLength: 40 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('before' as const), share: fc.nat(4) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('session' as const), session: fc.nat(2) }) },
);
const asked: fc.Arbitrary<Asked> = fc.record({
  order: fc.constantFrom('asc' as const, 'desc' as const),
  limit: fc.constantFrom(1, 2, 3, 7, 1000),
  tool: fc.nat(2),
  session: fc.option(fc.nat(2), { nil: undefined }),
  since: fc.option(fc.nat(TIMES), { nil: undefined }),
  until: fc.option(fc.nat(TIMES), { nil: undefined }),
});

let files = 0;

/** Makes a database with the rows of a history. */
function made(steps: readonly Step[]): Connection {
  const path = join(folder, `${++files}.db`);
  writeFileSync(path, '');
  const db = openConnection({ path, durability: 'process', nativeBinding: undefined, readonly: false });
  createSchema(db);
  const events = new EventWriter(db);
  const deletions = new Deletions(db);
  for (const one of steps) {
    if (one.kind === 'rows') {
      const ids = Float64Array.from(one.rows, (_, at) => events.newest + (at + 1) * one.gap);
      const times = Float64Array.from(one.rows, () => NOW);
      events.applyGroup(jobOf(one.rows), ids, times, undefined, 0, () => undefined);
    } else if (one.kind === 'before') {
      const bound = Math.floor((events.newest * one.share) / 4);
      events.delete(() => deletions.deleteEvents(deletions.oldestOf(bound, 1000), true));
    } else {
      events.delete(() => deletions.deleteSession(`s${one.session}`, { block: 0 }));
    }
  }
  return db;
}

function jobOf(rows: readonly Sent[]): Submission {
  const events = rows.map(({ age, tool, session, bytes }) => ({
    session_id: `s${session}`,
    agent_type: 'a',
    event_type: 'tool_use',
    client_timestamp: new Date(NOW - age * 1000).toISOString(),
    tool_name: TOOLS[tool],
    metadata: { text: 'x'.repeat(bytes) },
  }));
  const body = Buffer.from(JSON.stringify({ events }));
  const raw = new RawEvents();
  const steps = scanBatch(body, raw, events.length);
  let scan = steps.next();
  while (scan.done !== true) scan = steps.next();
  assert.ok(scan.value?.isBatch);
  const table = new EventTable(body, events.length, new Buffers());
  const validate = validator(raw, table, 10_240);
  for (let index = 0; index < events.length; index++) assert.equal(validate(index), undefined);
  return { ...table, ascii: false };
}

function filterOf({ order, limit, tool, session, since, until }: Asked): EventFilter {
  const time = (age: number | undefined) => (age === undefined ? undefined : NOW - age * 1000);
  return {
    fields: { tool_name: TOOLS[tool] },
    sessionId: session === undefined ? undefined : `s${session}`,
    since: time(since),
    until: time(until),
    order,
    limit,
  };
}

/** The ids of the matching rows by their times, as one statement finds them. */
function expectedIds(db: Connection, { fields, sessionId, since, until, order }: EventFilter): number[] {
  const direction = order === 'desc' ? 'DESC' : 'ASC';
  const sql = `SELECT e.id FROM events AS e CROSS JOIN events_readable AS v ON v.id = e.id
    WHERE (:tool IS NULL OR v.tool_name = :tool) AND (:session IS NULL OR v.session_id = :session)
      AND (e.created_at + e.time_shift) >= :since AND (e.created_at + e.time_shift) < :until
    ORDER BY (e.created_at + e.time_shift) ${direction}, e.id ${direction}`;
  const values = {
    tool: fields.tool_name ?? null,
    session: sessionId ?? null,
    since: since ?? 0,
    until: until ?? Number.MAX_SAFE_INTEGER,
  };
  return db.prepare<unknown[]>(sql).pluck().all(values) as number[];
}

/** Follows the cursors from the first page on; returns the ids of all pages. */
function followed(db: Connection, filter: EventFilter): number[] {
  const queries = new Queries(db, 5, 12);
  const ids: number[] = [];
  for (let cursor: string | undefined, pages = 0; pages === 0 || cursor !== undefined; pages++) {
    assert.ok(pages < 5000, 'the cursors do not end');
    const from = cursor === undefined ? undefined : parseTimeCursor(cursor);
    const { rows, next } = queries.consistently(() => listByTime(queries, filter, from));
    assert.ok(rows.length <= filter.limit);
    ids.push(...rows.map(idOf));
    const text = next && timeCursorText(next);
    assert.notEqual(text ?? 'none', cursor, 'a page that ends where it began');
    cursor = text;
  }
  return ids;
}

/** Runs a check with other bounds of a page. */
function withLimits(
  limits: Partial<Record<'page_blocks' | 'page_bytes' | 'page_spans', number>>,
  run: () => void,
): void {
  const usual = { ...LIMITS };
  try {
    Object.assign(LIMITS, limits);
    run();
  } finally {
    Object.assign(LIMITS, usual);
  }
}

function check(steps: readonly Step[], questions: readonly Asked[]): void {
  const db = made(steps);
  try {
    for (const question of questions) {
      const filter = filterOf(question);
      assert.deepEqual(followed(db, filter), expectedIds(db, filter), JSON.stringify(question));
    }
  } finally {
    db.close();
  }
}

const histories = fc.tuple(
  fc.array(step, { minLength: 1, maxLength: 8 }),
  fc.array(asked, { minLength: 4, maxLength: 8 }),
);

test('the pages by time have every matching row once, in the order of time and id', () => {
  fc.assert(
    fc.property(histories, ([steps, questions]) => check(steps, questions)),
    { numRuns: 60 },
  );
});

test('pages that look into few blocks miss no row', () => {
  withLimits({ page_blocks: 2, page_spans: 2 }, () => {
    fc.assert(
      fc.property(histories, ([steps, questions]) => check(steps, questions)),
      { numRuns: 60 },
    );
  });
});

test('pages of few bytes miss no row', () => {
  withLimits({ page_bytes: 130 }, () => {
    fc.assert(
      fc.property(histories, ([steps, questions]) => check(steps, questions)),
      { numRuns: 60 },
    );
  });
});

test('a page looks at a bounded number of late rows', () => {
  const rows = (count: number, tool: number, ageOf: (at: number) => number): Sent[] =>
    Array.from({ length: count }, (_, at) => ({ tool, session: 0, bytes: 0, age: ageOf(at) }));
  // The first two blocks have the rows in order.
  const history = [
    ...rows(255, 1, () => 100),
    ...rows(256, 1, () => 0),
    ...rows(700, 2, (at) => 1 + (at % TIMES)),
    ...rows(3, 1, () => 11),
  ];
  withLimits({ page_blocks: 1 }, () => {
    const db = made([{ kind: 'rows', gap: 1, rows: history }]);
    for (const order of ['asc', 'desc'] as const) {
      for (const tool of [0, 1, 2]) {
        for (const limit of [10, 1000]) {
          const range = { session: undefined, since: undefined, until: undefined };
          const filter = filterOf({ order, limit, tool, ...range });
          assert.deepEqual(followed(db, filter), expectedIds(db, filter));
        }
      }
    }
    db.close();
  });
});

test('a row after a deletion of all rows that are not late goes after the late ones', () => {
  const row = { tool: 1, session: 0, bytes: 0 };
  const steps: Step[] = [
    {
      kind: 'rows',
      gap: 256,
      rows: [
        { ...row, age: 0 },
        { ...row, age: 5 },
        { ...row, age: 5 },
      ],
    },
    { kind: 'before', share: 3 },
    {
      kind: 'rows',
      gap: 1,
      rows: [
        { ...row, age: 8 },
        { ...row, age: 5 },
      ],
    },
  ];
  for (const order of ['asc', 'desc'] as const) {
    check(steps, [{ order, limit: 1, tool: 0, session: undefined, since: undefined, until: undefined }]);
  }
});

test('a cursor is read as it is written, and nothing else is', () => {
  for (const text of ['0.0', '1771437600000.7', '1771437600000.7.late']) {
    assert.equal(timeCursorText(parseTimeCursor(text)!), text);
  }
  for (const text of [
    '',
    '1',
    '1.',
    '.1',
    '1.2.3',
    '-1.2',
    '1.2.lat',
    '1.2.late.late',
    ' 1.2',
    '12345678901234567.1',
  ])
    assert.equal(parseTimeCursor(text), undefined, text);
});

test('a page that ends for its bytes continues after its last row', () => {
  const row = { tool: 1, session: 0 };
  const rows = [
    { ...row, age: 9, bytes: 90 },
    { ...row, age: 8, bytes: 90 },
    { ...row, age: 1, bytes: 0 },
    { ...row, age: 4, bytes: 0 },
  ];
  withLimits({ page_bytes: 130 }, () => {
    for (const order of ['asc', 'desc'] as const)
      check(
        [{ kind: 'rows', gap: 1, rows }],
        [{ order, limit: 10, tool: 0, session: undefined, since: undefined, until: undefined }],
      );
  });
});
