/**
 * Tests made-up turns with the size of real ones: 503 spans in 1.2 MB of JSON, 620 KB of metrics, and 51 logs.
 * Several turns at a time cost bounded memory and processor time, and delay no other request. Other load may delay a
 * request too, so the server's processor time during a `/livez` counts.
 */
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import { type OtlpGroup, otlpRequest } from '@twin-ingest/testkit/otlp/description.ts';
import { OTLP_TYPES, type OtlpForm } from '../../src/otlp-case.ts';
import { FORMS, otlpBody, requireAnswer, telemetryOf } from '../../src/otlp-client.ts';
import type { Members } from '../../src/otlp-values.ts';
import { memoryMb, processorMs, requireProc } from '../../src/process-figures.ts';
import type { ScenarioContext } from '../../src/scenario.ts';

const SPANS = 503;
const LOGS = 51;
const TRACE_BYTES = 1_200_000;
const METRIC_BYTES = 620_000;
const START = 1_771_438_001_231;
const TURNS = 24;
const TURNS_AT_A_TIME = 4;
/** Several times the time that the slower server needs on a busy machine. */
const MOST_MS_PER_TURN = 500;
const MOST_GROWN_MB = 300;
const MOST_LIVEZ_MS = 250;

interface Sent {
  readonly path: string;
  readonly form: OtlpForm;
  readonly body: Buffer;
  readonly isZipped: boolean;
}

export async function turns(context: ScenarioContext): Promise<void> {
  requireProc(context);
  const server = await context.start();
  const client = context.client(server);
  const warm = turnOf(0);
  for (const sent of warm) await send(client, sent);
  const all = Array.from({ length: TURNS }, (_, turn) => turnOf(turn + 1));
  const [beforeMb, beforeMs] = [memoryMb(server.pid, 'VmRSS'), processorMs(server.pid)];
  let isDone = false;
  const livez = longestWait(context.client(server), server.pid, () => isDone);
  while (all.length > 0) {
    const some = all.splice(0, TURNS_AT_A_TIME);
    await Promise.all(some.flat().map((sent) => send(client, sent)));
  }
  isDone = true;
  const slowestMs = await livez;
  const grownMb = memoryMb(server.pid, 'VmHWM') - beforeMb;
  const turnMs = (processorMs(server.pid) - beforeMs) / TURNS;
  context.note(
    `${Math.round(turnMs)} ms of processor time a turn, ${Math.round(grownMb)} MB, /livez within ${Math.round(slowestMs)} ms of it`,
  );
  const { agents } = (await telemetryOf(client)) as { agents: Record<string, number>[] };
  const [claude] = agents;
  assert.equal(claude!.spans, SPANS * (TURNS + 1));
  assert.equal(claude!.stored, (SPANS + LOGS) * (TURNS + 1), 'every span and every log is an event');
  assert.equal(agents.at(-1)!.points, pointsOf() * (TURNS + 1));
  assert.ok(turnMs < MOST_MS_PER_TURN, `a turn took ${Math.round(turnMs)} ms`);
  assert.ok(grownMb < MOST_GROWN_MB, `the server grew by ${Math.round(grownMb)} MB`);
  assert.ok(slowestMs < MOST_LIVEZ_MS, `/livez waited ${Math.round(slowestMs)} ms of processor time`);
}

/** Returns the server's largest processor time during one `/livez`. */
async function longestWait(client: ApiClient, pid: number, isDone: () => boolean): Promise<number> {
  let longest = 0;
  while (!isDone()) {
    const begun = processorMs(pid);
    assert.equal((await client.get('/livez')).status, 200);
    longest = Math.max(longest, processorMs(pid) - begun);
  }
  return longest;
}

async function send(client: ApiClient, { path, form, body, isZipped }: Sent): Promise<void> {
  const headers = [['content-type', OTLP_TYPES[form]] as const];
  const zipped = [...headers, ['content-encoding', 'gzip'] as const];
  const reply = await client.send('POST', path, body, isZipped ? zipped : headers, 60_000);
  requireAnswer(reply, form, 200, {});
}

/**
 * Returns the requests of a turn, in JSON or Protobuf, every third one compressed. Data points have unknown members,
 * which only JSON can carry.
 */
function turnOf(turn: number): Sent[] {
  const form = FORMS[turn % FORMS.length]!;
  const isZipped = turn % 3 === 0;
  const sent = (path: string, of: OtlpForm, request: Members): Sent => {
    const body = otlpBody(of, path, request);
    return { path, form: of, body: isZipped ? gzipSync(body) : body, isZipped };
  };
  return [
    sent('/v1/traces', form, otlpRequest(tracesOf(turn))),
    sent('/v1/metrics', 'json', metricsOf()),
    sent('/v1/logs', form, otlpRequest(logsOf(turn))),
  ];
}

/** Returns calls, each with a wait and a run as child spans, padded to the size of real ones. */
function tracesOf(turn: number): OtlpGroup {
  const padding = 'x'.repeat(TRACE_BYTES / SPANS - 800);
  const spans = Array.from({ length: SPANS }, (_, index): Members => {
    const call = index - (index % 3);
    const name = ['tool', 'tool.blocked_on_user', 'tool.execution'][index % 3]!;
    return {
      traceId: (turn + 1).toString(16).padStart(32, '0'),
      spanId: (turn * SPANS + index + 1).toString(16).padStart(16, '0'),
      ...(index === call ? {} : { parentSpanId: (turn * SPANS + call + 1).toString(16).padStart(16, '0') }),
      name: `claude_code.${name}`,
      startTimeUnixNano: `${START + index}000000`,
      endTimeUnixNano: `${START + index + 5}000000`,
      attributes: {
        'session.id': `turn-${turn}`,
        'code.file.path': padding,
        ...(index === call ? { tool_name: 'Bash', tool_use_id: `call-${call}` } : { decision: 'accept' }),
      },
    };
  });
  return { scope: 'com.anthropic.claude_code.tracing', resource: { 'service.name': 'claude-code' }, spans };
}

function logsOf(turn: number): OtlpGroup {
  const logs = Array.from(
    { length: LOGS },
    (_, index): Members => ({
      timeUnixNano: `${START + index}000000`,
      attributes: {
        'session.id': `turn-${turn}`,
        'event.name': 'api_request',
        'event.sequence': index,
        input_tokens: 12,
        output_tokens: 3,
        cost_usd: 0.001,
      },
    }),
  );
  return { scope: 'com.anthropic.claude_code.events', resource: { 'service.name': 'claude-code' }, logs };
}

const POINT = {
  attributes: Array.from({ length: 11 }, (_, index) => ({
    key: `attribute.${index}`,
    value: { stringValue: 'x'.repeat(16) },
  })),
  startTimeUnixNano: `${START}000000`,
  timeUnixNano: `${START}000000`,
  asInt: '4',
};

function pointsOf(): number {
  return Math.floor(METRIC_BYTES / JSON.stringify(POINT).length);
}

function metricsOf(): Members {
  const metric = { name: 'codex.tool', sum: { dataPoints: Array.from({ length: pointsOf() }, () => POINT) } };
  const scopeMetrics = [{ scope: { name: 'codex_otel::metrics' }, metrics: [metric] }];
  return { resourceMetrics: [{ scopeMetrics }] };
}
