/**
 * Generates bodies for the property tests: valid ones and those of the parity cases, with random damage, and random
 * bytes. So a counterexample that becomes a case is tried by both servers.
 *
 * `PROPERTY_SEED` and `PROPERTY_RUNS` replace the fixed seed and the number of runs.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { Packr } from 'msgpackr/pack';

/** The settings of every property. A failure prints the seed and the path of its smallest counterexample. */
export const SETTINGS = {
  seed: Number(process.env.PROPERTY_SEED ?? 1),
  numRuns: Number(process.env.PROPERTY_RUNS ?? 20_000),
};

const packr = new Packr({ useRecords: false, variableMapSize: true });
const EVENT = {
  session_id: 's é',
  agent_type: 'a',
  event_type: 'tool_use',
  status: 'success',
  event_id: 'e\n1',
  duration_ms: 12,
  tokens_in: 3,
  cost_usd: 0.25,
  client_timestamp: '2026-02-18T18:06:41.231Z',
  source: 'sdk',
};
const METADATA = { text: 'a "b" \\ 😀', list: [1, -0.5, 1e300, null, true, { deep: [[]] }] };
const json = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));
const listed = (values: Readonly<Record<string, unknown>>) =>
  Object.entries(values).map(([key, value]) => ({ key, value }));

const RECORD = {
  timeUnixNano: '1771438001231000000',
  eventName: 'user_prompt',
  body: { stringValue: 'claude_code.user_prompt' },
  attributes: listed({
    'session.id': { stringValue: 's' },
    'event.name': { stringValue: 'user_prompt' },
    number: { intValue: '12' },
    ratio: { doubleValue: 0.5 },
    bytes: { bytesValue: 'AAECAw==' },
    list: { arrayValue: { values: [{ boolValue: true }, { kvlistValue: { values: [] } }] } },
  }),
};
const SPAN = {
  ...RECORD,
  traceId: 'ab'.repeat(16),
  spanId: 'cd'.repeat(8),
  name: 'chat',
  status: { code: 2 },
};
const scope = { name: 'com.anthropic.claude_code.events' };
const call = (method: string, params: readonly unknown[]) => ({ jsonrpc: '2.0', id: 1, method, params });

/** Valid bodies of every kind. A decoder also gets those of the others. */
const VALID: readonly Buffer[] = [
  json({ ...EVENT, metadata: METADATA }),
  json({ events: [{ ...EVENT, metadata: METADATA }, EVENT, 7] }),
  Buffer.from(`${JSON.stringify(EVENT)}\n \n{"a":1}\n`),
  packr.pack({ ...EVENT, metadata: METADATA }),
  packr.pack({ events: [{ ...EVENT, metadata: JSON.stringify(METADATA) }, EVENT] }),
  // An event of ingest/v1/event.proto, and a batch of it.
  Buffer.from('0a017312016118012a02653150037900000000000000003f', 'hex'),
  Buffer.from('0a180a017312016118012a02653150037900000000000000003f', 'hex'),
  json({
    hook_event_name: 'PreToolUse',
    session_id: 's',
    tool_name: 'Bash',
    cwd: '/a/b',
    tool_input: METADATA,
  }),
  json({ resourceLogs: [{ resource: { attributes: [] }, scopeLogs: [{ scope, logRecords: [RECORD] }] }] }),
  json({ resourceSpans: [{ scopeSpans: [{ scope, spans: [SPAN] }] }] }),
  json({
    resourceMetrics: [{ scopeMetrics: [{ scope, metrics: [{ name: 'm', sum: { dataPoints: [{}] } }] }] }],
  }),
  // A log record in Protobuf: resource_logs, scope_logs, log_records, with a body that is a text.
  Buffer.from('0a1112 0f12 0d 09 0000000000000001 2a 03 0a0161'.replaceAll(' ', ''), 'hex'),
  json([
    call('stats.get', []),
    call('events.list', [{ limit: 1 }]),
    { ...call('echo.string', ['x']), id: null },
  ]),
  packr.pack([call('stats.get', []), call('sessions.list', [{}])]),
  json({ date: '2026-11-27', models: { 'claude-*': { input: 3, output: 15, cache_read: 0.3 } } }),
  json({ keys: ['password'], patterns: [{ prefix: 'sk-ant-', class: 'base64url', minimum: 20 }] }),
];

const CASES = join(import.meta.dirname, '..', '..', 'parity-tests', 'cases');
const MOST_SEED_BYTES = 4_096;

/** Collects the bodies of requests from the value of a case file. */
function collect(value: unknown, found: Buffer[]): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    const encoding = ENCODINGS[key];
    if (encoding !== undefined && typeof member === 'string') found.push(Buffer.from(member, encoding));
    else if (key === 'json' || key === 'otlp') found.push(json(member));
    else collect(member, found);
  }
}

const ENCODINGS: Readonly<Record<string, BufferEncoding>> = {
  body: 'utf8',
  body_base64: 'base64',
  base64: 'base64',
  body_hex: 'hex',
  hex: 'hex',
};

function bodiesOfCases(): Buffer[] {
  const found: Buffer[] = [];
  for (const name of readdirSync(CASES).sort())
    collect(JSON.parse(readFileSync(join(CASES, name), 'utf8')), found);
  return found.filter((body) => body.length <= MOST_SEED_BYTES);
}

const SEEDS: readonly (readonly Buffer[])[] = [VALID, bodiesOfCases()];

type Edit = readonly [kind: number, at: number, length: number, bytes: Uint8Array];

/** Replaces, inserts, removes or repeats a part of the bytes. */
function applyEdit(bytes: Buffer, [kind, place, length, added]: Edit): Buffer {
  const at = bytes.length === 0 ? 0 : place % bytes.length;
  const [before, part, after] = [
    bytes.subarray(0, at),
    bytes.subarray(at, at + length),
    bytes.subarray(at + length),
  ];
  switch (kind) {
    case 0:
      return Buffer.concat([before, added, bytes.subarray(at + added.length)]);
    case 1:
      return Buffer.concat([before, added, bytes.subarray(at)]);
    case 2:
      return Buffer.concat([before, after]);
    case 3:
      return Buffer.concat([before, part, part, part, after]);
    default:
      return Buffer.from(before);
  }
}

const edit: fc.Arbitrary<Edit> = fc.tuple(
  fc.nat(4),
  fc.nat(2_000),
  fc.nat(40),
  fc.oneof(
    fc.uint8Array({ maxLength: 8 }),
    fc
      .constantFrom('"', '{', '[', ',', '\\u0000', '\\ud800', '1e999', '-', '\r\n')
      .map((text) => Buffer.from(text)),
  ),
);

const seeds = fc.oneof(...SEEDS.map((list) => fc.nat(list.length - 1).map((place) => list[place]!)));

/** Bytes that a client may send. */
export const bodies: fc.Arbitrary<Buffer> = fc.oneof(
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)) },
  {
    weight: 6,
    arbitrary: fc
      .tuple(seeds, fc.array(edit, { maxLength: 4 }))
      .map(([seed, edits]) => edits.reduce(applyEdit, seed)),
  },
);
