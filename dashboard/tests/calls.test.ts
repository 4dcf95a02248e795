/** Tests that the events of one call are one entry, and the figures of one session. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row, Session } from '../src/api.ts';
import { entriesOf, isRunning } from '../src/calls.ts';
import { columnsOf } from '../src/columns.ts';
import { costOf, headlineOf, secondsOf, statsOf, toolsOf } from '../src/tally.ts';

const row = (id: number, own: Partial<Row> = {}): Row =>
  ({
    id,
    session_id: 's',
    agent_type: 'claude_code',
    event_type: 'plan_step',
    source: 'hook',
    source_event: null,
    call_id: null,
    tool_name: null,
    status: 'success',
    duration_ms: null,
    tokens_in: 0,
    tokens_out: 0,
    cost_usd: null,
    computed_cost_usd: null,
    project: 'shop',
    branch: null,
    model: null,
    time: new Date(id * 1000).toISOString(),
    metadata: {},
    ...own,
  }) as Row;
const pre = (id: number, call_id: string, own: Partial<Row> = {}) =>
  row(id, { source_event: 'PreToolUse', call_id, tool_name: 'Bash', ...own });
const post = (id: number, call_id: string, own: Partial<Row> = {}) =>
  row(id, { source_event: 'PostToolUse', event_type: 'tool_use', call_id, tool_name: 'Bash', ...own });
const seen = (rows: readonly Row[]) =>
  entriesOf(rows).map(({ row: newest, parts, at }) => [newest.id, parts.map(({ id }) => id), at.id]);

test('the events of a call are one entry at its start', () => {
  assert.deepEqual(seen([post(5, 'a'), row(4), pre(3, 'b'), pre(2, 'a'), row(1)]), [
    [4, [], 4],
    [3, [], 3],
    [5, [2], 2],
    [1, [], 1],
  ]);
});

test('a call id belongs to one session, and an end without a start is an entry of its own', () => {
  assert.deepEqual(seen([post(3, 'a'), pre(2, 'a', { session_id: 'other' })]), [
    [3, [], 3],
    [2, [], 2],
  ]);
});

test('a call runs until a hook ends it', () => {
  assert.deepEqual(
    [pre(1, 'a'), pre(1, 'a', { source_event: 'PermissionRequest' }), post(2, 'a'), row(3)].map(isRunning),
    [true, true, false, false],
  );
});

test('a column without content, or with one value in every row, is hidden', () => {
  const names = (rows: readonly Row[], width: number) => columnsOf(rows, width).map(({ name }) => name);
  assert.deepEqual(names([row(1)], 1200), ['time', 'event', 'what']);
  const others = [
    post(2, 'a', { duration_ms: 5 }),
    row(1, { session_id: 't', agent_type: 'codex', cost_usd: 1 }),
  ];
  assert.deepEqual(names(others, 1200), [
    'time',
    'event',
    'agent',
    'tool',
    'what',
    'took',
    'cost',
    'session',
  ]);
  assert.deepEqual(names(others, 500), ['time', 'event', 'tool', 'what', 'took', 'cost']);
});

test('turns, calls and waits of a session are counted, with one wait per call', () => {
  const asked = { tool_name: 'AskUserQuestion' };
  const rows = [
    row(6, { source_event: 'PermissionRequest' }),
    row(5, { source_event: 'PermissionRequest', call_id: 'q', ...asked }),
    pre(4, 'q', asked),
    post(3, 'a', { status: 'error', duration_ms: 10, computed_cost_usd: 0.25 }),
    pre(2, 'a'),
    row(1, { event_type: 'user_prompt', model: 'opus', cost_usd: 0.5, tokens_in: 3 }),
  ];
  assert.deepEqual(headlineOf(rows), { turns: 1, calls: 1, waits: 2 });
  assert.deepEqual(toolsOf(rows), [
    { tool_name: 'Bash', total_calls: 1, error_count: 1, error_rate: 1, p50_ms: 10, p95_ms: 10 },
  ]);
  const { timeline, by_model } = costOf(rows);
  assert.deepEqual(
    timeline.map((one) => [one.bucket, one.event_count, one.cost_usd, one.computed_cost_usd]),
    [['1970-01-01T00:00:00.000Z', 6, 0.5, 0.25]],
  );
  assert.deepEqual(
    by_model.map(({ name, tokens_in }) => [name, tokens_in]),
    [['opus', 3]],
  );
  const session = {
    event_count: 9,
    error_count: 1,
    tokens_in: 3,
    tokens_out: 0,
    total_cost_usd: 0.5,
  } as Session;
  assert.equal(statsOf(session, rows).total_events, 9);
  assert.deepEqual(secondsOf(rows, { now_ms: 5000, seconds: 4, from_ms: 2000 })[1], [null, 1, 1, 1]);
});

test('a call is an event with a tool that is not a step, also from the API', () => {
  const api = { source: 'api', tool_name: 'Bash' } as const;
  const rows = [row(3, { ...api, event_type: 'error' }), row(2, api), row(1, { event_type: 'tool_use' })];
  assert.equal(headlineOf(rows).calls, 1);
  assert.deepEqual(
    toolsOf(rows).map(({ tool_name, total_calls }) => [tool_name, total_calls]),
    [['Bash', 1]],
  );
});
