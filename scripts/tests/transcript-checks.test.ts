/** Tests `checkTranscripts` on a made-up mapping: a valid one, and one with wrong words. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkTranscripts } from '../checks/transcripts.ts';
import type { Fields } from '../contract/fields.ts';
import type { Json } from '../contract-facts.ts';

const VOCABULARY = { event_types: ['tool_use', 'session_end'], sources: ['hook', 'otel'] };
const FIELDS = { fields: { session_id: {}, tokens_in: {} } } as unknown as Fields;
const MAPPING = {
  about: 'An agent',
  agent_type: 'agent',
  captured: '1.0',
  not_captured: ['other'],
  folder: { variable: 'HOME_OF_IT', home: '.agent', below: 'sessions' },
  name_keys: ['type'],
  time_key: 'time',
  context: [{ field: 'session_id', key: 'id', lines: ['call'], first: true }],
  start: { event_type: 'tool_use', match: { sources: ['hook'], fields: ['tokens_in'] } },
  end: { event_type: 'session_end' },
  lines: {
    call: [
      { call: 'begin', key: 'id' },
      { event_type: 'tool_use', same: { kind: 'call', keys: ['id'] }, unless_seen: 'other' },
    ],
    other: 'noise',
  },
};

const problemsOf = (mapping: Json) => checkTranscripts('transcripts/agent.json', mapping, VOCABULARY, FIELDS);

test('a valid mapping of transcripts has no problem', () => {
  assert.deepEqual(problemsOf(MAPPING), []);
});

test('wrong words of a mapping of transcripts are reported with their places', () => {
  const broken = {
    ...MAPPING,
    colour: 'red',
    not_captured: ['gone'],
    context: [{ field: 'colour', key: 'id', lines: ['gone'], take: 'half' }],
    end: { event_type: 'finish' },
    lines: {
      call: [
        {
          ...{ call: 'middle', event_type: 'tool_use', unless_seen: 'gone', since: { name: 'gone' } },
          ...{
            same: { keys: [7] },
            match: { sources: ['mail'] },
            fields: [{ field: 'colour', keys: 7, plus: [] }],
          },
        },
      ],
      other: 'silence',
    },
  };
  const at = (text: string) => `transcripts/agent.json: ${text}`;
  assert.deepEqual(problemsOf(broken), [
    at('colour means nothing'),
    at('not_captured "gone" is none of call other'),
    at('context: field "colour" is none of session_id tokens_in'),
    at('context: take "half" is none of last_segment'),
    at('context: lines "gone" is none of call other'),
    at('end: event_type "finish" is none of tool_use session_end'),
    at('call: call "middle" is none of begin end'),
    at('call: unless_seen "gone" is none of call other'),
    at('call: since names no line'),
    at('call: same has no kind'),
    at('call: same is no list of texts'),
    at('call: match "mail" is none of hook otel'),
    at('call: plus means nothing'),
    at('call: field "colour" is none of session_id tokens_in'),
    at('call: keys is no list of texts'),
    at('other is neither noise nor an array'),
  ]);
});
