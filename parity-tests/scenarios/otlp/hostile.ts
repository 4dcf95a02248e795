/**
 * Tests OTLP bodies of maximum length and cost: millions of empty groups, scopes, records, attributes and points. The
 * server's processor time and memory are bounded, and it keeps running.
 */
import assert from 'node:assert/strict';
import type { ApiClient } from '@twin-ingest/testkit/http/api-client.ts';
import type { RunningServer } from '@twin-ingest/testkit/servers/server.ts';
import type { OtlpForm } from '../../src/otlp-case.ts';
import { FORMS, postOtlp } from '../../src/otlp-client.ts';
import { memoryMb, processorMs, requireProc, resetMostMemory } from '../../src/process-figures.ts';
import type { ScenarioContext } from '../../src/scenario.ts';

const BYTES = 8 << 20;
const MOST_MS_PER_MIB = 1_500;
const MOST_GROWN_MB = 100;

interface Hostile {
  readonly name: string;
  readonly path: string;
  readonly form: OtlpForm;
  readonly body: Buffer;
}

export async function hostileBodies(context: ScenarioContext): Promise<void> {
  requireProc(context);
  const server = await context.start();
  const client = context.client(server);
  const figures: string[] = [];
  for (const hostile of FORMS.flatMap(bodiesIn)) {
    const { ms, mb } = await costOf(client, server, hostile);
    figures.push(`${hostile.form} ${hostile.name}: ${Math.round(ms)} ms, ${Math.round(mb)} MB`);
    assert.ok(ms < MOST_MS_PER_MIB, `${hostile.form}, ${hostile.name}: ${Math.round(ms)} ms for each MiB`);
    assert.ok(mb < MOST_GROWN_MB, `${hostile.form}, ${hostile.name}: ${Math.round(mb)} MB`);
  }
  assert.equal((await client.get('/livez')).status, 200);
  context.note(figures.join('; '));
}

/** Returns the processor time for each MiB, and the growth of the memory. */
async function costOf(
  client: ApiClient,
  server: RunningServer,
  { name, path, form, body }: Hostile,
): Promise<{ ms: number; mb: number }> {
  resetMostMemory(server.pid);
  const [ms, mb] = [processorMs(server.pid), memoryMb(server.pid, 'VmRSS')];
  const reply = await postOtlp(client, form, path, body);
  assert.equal(reply.status, 200, `${form}, ${name}: ${reply.text.slice(0, 300)}`);
  const mib = body.length / 2 ** 20;
  return { ms: (processorMs(server.pid) - ms) / mib, mb: memoryMb(server.pid, 'VmHWM') - mb };
}

function bodiesIn(form: OtlpForm): Hostile[] {
  const make = form === 'json' ? json : protobuf;
  return [
    { name: 'groups', path: '/v1/logs', form, body: make([]) },
    { name: 'scopes', path: '/v1/logs', form, body: make(['resourceLogs']) },
    { name: 'records of no agent', path: '/v1/logs', form, body: make(['resourceLogs', 'scopeLogs']) },
    { name: 'attributes', path: '/v1/logs', form, body: make(['resourceLogs', 'scopeLogs', 'logRecords']) },
    {
      name: 'points',
      path: '/v1/metrics',
      form,
      body: make(['resourceMetrics', 'scopeMetrics', 'metrics', 'sum']),
    },
  ];
}

const LISTS: Readonly<Record<string, readonly [list: string, numbers: readonly number[]]>> = {
  '': ['resourceLogs', [1]],
  resourceLogs: ['scopeLogs', [1, 2]],
  scopeLogs: ['logRecords', [1, 2, 2]],
  logRecords: ['attributes', [1, 2, 2, 6]],
  sum: ['dataPoints', [1, 2, 2, 7, 1]],
};

/** Returns as many empty objects as fit, in the innermost list of this path. */
function json(way: readonly string[]): Buffer {
  const [list] = LISTS[way.at(-1) ?? '']!;
  const isList = (name: string): boolean => name !== 'sum';
  const open = way.map((name) => `{"${name}":${isList(name) ? '[' : ''}`).join('');
  const close = way
    .toReversed()
    .map((name) => `${isList(name) ? ']' : ''}}`)
    .join('');
  const head = `${open}{"${list}":[`;
  const count = Math.floor((BYTES - head.length - close.length - 3) / 3);
  return Buffer.from(`${head}${'{},'.repeat(count - 1)}{}]}${close}`);
}

function protobuf(way: readonly string[]): Buffer {
  const [, numbers] = LISTS[way.at(-1) ?? '']!;
  const item = Buffer.from([(numbers.at(-1)! << 3) | 2, 0]);
  let body: Buffer = Buffer.alloc(BYTES - 64, item);
  for (const number of numbers.slice(0, -1).toReversed())
    body = Buffer.concat([head(number, body.length), body]);
  return body;
}

function head(number: number, length: number): Buffer {
  const bytes = [(number << 3) | 2];
  let left = length;
  for (; left > 0x7f; left >>= 7) bytes.push((left & 0x7f) | 0x80);
  return Buffer.from([...bytes, left]);
}
