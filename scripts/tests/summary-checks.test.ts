/** Tests `checkSummaries` on made-up summaries. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSummaries } from '../checks/summaries.ts';
import type { Json } from '../contract-facts.ts';

const FILE = 'agents/agent/summaries.json';
const SUMMARIES = { object_paths: [], known: [], hooks: { End: ['{a.b|c}', 'The end'] }, other: ['A hook'] };

function summaryProblems(summaries: Json | undefined): string[] {
  const mapping = { records: { End: { event_type: 'tool_use' }, '*': { event_type: 'plan_step' } } };
  return checkSummaries(FILE, mapping, new Map([[FILE, summaries]]));
}

test('valid summaries have no problem', () => {
  assert.deepEqual(summaryProblems(SUMMARIES), []);
});

test('a hook without a summary, and a summary that may be empty, are problems', () => {
  assert.deepEqual(summaryProblems({ ...SUMMARIES, hooks: {} }), [
    'agents/agent/summaries.json: End has no summary',
  ]);
  assert.deepEqual(summaryProblems({ ...SUMMARIES, hooks: { End: ['{a..b}', '{a}'] } }), [
    'agents/agent/summaries.json: End: {a..b} is no path',
    'agents/agent/summaries.json: End: the last template needs something from the payload',
  ]);
  assert.deepEqual(summaryProblems({ ...SUMMARIES, known: 'x', hooks: { End: 'x' } }), [
    'agents/agent/summaries.json: known is no list of texts',
    'agents/agent/summaries.json: End is no list of templates',
  ]);
  assert.deepEqual(summaryProblems(undefined), ['agents/agent/summaries.json is not there']);
});
