/** Tests one event as bytes, and which bytes change when it is sent again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseTemplate, type Template, TemplateError } from '../src/load/template.ts';

const ZEROS = '0'.repeat(36);
const template = (line: string) => parseTemplate(line, () => 0);
const text = (made: Template) => made.bytes.toString();

test('both ids become places of the width of a UUID, and every other byte stays', () => {
  const metadata = '{ "b":1.50,\t"a":12345678901234567890, "session_id":"x", "t":"é\\u0041\\ud800 \\"" }';
  const made = template(`{"event_id":"e","metadata":${metadata} ,"session_id" : "ses","agent_type":"a"}`);
  assert.equal(
    text(made),
    `{"event_id":"${ZEROS}","metadata":${metadata} ,"session_id" : "${ZEROS}","agent_type":"a"}`,
  );
  for (const at of [made.idAt, made.sessionAt]) {
    assert.equal(made.bytes.toString('latin1', at - 1, at + 37), `"${ZEROS}"`);
  }
});

test('of a key given twice the last is the place, whatever its spelling', () => {
  const made = template('{"session_id":"a","event_id":"b","\\u0065vent_id":"c","session_id":"d"}');
  assert.equal(
    text(made),
    `{"session_id":"a","event_id":"b","\\u0065vent_id":"${ZEROS}","session_id":"${ZEROS}"}`,
  );
});

test('an event_id that counts as absent has no place', () => {
  for (const id of ['null', '""', '" \\t"', '"\\u00a0\\u0020"', '"\u2003"']) {
    const line = `{"session_id":"${ZEROS}","event_id":${id}}`;
    const made = template(line);
    assert.equal(made.idAt, -1, id);
    assert.equal(text(made), line);
  }
  assert.equal(template('{"session_id":"s","event_id":"x","event_id":null}').idAt, -1);
});

test('sessions are reported apart by their value, not by their spelling', () => {
  const seen: string[] = [];
  for (const session of ['a', '\\u0061', 'b'])
    parseTemplate(`{"session_id":"${session}"}`, (id) => seen.push(id));
  assert.deepEqual(seen, ['a', 'a', 'b']);
});

test('a line that is no event says why', () => {
  for (const line of ['{', '[]', 'null', '{"session_id":1}', '{"session_id":"a","session_id":[]}'])
    assert.throws(() => template(line), TemplateError, line);
});
