/**
 * Tests OTLP refusals that depend on time and on the writer: a full queue, busy storage, a stalled body. Each is a
 * `google.rpc.Status` in the media type of the request, and the request can be sent again.
 */
import assert from 'node:assert/strict';
import { event, type Reply } from '@twin-ingest/testkit/http/api-client.ts';
import { Connection, compose } from '@twin-ingest/testkit/http/http-client.ts';
import { headerValues } from '@twin-ingest/testkit/http/http-parser.ts';
import { otlpRequest } from '@twin-ingest/testkit/otlp/description.ts';
import type { OtlpAnswer } from '@twin-ingest/testkit/otlp/protobuf.ts';
import { eventsQueued } from '../../src/conditions.ts';
import { OTLP_TYPES, type OtlpForm } from '../../src/otlp-case.ts';
import { FORMS, otlpBody, postOtlp, requireAnswer, telemetryOf } from '../../src/otlp-client.ts';
import { NOTHING_COUNTED } from '../../src/otlp-telemetry.ts';
import type { ScenarioContext } from '../../src/scenario.ts';
import { holdWriteLock } from '../../src/write-lock.ts';

const PATH = '/v1/logs';
const OVERLOADED: OtlpAnswer = { code: 8, message: 'overloaded: Server is overloaded' };
const BUSY: OtlpAnswer = { code: 14, message: 'storage_busy: Storage is busy' };
const TIMEOUT: OtlpAnswer = { code: 4, message: 'request_timeout: The request took too long' };

/** Returns one prompt in its own session. */
function bodyOf(form: OtlpForm): Buffer {
  const attributes = { 'session.id': form, 'event.name': 'user_prompt' };
  return otlpBody(form, PATH, otlpRequest({ scope: 'com.anthropic.claude_code', logs: [{ attributes }] }));
}

export async function fullQueue(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--queue-events', '10', '--max-batch-events', '10'] });
  const client = context.client(server);
  const lock = holdWriteLock(context.db());
  context.atEnd(() => lock.release());
  const waiting = [1, 2].map(() =>
    client.post('/api/events/batch', { events: Array.from({ length: 5 }, () => event()) }),
  );
  await eventsQueued(client, 10);
  const replies = await Promise.all(FORMS.map((form) => postOtlp(client, form, PATH, bodyOf(form))));
  for (const [index, form] of FORMS.entries()) requireRetry(replies[index]!, form, 429, OVERLOADED);
  lock.release();
  await Promise.all(waiting);
  for (const form of FORMS) requireAnswer(await postOtlp(client, form, PATH, bodyOf(form)), form, 200, {});
  const { events } = (await client.get('/api/events?source=otel')).json<{ events: unknown[] }>();
  assert.equal(events.length, 2, 'what was refused is stored once when it is sent again');
  await requireCounted(client, 2);
}

export async function storageBusy(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const client = context.client(server);
  const lock = holdWriteLock(context.db());
  context.atEnd(() => lock.release());
  const replies = await Promise.all(FORMS.map((form) => postOtlp(client, form, PATH, bodyOf(form))));
  for (const [index, form] of FORMS.entries()) requireRetry(replies[index]!, form, 503, BUSY);
  assert.deepEqual(await telemetryOf(client), NOTHING_COUNTED, 'nothing of it counts');
  lock.release();
  for (const form of FORMS) requireAnswer(await postOtlp(client, form, PATH, bodyOf(form)), form, 200, {});
  await requireCounted(client, 2);
}

export async function stalledBody(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  await Promise.all(
    FORMS.map(async (form) => {
      const connection = await Connection.open(server.port);
      context.atEnd(() => connection.close());
      const headers = [
        ['host', `127.0.0.1:${server.port}`],
        ['content-type', OTLP_TYPES[form]],
        ['content-length', '100'],
      ] as const;
      const answer = await connection.exchange(compose('POST', PATH, headers, Buffer.alloc(0)), 20_000);
      assert.equal(answer.kind, 'response');
      if (answer.kind !== 'response') return;
      const { status, headers: received, body } = answer.response;
      requireAnswer({ status, headers: received, body } as Reply, form, 408, TIMEOUT);
      assert.ok(await connection.closedWithin(5_000));
    }),
  );
}

function requireRetry(reply: Reply, form: OtlpForm, status: number, message: OtlpAnswer): void {
  requireAnswer(reply, form, status, message);
  assert.deepEqual(headerValues(reply.headers, 'retry-after'), ['1']);
}

async function requireCounted(client: Parameters<typeof telemetryOf>[0], stored: number): Promise<void> {
  const { agents } = (await telemetryOf(client)) as { agents: { logs: number; stored: number }[] };
  assert.deepEqual(
    agents.map((agent) => [agent.logs, agent.stored]),
    [[stored, stored]],
    'a request that was refused does not count',
  );
}
