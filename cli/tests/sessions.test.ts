/** Tests the timelines of a demo: realistic sessions, corpora in order, and command lines. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { inTree } from '@twin-ingest/testkit/files/tree.ts';
import { plainEvents } from '../src/demo/agents/plain.ts';
import { CorpusError, corpusTimeline } from '../src/demo/corpus.ts';
import { PAST_MS, pastOf, presentOf } from '../src/demo/day.ts';
import { parseDemo } from '../src/demo/options.ts';
import { AGENT_NAMES } from '../src/demo/steps.ts';
import type { Timed, Timeline } from '../src/demo/timeline.ts';

function first<T>(timeline: Timeline<T>, count: number): Timed<T>[] {
  const found: Timed<T>[] = [];
  for (const timed of timeline) if (found.push(timed) === count) return found;
  return found;
}

test('a day depends only on its seed', () => {
  const day = (seed: number) => [...pastOf(seed), ...first(presentOf(seed), 500)];
  assert.deepEqual(day(1), day(1));
  assert.notDeepEqual(day(1), day(2));
});

for (const [name, steps] of [
  ['past', pastOf(1)],
  ['present', first(presentOf(1), 3_000)],
] as const) {
  test(`the ${name} has sessions of every agent, each in order`, () => {
    assert.ok(steps.every(({ at_ms }, i) => i === 0 || at_ms >= steps[i - 1]!.at_ms));
    const sessions = Map.groupBy(steps, ({ item }) => item.session.id);
    for (const [id, own] of sessions) {
      const kinds = own.map(({ item }) => item.step.kind);
      assert.equal(kinds[0], 'start', id);
      assert.equal(kinds.lastIndexOf('start'), 0, id);
      assert.ok(!kinds.slice(0, -1).includes('end'), id);
      for (const { item } of own) {
        if (item.step.kind !== 'result') continue;
        const { call } = item.step;
        const begun = own.findIndex((one) => one.item.step.kind === 'call' && one.item.step.call === call);
        assert.ok(begun >= 0 && begun < own.findIndex((one) => one.item === item), id);
      }
    }
    for (const agent of AGENT_NAMES) {
      const kinds = new Set(
        steps.filter(({ item }) => item.session.agent === agent).map(({ item }) => item.step.kind),
      );
      for (const kind of ['start', 'prompt', 'reply', 'call', 'result', 'turn end'] as const)
        assert.ok(kinds.has(kind), `${agent}: ${kind}`);
    }
    const all = new Set(steps.map(({ item }) => item.step.kind));
    for (const kind of ['failure', 'ask', 'subagent', 'subagent end', 'end'] as const)
      assert.ok(all.has(kind), kind);
    for (const field of ['project', 'branch', 'model'] as const)
      assert.ok(new Set(steps.map(({ item }) => item.session[field])).size >= 4, field);
  });
}

test('the past ends before the present starts, with one session that waits for its user', () => {
  const past = pastOf(1);
  assert.ok(past.at(-1)!.at_ms < PAST_MS);
  const newest = new Map(past.map(({ item }) => [item.session.id, item]));
  const waiting = [...newest.values()].filter(({ step }) => step.kind === 'ask');
  assert.deepEqual(
    waiting.map(({ session }) => session.agent),
    ['claude_code'],
  );
});

test('the present has human pace and several concurrent agents', () => {
  const steps = first(presentOf(1), 2_000);
  const rate = steps.length / (steps.at(-1)!.at_ms / 1000);
  assert.ok(rate > 0.5 && rate < 5, `${rate} steps a second`);
  assert.ok(new Set(steps.slice(0, 60).map(({ item }) => item.session.id)).size >= 4);
});

test('plain events have the calls, the tokens and the cost of the steps', () => {
  const steps = first(presentOf(1), 1_000).map(({ item }) => item.step);
  const events = first(plainEvents(first(presentOf(1), 1_000)), 1_000).map(({ item }) => item);
  const kindsOf = (kind: string) => steps.filter((step) => step.kind === kind).length;
  const typesOf = (type: string) => events.filter(({ event_type }) => event_type === type);
  assert.equal(typesOf('tool_use').length, kindsOf('result'));
  assert.equal(typesOf('llm_response').length, kindsOf('reply'));
  assert.ok(typesOf('llm_response').every(({ tokens_in }) => Number(tokens_in) > 0));
  assert.ok(typesOf('llm_response').some(({ cost_usd }) => Number(cost_usd) > 0));
});

const LINES = [
  { session_id: 'b', n: 3, client_timestamp: '2026-01-01T00:00:02Z' },
  { session_id: 'b', n: 4 },
  { session_id: 'a', n: 1, client_timestamp: '2026-01-01T00:00:00Z' },
  { session_id: 'a', n: 2, client_timestamp: '2026-01-01T01:00:00.500+01:00' },
  { session_id: 'a', n: 5, client_timestamp: '2026-01-02T00:00:00Z' },
];

test('a corpus is played in time order without long pauses, and then repeated', async () => {
  await inTree({}, async (root) => {
    const text = `${LINES.map((line) => JSON.stringify(line)).join('\n')}\n\n`;
    writeFileSync(join(root, 'plain'), text);
    writeFileSync(join(root, 'packed.gz'), gzipSync(text));
    for (const file of ['plain', 'packed.gz']) {
      const played = first(await corpusTimeline(join(root, file)), 7);
      assert.deepEqual(
        played.map(({ at_ms, item }) => [at_ms, Object(item).n, item.session_id]),
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

test('a malformed corpus is an error that names the line', async () => {
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
  test(`a wrong command line of ${kind} is explained: ${argv.join(' ')}`, () => {
    const parsed = parseDemo(kind, argv, {});
    assert.equal(parsed.kind, 'wrong');
    assert.match((parsed as { problems: readonly string[] }).problems.join('\n'), message);
  });
}

test("flags are parsed with and without pnpm's --", () => {
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
