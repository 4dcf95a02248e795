/**
 * Tests that exporters send a batch again after 429 and 503, once `Retry-After` has passed, after a lost answer, and
 * when no server listens. Each record is then stored once.
 */
import assert from 'node:assert/strict';
import { type ApiClient, event } from '@twin-ingest/testkit/http/api-client.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import { eventsQueued } from '../../src/conditions.ts';
import { httpRelay } from '../../src/http-relay.ts';
import { FORMS, telemetryOf } from '../../src/otlp-client.ts';
import {
  type ExportResult,
  exported,
  LOG_EXPORTERS,
  logRecords,
  spansOf,
  TRACE_EXPORTERS,
} from '../../src/otlp-exporters.ts';
import { type ScenarioContext, until } from '../../src/scenario.ts';
import { holdWriteLock } from '../../src/write-lock.ts';

/** Smallest time before a retry: the `Retry-After` of one second, minus the tolerance of Node's timers. */
const RETRY_MS = 1_000 - 20;
const EXPORTS = FORMS.length * 2;

export async function afterOverload(context: ScenarioContext): Promise<void> {
  const server = await context.start({ flags: ['--queue-events', '10', '--max-batch-events', '10'] });
  const client = context.client(server);
  const lock = holdWriteLock(context.db());
  context.atEnd(() => lock.release());
  const events = Array.from({ length: 5 }, () => event({ agent_type: 'another' }));
  const waiting = [1, 2].map(() => client.post('/api/events/batch', { events }));
  await eventsQueued(client, 10);
  await requireRetries(context, server, 429, () => lock.release());
  await Promise.all(waiting);
}

export async function afterBusyStorage(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const lock = holdWriteLock(context.db());
  context.atEnd(() => lock.release());
  await requireRetries(context, server, 503, () => lock.release());
}

async function requireRetries(
  context: ScenarioContext,
  server: RunningServer,
  status: number,
  release: () => void,
): Promise<void> {
  const relay = await httpRelay(server.url);
  context.atEnd(relay.close);
  const results = exportAll(relay);
  await until(() => relay.passed.length >= EXPORTS, `${EXPORTS} answers`, 20_000);
  release();
  assert.deepEqual(await results, Array(EXPORTS).fill({ code: 0 }));
  const accepted = relay.passed.filter(({ status }) => status === 200);
  const refused = relay.passed.filter(({ status }) => status !== 200);
  assert.equal(accepted.length, EXPORTS);
  assert.ok(refused.length >= EXPORTS, `${refused.length} refusals`);
  for (const one of refused) assert.equal(one.status, status);
  const waited =
    Math.min(...accepted.map(({ at_ms }) => at_ms)) - Math.min(...refused.map(({ at_ms }) => at_ms));
  assert.ok(waited >= RETRY_MS, `the first retry comes after ${waited} ms`);
  await requireCounts(context.client(server), 0);
}

/** The relay drops the answers: the server has stored the records, but the exporter does not know it. */
export async function afterLostAnswers(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  const relay = await httpRelay(server.url, EXPORTS);
  context.atEnd(relay.close);
  assert.deepEqual(await exportAll(relay), Array(EXPORTS).fill({ code: 0 }));
  assert.deepEqual(
    relay.passed.map((one) => one.status),
    Array(2 * EXPORTS).fill(200),
  );
  await requireCounts(context.client(server), 1);
}

/** The exporter retries while the server stops and starts again. */
export async function afterRestart(context: ScenarioContext): Promise<void> {
  const server = await context.start();
  assert.deepEqual(await server.stop(), { code: 0, signal: null });
  const results = exportAll(server);
  const next = await context.start({ flags: ['--port', String(server.port)] });
  assert.deepEqual(await results, Array(EXPORTS).fill({ code: 0 }));
  await requireCounts(context.client(next), 0);
}

/** Exports a log record and a span in each form, each in its own session. */
function exportAll({ url }: { readonly url: string }, timeoutMillis = 60_000): Promise<ExportResult[]> {
  return Promise.all(
    FORMS.flatMap((form) => {
      const logs = logRecords('com.anthropic.claude_code', [
        { 'event.name': 'user_prompt', 'session.id': `logs-${form}` },
      ]);
      const spans = spansOf('an-application', 'chat', [
        { 'gen_ai.operation.name': 'chat', 'gen_ai.conversation.id': `spans-${form}` },
      ]);
      return [
        exported(new LOG_EXPORTERS[form]({ url: `${url}/v1/logs`, timeoutMillis }), logs),
        exported(new TRACE_EXPORTERS[form]({ url: `${url}/v1/traces`, timeoutMillis }), spans),
      ];
    }),
  );
}

/** Checks that each record is stored once. `repeats` is the number of repeated requests. */
async function requireCounts(client: ApiClient, repeats: number): Promise<void> {
  const { events } = (await client.get('/api/events?source=otel')).json<{
    events: { session_id: string }[];
  }>();
  const sessions = events.map((row) => row.session_id).sort();
  assert.deepEqual(sessions, FORMS.flatMap((form) => [`logs-${form}`, `spans-${form}`]).sort());
  const { agents } = (await telemetryOf(client)) as { agents: { stored: number; duplicates: number }[] };
  assert.deepEqual(
    agents.map(({ stored, duplicates }) => [stored, duplicates]),
    Array(2).fill([FORMS.length, repeats * FORMS.length]),
  );
}
