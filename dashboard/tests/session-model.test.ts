/**
 * Tests the timeline of a session: its turns, calls and lanes.
 *
 * The fixtures are one turn each of Claude Code 2.1.328 (hooks, logs, traces) and Codex 0.169.0 (logs). They were
 * captured and shortened, and the times of the hooks are set.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@twin-ingest/testkit/random.ts';
import type { Row } from '../src/api.ts';
import { timeOf, unionOf } from '../src/session/interval.ts';
import { type Item, itemsOf } from '../src/session/items.ts';
import { barsOf, lineAt, linesOf, neighboursOf, topsOf } from '../src/session/lines.ts';
import { pathIn } from '../src/session/path.ts';
import { allOf, isLane, timesOf, turnsOf } from '../src/session/turns.ts';
import { summaryOf } from '../src/summary.ts';
import CLAUDE_CODE from './fixtures/claude-code-turn.json' with { type: 'json' };
import CODEX from './fixtures/codex-turn.json' with { type: 'json' };

const claude = CLAUDE_CODE as unknown as Row[];
const codex = CODEX as unknown as Row[];

const row = (id: number, at_s: number, own: Partial<Row> = {}): Row =>
  ({ ...claude[0]!, id, time: new Date(at_s * 1000).toISOString(), metadata: {}, ...own }) as Row;
const hook = (id: number, at_s: number, source_event: string, own: Partial<Row> = {}) =>
  row(id, at_s, { event_type: 'plan_step', source: 'hook', source_event, ...own });
const prompt = (id: number, at_s: number, text: string) =>
  hook(id, at_s, 'UserPromptSubmit', { event_type: 'user_prompt', metadata: { prompt: text } });
const stop = (id: number, at_s: number, text: string) =>
  hook(id, at_s, 'Stop', { event_type: 'response', metadata: { last_assistant_message: text } });
const pre = (id: number, at_s: number, call_id: string, own: Partial<Row> = {}) =>
  hook(id, at_s, 'PreToolUse', { call_id, tool_name: 'Bash', ...own });
const post = (id: number, at_s: number, call_id: string, own: Partial<Row> = {}) =>
  hook(id, at_s, 'PostToolUse', { event_type: 'tool_use', call_id, tool_name: 'Bash', ...own });

const ids = (items: readonly Item[]) =>
  items.flatMap(({ rows }) => rows.map(({ id }) => id)).sort((a, b) => a - b);
const brief = ({ kind, name, rows, start, end }: Item) => [
  kind,
  name,
  rows.map(({ id }) => id),
  (end ?? NaN) - start,
];

test('a turn of Claude Code: hooks, logs and spans of a call are one item', () => {
  const [before, turn, ...others] = turnsOf(claude);
  assert.deepEqual([others, before!.number, turn!.number], [[], 0, 1]);
  assert.deepEqual(
    [summaryOf(turn!.prompt!.row), summaryOf(turn!.answer!.row)],
    ['say hello with bash', 'All done.'],
  );
  const calls = allOf(turn!).filter(({ kind }) => kind !== 'event');
  assert.deepEqual(
    calls.map(({ kind, name, rows }) => [kind, name, rows.map(({ source_event }) => source_event)]),
    [
      ['model', 'claude-sonnet-4-5', ['claude_code.api_request', 'claude_code.llm_request']],
      [
        'tool',
        'Bash',
        [
          'PreToolUse',
          'claude_code.tool.blocked_on_user',
          'claude_code.tool_decision',
          'claude_code.tool.execution',
          'PostToolUse',
        ],
      ],
      ['model', 'claude-sonnet-4-5', ['claude_code.api_request', 'claude_code.llm_request']],
    ],
  );
  // A setting allowed the call, so the user did not wait.
  assert.equal(calls[1]!.wait, null);
  const counts = { modelCalls: 2, toolCalls: 1, errors: 0 };
  assert.deepEqual(turn!.sums, { ...counts, reported: 0.01119, computed: 0, unpriced: 0, tokens: 4684 });
  assert.deepEqual(timesOf(turn!, 0), { waited: 0, worked: turn!.end - turn!.start });
  assert.equal(turn!.end - turn!.start, 239);
  assert.equal(pathIn(claude), '/home/user/projects/app');
});

test('a turn of Codex: a response belongs to the request before it', () => {
  const [before, turn, ...others] = turnsOf(codex);
  assert.deepEqual([others, before!.number], [[], 0]);
  assert.equal(summaryOf(turn!.prompt!.row), 'say hello with the shell');
  assert.deepEqual(
    allOf(turn!).flatMap((item) =>
      item.kind === 'event' ? [] : [brief(item).slice(0, 2).concat(item.rows.length)],
    ),
    [
      ['model', 'gpt-5-codex', 2],
      ['tool', 'exec_command', 2],
      ['model', 'gpt-5-codex', 2],
    ],
  );
  assert.equal(turn!.answer, null);
});

test('a request for permission waits until the run begins, and counts once', () => {
  const rows = [
    prompt(1, 0, 'deploy'),
    pre(2, 1, 'a'),
    hook(3, 2, 'PermissionRequest', { tool_name: 'Bash' }),
    post(4, 20, 'a', { duration_ms: 5000 }),
    stop(5, 22, 'done'),
  ];
  const [turn] = turnsOf(rows);
  const [call] = turn!.steps as Item[];
  assert.deepEqual(brief(call!), ['tool', 'Bash', [2, 3, 4], 19_000]);
  assert.deepEqual(call!.wait, [2000, 15_000]);
  assert.deepEqual(timesOf(turn!, 0), { waited: 13_000, worked: 9000 });
  assert.deepEqual(
    barsOf(linesOf([turn!], () => true, true)[1]!, 0).map(({ kind, from, to }) => [
      kind,
      Math.round(from * 22),
      Math.round(to * 22),
    ]),
    [
      ['tool', 1, 20],
      ['wait', 2, 15],
    ],
  );
});

test('a question without an answer waits until now, and a call without a result has no end', () => {
  const rows = [prompt(1, 0, 'ask me'), pre(2, 1, 'q', { tool_name: 'AskUserQuestion' })];
  const [turn] = turnsOf(rows);
  const [call] = turn!.steps as Item[];
  assert.deepEqual([call!.end, call!.wait], [null, [1000, null]]);
  assert.deepEqual(timesOf(turn!, 31_000), { waited: 30_000, worked: 1000 });
  const [asked] = turnsOf([prompt(1, 0, 'x'), hook(2, 1, 'Elicitation'), hook(3, 5, 'ElicitationResult')]);
  assert.deepEqual(allOf(asked!)[1]!.wait, [1000, 5000]);
});

test('a refused call, a failed call and a failed model call are errors', () => {
  const bad = { status: 'error' } as const;
  const rows = [
    prompt(1, 0, 'x'),
    pre(2, 1, 'a'),
    post(3, 2, 'a', { ...bad, source_event: 'PostToolUseFailure' }),
    pre(4, 3, 'b'),
    hook(5, 4, 'PermissionDenied', { call_id: 'b', ...bad }),
    row(6, 5, {
      ...bad,
      event_type: 'error',
      source: 'otel',
      source_event: 'claude_code.api_error',
      model: 'opus',
    }),
  ];
  const [turn] = turnsOf(rows);
  const counts = { modelCalls: 1, toolCalls: 2, errors: 3 };
  assert.deepEqual(turn!.sums, { ...counts, reported: 0, computed: 0, unpriced: 0, tokens: 0 });
  assert.deepEqual(
    (turn!.steps as Item[]).map(({ row: { id }, end }) => [id, end]),
    [
      [3, 2000],
      [5, 4000],
      [6, 5000],
    ],
  );
});

test('a subagent is a lane with its name, next to the main agent', () => {
  const sub = { agent_id: 'a1' };
  const rows = [
    prompt(1, 0, 'find it'),
    pre(2, 1, 't', { tool_name: 'Task' }),
    hook(3, 2, 'SubagentStart', { ...sub, metadata: { agent_type: 'Explore' } }),
    pre(4, 3, 'g', sub),
    post(5, 4, 'g', { ...sub, status: 'error' }),
    hook(6, 9, 'SubagentStop', sub),
    post(7, 10, 't', { tool_name: 'Task' }),
    stop(8, 11, 'found'),
    prompt(9, 60, 'thanks'),
  ];
  const [turn, next] = turnsOf(rows);
  assert.equal(next!.number, 2);
  assert.deepEqual(
    turn!.steps.map((step) =>
      isLane(step) ? [step.name, step.start, step.end, ids(step.items)] : ids([step]),
    ),
    [
      [2, 7],
      ['Explore', 2000, 9000, [3, 4, 5, 6]],
    ],
  );
  // The lane is shown with all of its calls, and its own key folds it.
  const keys = (isOpen: (key: string) => boolean) =>
    linesOf([turn!], isOpen, true).map(({ kind, key }) => `${kind} ${key}`);
  assert.deepEqual(
    keys(() => true),
    ['turn t1', 'item i7', 'lane t1 a1', 'item i3', 'item i5', 'item i6'],
  );
  assert.deepEqual(
    keys((key) => key !== 't1 a1'),
    ['turn t1', 'item i7', 'lane t1 a1'],
  );
  assert.deepEqual(
    keys(() => false),
    ['turn t1'],
  );
  const lines = linesOf([turn!], () => true, true);
  assert.deepEqual(
    neighboursOf(lines, 4).rows.map(({ id }) => id),
    [4, 5],
  );
  assert.deepEqual([neighboursOf(lines, 4).older, neighboursOf(lines, 4).newer], [3, 6]);
  assert.deepEqual(neighboursOf(lines, 99), { rows: [] });
});

test('an unanswered prompt of a hook and of telemetry is one prompt; two prompts are two turns', () => {
  const otel = { source: 'otel', source_event: 'codex.user_prompt', event_type: 'user_prompt' } as const;
  const twice = [prompt(1, 1, 'hello'), row(2, 1.2, { ...otel, metadata: { prompt: '<REDACTED>' } })];
  const [turn, ...others] = turnsOf(twice);
  assert.deepEqual([others, summaryOf(turn!.prompt!.row), ids([turn!.prompt!])], [[], 'hello', [1, 2]]);
  assert.equal(turnsOf([prompt(1, 1, 'hello'), prompt(2, 2, 'hello')]).length, 2);
  // Codex may call the model before the hook's event arrives.
  const hidden = row(3, 1, { ...otel, metadata: { prompt: '[REDACTED]' } });
  const call = row(4, 1.01, { source: 'otel', event_type: 'llm_response' });
  const crossed = turnsOf([hidden, call, prompt(5, 1.1, 'hello')]);
  assert.deepEqual(
    crossed.map((one) => [summaryOf(one.prompt!.row), ids([one.prompt!]), ids(one.steps as Item[])]),
    [['hello', [3, 5], [4]]],
  );
  const other = row(6, 1, { ...otel, metadata: { prompt: 'another' } });
  assert.equal(turnsOf([other, prompt(7, 1.1, 'hello')]).length, 2);
  assert.deepEqual(turnsOf([]), []);
});

test('every event is in exactly one item, whatever the order', () => {
  const random = seededRandom(35);
  const pick = <T>(list: readonly T[]): T => random.pick(list);
  const names = [
    'PreToolUse',
    'PostToolUse',
    'PermissionRequest',
    'Stop',
    'UserPromptSubmit',
    'Notification',
    'Elicitation',
  ];
  for (let round = 0; round < 200; round++) {
    const rows = Array.from({ length: 30 }, (_, i) =>
      row(i + 1, random.below(60), {
        source: pick(['hook', 'otel', 'api'] as const),
        source_event: pick(names),
        event_type: pick([
          'plan_step',
          'tool_use',
          'response',
          'user_prompt',
          'llm_request',
          'llm_response',
          'error',
        ] as const),
        call_id: pick([null, null, 'a', 'b', 'c']),
        agent_id: pick([null, null, 'x', 'y']),
        tool_name: pick([null, 'Bash']),
        duration_ms: pick([null, 0, 900]),
        status: pick(['success', 'error', 'timeout'] as const),
      }),
    );
    const all = rows.map(({ id }) => id);
    assert.deepEqual(ids(itemsOf(rows)), all);
    const turns = turnsOf(rows);
    assert.deepEqual(ids(turns.flatMap(allOf)), all);
    for (const turn of turns) {
      const { waited, worked } = timesOf(turn, 60_000);
      assert.ok(turn.end >= turn.start && waited >= 0 && worked >= 0);
      for (const line of linesOf([turn], () => true, true))
        for (const { from, to } of barsOf(line, 60_000)) assert.ok(from >= 0 && to <= 1 && from <= to);
    }
  }
});

test('intervals: overlaps count once, and an event is at its time', () => {
  assert.equal(
    unionOf([
      [5, 9],
      [0, 3],
      [2, 6],
      [20, 21],
    ]),
    10,
  );
  const created_at = new Date(60_000).toISOString();
  assert.equal(timeOf(row(1, 10, { created_at, client_timestamp: created_at })), 10_000);
});

test('the line at a position, for lines of different heights', () => {
  const lines = linesOf(turnsOf([prompt(1, 0, 'a'), pre(2, 1, 'x'), prompt(3, 5, 'b')]), () => true, true);
  const tops = topsOf(lines, ({ kind }) => (kind === 'turn' ? 50 : 28));
  assert.deepEqual([...tops], [0, 50, 78, 128]);
  assert.deepEqual(
    [-5, 0, 49, 50, 77, 78, 999].map((y) => lineAt(tops, y)),
    [0, 0, 0, 1, 1, 2, 2],
  );
  assert.equal(
    lineAt(
      topsOf([], () => 1),
      5,
    ),
    0,
  );
});

test('steps that say little are listed only on request', () => {
  const names = (all: boolean) =>
    linesOf(turnsOf(claude), () => true, all).flatMap((line) =>
      line.kind === 'item' ? (line.row.source_event ?? '') : [],
    );
  assert.ok(!names(false).includes('PostToolBatch'));
  const hidden = row(2, 1, {
    source: 'otel',
    event_type: 'response',
    agent_id: 'a',
    source_event: 'claude_code.assistant_response',
    metadata: { response: '<REDACTED>' },
  });
  const lines = (all: boolean) => linesOf(turnsOf([prompt(1, 0, 'x'), hidden]), () => true, all);
  assert.deepEqual([lines(false).length, lines(true).length], [2, 3]);
  assert.ok(names(true).includes('PostToolBatch') && names(true).includes('claude_code.interaction'));
});
