/** Tests that a mapping with a wrong word, a cycle or an impossible value is refused with its place. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { compileAgents } from '../src/mapping.ts';
import { MappingError } from '../src/problems.ts';
import CASES from './bad-mappings.json' with { type: 'json' };

type Json = Record<string, unknown>;

interface Case {
  readonly file: 'hooks' | 'telemetry';
  readonly at: readonly string[];
  readonly value: unknown;
  readonly problems: readonly { readonly place: string; readonly text: string }[];
}

/** Servers in other languages read this file too. */
const { mappings, bad, strange, refused } = CASES as unknown as {
  mappings: { hooks: Json; telemetry: Json };
  bad: Case[];
  strange: unknown[];
  refused: number;
};
const TRANSCRIPTS: Json = {
  source: 'import',
  folder: { variable: 'AGENT_HOME', home: '.agent', below: 'sessions' },
  name: { join: ['type'] },
  time: 'time',
  keep: { session_id: { from: 'id', once: true } },
  first: { event_type: 'session_start' },
  last: { event_type: 'session_end' },
  records: { call: [{ begin: { call: 'call' } }, { each: 'items', event_type: 'response' }] },
};

function problemsOf(mappings: Json): readonly string[] {
  try {
    compileAgents({ agent: { label: 'Agent', agent_type: 'agent', ...mappings } });
    return [];
  } catch (error) {
    assert.ok(error instanceof MappingError, String(error));
    return error.problems;
  }
}

const transcriptsWith = (change: Json) => problemsOf({ transcripts: { ...TRANSCRIPTS, ...change } });

/** Returns a copy with another value at these keys. */
function replaced(value: unknown, [key, ...rest]: readonly string[], other: unknown): unknown {
  if (key === undefined) return other;
  if (Array.isArray(value))
    return value.map((item, at) => (String(at) === key ? replaced(item, rest, other) : item));
  return { ...(value as Json), [key]: replaced((value as Json)[key], rest, other) };
}

/** Returns the keys to every part of a value. */
function partsOf(value: unknown): string[][] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, part]) => [
    [key],
    ...partsOf(part).map((keys) => [key, ...keys]),
  ]);
}

test('the mappings of the contract have no problem', () => {
  const text = readFileSync(new URL('../../contract/agents.json', import.meta.url), 'utf8');
  assert.ok(compileAgents(JSON.parse(text)).length > 3);
  assert.deepEqual(problemsOf({ ...mappings, transcripts: TRANSCRIPTS }), []);
});

test('a bad mapping is refused with its place', () => {
  assert.ok(bad.length > 40);
  for (const { file, at, value, problems } of bad) {
    const found = problemsOf({ [file]: replaced(mappings[file], at, value) });
    const about = `${file} ${at.join('/')} ${JSON.stringify(value)}`;
    assert.equal(found.length, problems.length, `${about}: ${found.join('; ')}`);
    for (const [index, { place, text }] of problems.entries()) {
      const expected = `agents/agent/${file}.json: ${place === '' ? '' : `${place}: `}${text}`;
      assert.equal(found[index]!.slice(0, expected.length), expected, about);
    }
  }
  assert.deepEqual(problemsOf({ hook: {} }), ['agents/agent/agent.json: hook means nothing']);
});

test('a bad mapping of transcripts is refused with its place', () => {
  const file = 'agents/agent/transcripts.json: ';
  assert.deepEqual(transcriptsWith({ keep: {} }), [`${file}no rule keeps session_id`]);
  assert.deepEqual(transcriptsWith({ records: { call: { fields: {} } } }), [
    `${file}records/call: has no event_type`,
  ]);
});

test('any value in place of a part is a problem and no other error', () => {
  let count = 0;
  for (const file of ['hooks', 'telemetry'] as const)
    for (const keys of partsOf(mappings[file]))
      for (const value of strange)
        count += Number(problemsOf({ [file]: replaced(mappings[file], keys, value) }).length > 0);
  // The number is one for all languages.
  assert.equal(count, refused);
  for (const keys of partsOf(TRANSCRIPTS))
    for (const value of strange) problemsOf({ transcripts: replaced(TRANSCRIPTS, keys, value) });
});
