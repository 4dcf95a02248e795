/** An event as sent, with hand-written checks, and the row that it becomes. */
import vocabulary from '../../../contract/vocabulary.json' with { type: 'json' };

export type Event = Extract<ReturnType<typeof check>, { ok: true }>['event'];

interface Problem {
  field: string;
  message: string;
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i;

/** Returns the event with its defaults, trimmed texts and shortened metadata, or all its problems. */
export function check(body: unknown, maxMetadataBytes: number) {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { ok: false as const, problems: [{ field: 'body', message: 'must be a JSON object' }] };
  }
  const sent = body as Record<string, unknown>;
  const problems: Problem[] = [];
  const wrong = (field: string, message: string) => problems.push({ field, message });

  const text = (field: string, most: number): string | null => {
    const value = sent[field] ?? null;
    if (value === null) return null;
    if (typeof value !== 'string') {
      wrong(field, 'must be a string');
      return null;
    }
    const trimmed = value.trim();
    if (Buffer.byteLength(trimmed) > most) wrong(field, `must be at most ${most} bytes`);
    return trimmed === '' ? null : trimmed;
  };
  const required = (field: string): string => {
    const value = text(field, 256);
    if (value === null) wrong(field, 'must be a non-empty string');
    return value ?? '';
  };
  const oneOf = (field: string, value: unknown, words: string[]): string => {
    if (!words.includes(value as string)) wrong(field, `must be one of: ${words.join(', ')}`);
    return value as string;
  };
  const number = (field: string, isRight: (value: number) => boolean, message: string): number | null => {
    const value = sent[field] ?? null;
    if (value === null) return null;
    if (typeof value !== 'number' || !isRight(value)) wrong(field, message);
    return value as number;
  };
  const integer = (field: string) =>
    number(field, (value) => Number.isSafeInteger(value) && value >= 0, 'must be a non-negative integer');
  const timestamp = (field: string): string | null => {
    const value = sent[field] ?? null;
    if (value === null) return null;
    const time = new Date(typeof value === 'string' && RFC_3339.test(value) ? value : Number.NaN);
    if (!Number.isNaN(time.getTime())) return time.toISOString();
    wrong(field, 'must be a valid timestamp');
    return null;
  };

  const event_type = required('event_type');
  const status = sent.status ?? (event_type === 'error' ? 'error' : 'success');
  const event = {
    event_id: text('event_id', 256),
    session_id: required('session_id'),
    agent_type: required('agent_type'),
    event_type: oneOf('event_type', event_type, vocabulary.event_types),
    tool_name: text('tool_name', 256),
    status: oneOf('status', status, vocabulary.statuses),
    tokens_in: integer('tokens_in') ?? 0,
    tokens_out: integer('tokens_out') ?? 0,
    cache_read_tokens: integer('cache_read_tokens') ?? 0,
    cache_write_tokens: integer('cache_write_tokens') ?? 0,
    branch: text('branch', 1024),
    project: text('project', 1024),
    duration_ms: integer('duration_ms'),
    model: text('model', 256),
    cost_usd: number('cost_usd', (value) => value >= 0 && value <= 1e6, 'must be from 0 to 1000000'),
    source: oneOf('source', sent.source ?? 'api', vocabulary.sources),
    source_event: text('source_event', 128),
    call_id: text('call_id', 256),
    agent_id: text('agent_id', 256),
    client_timestamp: timestamp('client_timestamp'),
    payload_truncated: 0,
    metadata: JSON.stringify(sent.metadata ?? {}),
  };
  const bytes = Buffer.byteLength(event.metadata);
  if (bytes > maxMetadataBytes) {
    event.payload_truncated = 1;
    event.metadata = summary(sent.metadata, bytes, maxMetadataBytes);
  }
  return problems.length === 0 ? { ok: true as const, event } : { ok: false as const, problems };
}

function summary(metadata: unknown, bytes: number, most: number): string {
  let text = `{"_truncated":true,"_original_bytes":${bytes}`;
  const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
  const members = isObject ? (metadata as Record<string, unknown>) : {};
  for (const key of vocabulary.summary_keys) {
    if (!Object.hasOwn(members, key)) continue;
    const longer = `${text},"${key}":${JSON.stringify(members[key])}`;
    if (Buffer.byteLength(longer) < most) text = longer;
  }
  return `${text}}`;
}
