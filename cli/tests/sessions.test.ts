/** What a demo plays: made-up sessions as agents have them, corpora in their order, and what the command lines say. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import VOCABULARY from '../../contract/vocabulary.json' with { type: 'json' };
import { CorpusError, corpusTimeline } from '../src/demo/corpus.ts';
import { parseDemo } from '../src/demo/options.ts';
import { madeUpSessions } from '../src/demo/sessions.ts';
import type { Timed, Timeline } from '../src/demo/timeline.ts';

function first(timeline: Timeline, count: number): Timed[] {
  const found: Timed[] = [];
  for (const timed of timeline) if (found.push(timed) === count) return found;
  return found;
}

test('sessions are the same for the same seed, and others for another', () => {
  const events = first(madeUpSessions(1), 500);
  assert.deepEqual(first(madeUpSessions(1), 500), events);
  assert.notDeepEqual(first(madeUpSessions(2), 500), events);
});

test('several agents work at a time, at the pace of people, each session in its order', () => {
  const events = first(madeUpSessions(1), 4_000);
  assert.ok(events.every(({ at_ms }, i) => i === 0 || at_ms >= events[i - 1]!.at_ms));
  const rate = events.length / (events.at(-1)!.at_ms / 1000);
  assert.ok(rate > 0.5 && rate < 20, `${rate} events a second`);
  const sessions = Map.groupBy(events, ({ event }) => event.session_id);
  assert.ok(sessions.size > 10);
  assert.ok(new Set(events.slice(0, 100).map(({ event }) => event.session_id)).size >= 5);
  for (const [session_id, own] of sessions) {
    assert.equal(own[0]!.event.event_type, 'session_start', session_id);
    const ends = own.filter(({ event }) => event.event_type === 'session_end');
    assert.ok(ends.length === 0 || (ends.length === 1 && own.at(-1) === ends[0]), session_id);
    assert.equal(new Set(own.map(({ event }) => event.agent_type)).size, 1);
  }
});

test('there is something of every kind that the page shows', () => {
  const events = first(madeUpSessions(1), 4_000).map(({ event }) => event);
  const missing = VOCABULARY.event_types.filter((type) => !events.some((event) => event.event_type === type));
  assert.deepEqual(missing, ['plan_step']);
  const tools = events.filter(({ event_type }) => event_type === 'tool_use');
  assert.ok(tools.every((tool) => typeof tool.tool_name === 'string' && Number.isInteger(tool.duration_ms)));
  assert.deepEqual(new Set(tools.map(({ status }) => status)), new Set(['success', 'error']));
  const answers = events.filter(({ event_type }) => event_type === 'llm_response');
  assert.ok(answers.every(({ cost_usd, tokens_in }) => Number(cost_usd) > 0 && Number(tokens_in) > 0));
  for (const field of ['agent_type', 'project', 'branch', 'model'] as const)
    assert.ok(new Set(events.map((event) => event[field])).size >= 3, field);
});

const LINES = [
  { session_id: 'b', n: 3, client_timestamp: '2026-01-01T00:00:02Z' },
  { session_id: 'b', n: 4 },
  { session_id: 'a', n: 1, client_timestamp: '2026-01-01T00:00:00Z' },
  { session_id: 'a', n: 2, client_timestamp: '2026-01-01T01:00:00.500+01:00' },
  { session_id: 'a', n: 5, client_timestamp: '2026-01-02T00:00:00Z' },
];

test('a corpus is played in the order of its times, without its long pauses, and then once more', async () => {
  await inTree({}, async (root) => {
    const text = `${LINES.map((line) => JSON.stringify(line)).join('\n')}\n\n`;
    writeFileSync(join(root, 'plain'), text);
    writeFileSync(join(root, 'packed.gz'), gzipSync(text));
    for (const file of ['plain', 'packed.gz']) {
      const played = first(await corpusTimeline(join(root, file)), 7);
      assert.deepEqual(
        played.map(({ at_ms, event }) => [at_ms, Object(event).n, event.session_id]),
        [
          [0, 1, 'a'],
          [500, 2, 'a'],
          [2_000, 3, 'b'],
          [2_000, 4, 'b'],
          [4_000, 5, 'a'],
          [6_000, 1, 'a-2'],
          [6_500, 2, 'a-2'],
        ],
      );
    }
  });
});

test('what is no corpus is an error that says where', async () => {
  await inTree({ empty: '\n', broken: '{}\n{', list: '[]' }, async (root) => {
    for (const [file, message] of [
      ['empty', /empty holds no events/],
      ['broken', /broken, line 2 is not JSON/],
      ['list', /list, line 1 is no JSON object/],
    ] as const)
      await assert.rejects(corpusTimeline(join(root, file)), (error: CorpusError) => {
        assert.ok(error instanceof CorpusError);
        assert.match(error.message, message);
        return true;
      });
  });
});

const WRONG: readonly (readonly ['demo' | 'swap', readonly string[], RegExp])[] = [
  ['demo', ['x'], /unexpected argument x/],
  ['demo', ['--server', 'go'], /--server must be rs or ts/],
  ['demo', ['--speed', '0'], /--speed must be a number from 0.01/],
  ['demo', ['--port', '65536'], /--port must be a number/],
  ['demo', ['--port', '1.5'], /--port must be a whole number/],
  ['demo', ['--corpus', '/does/not/exist'], /does not exist/],
  ['demo', ['--swaps', '3'], /unknown flag --swaps/],
  ['swap', ['--interval', '0'], /--interval must be a number/],
  ['swap', ['--seconds=soon'], /--seconds must be a number/],
];
for (const [kind, argv, message] of WRONG) {
  test(`a wrong command line of ${kind} says what is wrong: ${argv.join(' ')}`, () => {
    const parsed = parseDemo(kind, argv, {});
    assert.equal(parsed.kind, 'wrong');
    assert.match((parsed as { problems: readonly string[] }).problems.join('\n'), message);
  });
}

test('flags are read, with and without the -- that pnpm passes on', () => {
  for (const before of [[], ['--']]) {
    const parsed = parseDemo('swap', [...before, '--no-open', '--seconds', '20', '--server=ts'], {});
    assert.equal(parsed.kind, 'run');
    const { options } = parsed as Extract<typeof parsed, { kind: 'run' }>;
    assert.deepEqual(
      [options.open, options.seconds, options.server, options.interval, options.speed, options.swaps],
      [false, 20, 'ts', 8, 20, null],
    );
  }
});
