/**
 * Compares an answer with the expected one of a case: status, every header, the whole body, preceding 1xx answers.
 *
 * Knows nothing of connections.
 */
import { readFileSync } from 'node:fs';
import { decodeAnswer } from '@twin-ingest/testkit/codecs/codecs.ts';
import { formatOf } from '@twin-ingest/testkit/codecs/format.ts';
import type { Answer, Outgoing, Response } from '@twin-ingest/testkit/http/http-client.ts';
import { headerValues } from '@twin-ingest/testkit/http/http-parser.ts';
import { ROOT } from '@twin-ingest/testkit/servers/targets.ts';
import type { CaseAnswer } from './case.ts';
import { type Difference, HEADER_SETS, matchHeaders, matchJson, matchText } from './match.ts';
import { bytesOfHex } from './request.ts';
import { withWholeRows, withWholeRowTexts } from './stored-row.ts';

/** Returns the differences; empty for an expected answer. */
export function compareAnswer(expected: CaseAnswer, answer: Answer, sent: Outgoing): Difference[] {
  if (answer.kind !== 'response') {
    return [{ where: 'answer', expected: `status ${expected.status}`, got: describeMissing(answer) }];
  }
  const { response } = answer;
  const differences: Difference[] = [];
  if (response.status !== expected.status) {
    differences.push({ where: 'status', expected: String(expected.status), got: String(response.status) });
  }
  const headers = headerSet(expected);
  const absent = sent.method === 'HEAD' || response.status === 304;
  differences.push(...matchHeaders(headers, response.headers, { length: response.body.length, absent }));
  differences.push(...compareBody(expected, response));
  const interim = response.interim.map((head) => head.status);
  differences.push(...matchJson(expected.interim ?? [], interim, 'interim'));
  return differences;
}

function compareBody(expected: CaseAnswer, { body, headers }: Response): Difference[] {
  if (expected.decoded !== undefined) return compareDecoded(expected.decoded, body, headers);
  if (expected.body_hex !== undefined) {
    const hex = bytesOfHex(expected.body_hex).toString('hex');
    return matchText(hex, body.toString('hex'));
  }
  if (expected.body_base64 !== undefined) return matchText(expected.body_base64, body.toString('base64'));
  if (expected.body_file !== undefined) {
    const same = readFileSync(`${ROOT}${expected.body_file}`).equals(body);
    return same
      ? []
      : [{ where: 'body', expected: `the bytes of ${expected.body_file}`, got: body.toString() }];
  }
  if (expected.body !== undefined) return matchText(withWholeRowTexts(expected.body), body.toString());
  try {
    return matchJson(withWholeRows(expected.json), JSON.parse(body.toString()));
  } catch {
    return [{ where: 'body', expected: 'JSON', got: body.toString() }];
  }
}

function compareDecoded(expected: unknown, body: Buffer, headers: Response['headers']): Difference[] {
  const type = headerValues(headers, 'content-type')[0] ?? '';
  const format = formatOf(type);
  if (format === undefined) return [{ where: 'body', expected: 'a format of the contract', got: type }];
  const message = isSnapshot(expected) ? 'snapshot' : 'page';
  try {
    return matchJson(withWholeRows(expected, format), decodeAnswer(format, body, message));
  } catch (error) {
    return [{ where: 'body', expected: format, got: `${error}: ${body.toString('hex')}` }];
  }
}

/** Returns whether Protobuf bytes are a snapshot. The bytes do not name their message type, but the case does. */
function isSnapshot(expected: unknown): boolean {
  return typeof expected === 'object' && expected !== null && 'topic' in expected;
}

function headerSet(expected: CaseAnswer): Readonly<Record<string, string | readonly string[]>> {
  const named = expected.headers ?? (expected.closed ? 'json-close' : 'json');
  const base = typeof named === 'string' ? HEADER_SETS[named] : named;
  return { ...base, ...expected['headers+'] };
}

/** Describes the end of an exchange without an answer. */
export function describeMissing(answer: Exclude<Answer, { kind: 'response' }>): string {
  if (answer.kind === 'silent') return 'the connection was closed without an answer';
  if (answer.kind === 'late') return `no whole answer within ${answer.afterMs} ms`;
  return `no HTTP answer: ${answer.problem}`;
}
