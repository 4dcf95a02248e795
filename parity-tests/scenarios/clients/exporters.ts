/**
 * Tests that requests of OpenTelemetry's exporters for Node become events: in JSON and in Protobuf, compressed or
 * not, with the token in a header. The exporters send chunked bodies, without `Content-Length`.
 */
import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Attributes, HrTime } from '@opentelemetry/api';
import { DiagLogLevel, diag } from '@opentelemetry/api';
import type { CompressionAlgorithm } from '@opentelemetry/otlp-exporter-base';
import type { ReadableLogRecord } from '@opentelemetry/sdk-logs';
import { TARGET_NAMES } from '@twin-ingest/testkit/servers/targets.ts';
import { httpRelay } from '../../src/http-relay.ts';
import type { OtlpForm } from '../../src/otlp-case.ts';
import { FORMS, telemetryOf } from '../../src/otlp-client.ts';
import {
  COMPRESSIONS,
  exported,
  LOG_EXPORTERS,
  logRecords,
  metricsOf,
  ProtobufMetrics,
  spansOf,
  TRACE_EXPORTERS,
} from '../../src/otlp-exporters.ts';
import { type ScenarioContext, until } from '../../src/scenario.ts';
import { wholeRow } from '../../src/stored-row.ts';

const TOKEN = 'a-token-of-more-than-sixteen-characters';
const CLAUDE_CODE = 'com.anthropic.claude_code';
type Row = Readonly<Record<string, unknown>>;

interface Way {
  readonly form: OtlpForm;
  readonly compression: CompressionAlgorithm;
}
const WAYS: readonly Way[] = FORMS.flatMap((form) =>
  COMPRESSIONS.map((compression) => ({ form, compression })),
);

export async function everyExporter(context: ScenarioContext): Promise<void> {
  const file = join(context.folder, 'token');
  writeFileSync(file, TOKEN);
  chmodSync(file, 0o600);
  const server = await context.start({ flags: ['--token-file', file] });
  const relay = await httpRelay(server.url);
  context.atEnd(relay.close);
  const client = context.client(server);
  const headers = { Authorization: `Bearer ${TOKEN}` };
  const get = async <T>(path: string): Promise<T> => {
    const reply = await client.send('GET', path, undefined, [['authorization', headers.Authorization]]);
    return reply.json<T>();
  };
  for (const { form, compression } of WAYS) {
    const session = `${form}-${compression}`;
    const options = { headers, compression };
    const small = { ...request(session), 'event.sequence': 8, cost_usd: 1e-7 };
    const logs = logRecords(CLAUDE_CODE, [request(session), small]);
    const spans = spansOf('an-application', 'chat a-model', [chat(session)]);
    const results = [
      await exported(new LOG_EXPORTERS[form]({ ...options, url: `${relay.url}/v1/logs` }), logs),
      await exported(new TRACE_EXPORTERS[form]({ ...options, url: `${relay.url}/v1/traces` }), spans),
    ];
    assert.deepEqual(results, [{ code: 0 }, { code: 0 }], session);
    const [first, second, third, ...more] = (
      await get<{ events: Row[] }>(`/api/events?order=asc&session_id=${session}`)
    ).events;
    assert.deepEqual(more, [], session);
    const [{ hrTime }, { hrTime: next }] = logs as [ReadableLogRecord, ReadableLogRecord];
    requireRow(first, { ...LOG_ROW, session_id: session }, request(session), hrTime);
    requireRow(second, { ...LOG_ROW, session_id: session, cost_usd: 1e-7 }, small, next);
    const { traceId: trace_id, spanId: span_id } = spans[0]!.spanContext();
    const row = { ...SPAN_ROW, session_id: session, call_id: span_id };
    requireRow(third, row, { ...chat(session), trace_id, span_id }, spans[0]!.startTime);
  }
  for (const compression of COMPRESSIONS) {
    const exporter = new ProtobufMetrics({ headers, compression, url: `${relay.url}/v1/metrics` });
    assert.deepEqual(await exported(exporter, await metricsOf(CLAUDE_CODE)), { code: 0 });
  }
  const { telemetry } = await get<{ telemetry: { agents: Row[] } }>('/api/health');
  assert.deepEqual(
    telemetry.agents.map(({ logs, spans, points, stored }) => [logs, spans, points, stored]),
    [
      [8, 0, 6, 8],
      [0, 4, 0, 4],
    ],
  );
  const refused = new LOG_EXPORTERS.json({ url: `${relay.url}/v1/logs` });
  const { error } = await exported(refused, logRecords(CLAUDE_CODE, [request('none')]));
  assert.equal((error as { code?: number }).code, 401, 'without the token');
  assert.deepEqual(
    relay.passed.filter(({ encoding }) => encoding === 'gzip').map(({ path }) => path),
    ['/v1/logs', '/v1/traces', '/v1/logs', '/v1/traces', '/v1/metrics'],
  );
}

