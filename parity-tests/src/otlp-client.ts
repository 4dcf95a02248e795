/** Sends OTLP requests in either media type, and reads a server's answers and state. */
import assert from 'node:assert/strict';
import type { ApiClient, Reply } from '@twin-ingest/testkit/http/api-client.ts';
import { headerValues } from '@twin-ingest/testkit/http/http-parser.ts';
import { type OtlpAnswer, otlpAnswer, otlpProtobuf } from '@twin-ingest/testkit/otlp/protobuf.ts';
import { OTLP_TYPES, type OtlpForm } from './otlp-case.ts';
import type { Members } from './otlp-values.ts';

export const FORMS: readonly OtlpForm[] = ['json', 'protobuf'];

export function otlpBody(form: OtlpForm, path: string, request: Members): Buffer {
  return form === 'json' ? Buffer.from(JSON.stringify(request)) : otlpProtobuf(path, request);
}

export function postOtlp(client: ApiClient, form: OtlpForm, path: string, body: Buffer): Promise<Reply> {
  return client.send('POST', path, body, [['content-type', OTLP_TYPES[form]]], 60_000);
}

/** Checks that the answer is this message in the media type of the request, byte for byte. */
export function requireAnswer(
  reply: Reply,
  form: OtlpForm,
  status: number,
  message: OtlpAnswer,
  what = 'the answer',
): void {
  const expected = form === 'json' ? Buffer.from(JSON.stringify(message)) : otlpAnswer(message);
  const type = form === 'json' ? 'application/json; charset=utf-8' : OTLP_TYPES.protobuf;
  const [got, wanted] = [reply.body, expected].map((body) => body.toString('latin1'));
  const difference = `${what} is ${reply.status} ${got}, not ${status} ${wanted}`;
  assert.ok(reply.status === status && got === wanted, difference);
  assert.deepEqual(headerValues(reply.headers, 'content-type'), [type]);
}

export async function telemetryOf(client: ApiClient): Promise<unknown> {
  return (await client.get('/api/health')).json<{ telemetry: unknown }>().telemetry;
}