/** Returns the attributes of a record, with an attribute of each type of the SDK. */
const request = (session: string): Attributes => ({
  ...{ 'event.name': 'api_request', 'session.id': session, 'event.sequence': 7, model: 'a-model' },
  ...{ input_tokens: 12, output_tokens: 345, cost_usd: 0.0125, duration_ms: '1500', fast: true },
  ...{ tags: ['a', 'ü "\n'], limits: [1, 2.5], 'user.email': 'someone@example.com' },
});
const LOG_ROW: Row = {
  ...{ agent_type: 'claude_code', event_type: 'llm_response', source: 'otel' },
  ...{ source_event: 'claude_code.api_request', model: 'a-model', duration_ms: 1500 },
  ...{ tokens_in: 12, tokens_out: 345, cost_usd: 0.0125 },
};

const chat = (session: string): Attributes => ({
  ...{ 'gen_ai.operation.name': 'chat', 'gen_ai.conversation.id': session, 'gen_ai.agent.name': 'an-agent' },
  ...{ 'gen_ai.request.model': 'a-model', 'gen_ai.usage.input_tokens': 9, 'gen_ai.usage.output_tokens': 3 },
});
const SPAN_ROW: Row = {
  ...{ agent_type: 'an-agent', event_type: 'llm_response', source: 'otel', source_event: 'chat' },
  ...{ model: 'a-model', tokens_in: 9, tokens_out: 3 },
};

/** Checks the whole row; ids and the time of storage may have any value. */
function requireRow(row: Row | undefined, expected: Row, sent: Row, time: HrTime): void {
  const { id, event_id, created_at, duration_ms, metadata } = row!;
  const { start, end } = metadata as Row;
  const { 'user.email': _, ...kept } = sent;
  const client_timestamp = new Date(time[0] * 1_000 + Math.floor(time[1] / 1e6)).toISOString();
  assert.deepEqual(
    row,
    wholeRow({
      ...{ id, event_id, created_at, duration_ms, client_timestamp },
      ...expected,
      metadata: start === undefined ? kept : { ...kept, start, end },
    }),
  );
}

/** Runs once with both servers, because the exporters' log level is global to the process. */
export async function partialSuccess(context: ScenarioContext): Promise<void> {
  const warnings: string[] = [];
  const ignore = (): void => {};
  const warn = (...words: readonly unknown[]): void => void warnings.push(words.join(' '));
  diag.setLogger({ error: ignore, warn, info: ignore, debug: ignore, verbose: ignore }, DiagLogLevel.WARN);
  context.atEnd(() => diag.disable());
  for (const target of TARGET_NAMES) {
    const server = await context.start({ target, db: context.db(`${target}.db`) });
    for (const form of FORMS) {
      warnings.length = 0;
      const logs = [...logRecords('another-program', [{}, {}]), ...logRecords(CLAUDE_CODE, [request(form)])];
      const logged = await exported(new LOG_EXPORTERS[form]({ url: `${server.url}/v1/logs` }), logs);
      const spans = spansOf('another-program', 'a span', [{}]);
      const traced = await exported(new TRACE_EXPORTERS[form]({ url: `${server.url}/v1/traces` }), spans);
      assert.deepEqual([logged, traced], [{ code: 0 }, { code: 0 }], 'an exporter does not send them again');
      await until(() => warnings.length === 2, `two warnings (${target}, ${form}): ${warnings}`);
      const [count, one] = form === 'json' ? ['"2"', '"1"'] : ['2', '1'];
      assert.deepEqual(warnings, [
        `Received Partial Success response: {"rejectedLogRecords":${count},"errorMessage":"2 unknown_agent"}`,
        `Received Partial Success response: {"rejectedSpans":${one},"errorMessage":"1 unknown_agent"}`,
      ]);
    }
    const { agents } = (await telemetryOf(context.client(server))) as { agents: { ignored: Row }[] };
    assert.deepEqual(
      agents.map(({ ignored }) => ignored),
      [{}, { unknown_agent: 6 }],
    );
  }
}
