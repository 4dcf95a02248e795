/**
 * Computes the result of one hook payload: the answer and the row, by the mapping in `contract/hooks` and rules
 * HOK-01 to HOK-03 and OTL-09.
 *
 * Invariant: it shares no code with a server, and reads the mapping from its file.
 */
import { memberText } from '@twin-ingest/testkit/events/metadata-span.ts';
import FIELDS from '../../contract/fields.json' with { type: 'json' };
import CLAUDE_CODE from '../../contract/hooks/claude-code.json' with { type: 'json' };
import CODEX from '../../contract/hooks/codex.json' with { type: 'json' };
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import VOCABULARY from '../../contract/vocabulary.json' with { type: 'json' };
import { eventIdOf } from './event-id.ts';
import { hookMetadata } from './hook-metadata.ts';
import { wholeRow } from './stored-row.ts';

export interface HookOutcome {
  readonly status: number;
  readonly body: string;
  /** Absent if no row is stored. */
  readonly stored?: { readonly row: Readonly<Record<string, unknown>>; readonly metadata: string };
}

interface Entry {
  readonly event_type: string;
  readonly status?: string;
  readonly same?: { readonly kind: string; readonly key: string };
}

/** The mappings by the last segment of their routes. */
const MAPPINGS: Readonly<Record<HookAgent, Mapping>> = { 'claude-code': CLAUDE_CODE, codex: CODEX };

export type HookAgent = 'claude-code' | 'codex';

interface Mapping {
  readonly name_key: string;
  readonly agent_type: string;
  readonly source: string;
  readonly fields: readonly Source[];
  readonly summary_keys: string[];
  readonly hooks: Readonly<Record<string, Entry>>;
  readonly other: Entry;
}

const { errors, field_messages: messages } = VOCABULARY;

/** Returns the expected answer and row. `limit` is the value of `--max-metadata-bytes`. */
export function hookOutcome(agent: HookAgent, payload: Buffer, limit: number): HookOutcome {
  const mapping = MAPPINGS[agent];
  const text = utf8(payload);
  if (text === undefined || !isJson(text)) {
    return refusal({ error: errors.invalid_json.text, code: 'invalid_json' });
  }
  if (!text.trim().startsWith('{')) {
    const details = [{ field: 'body', message: messages.object }];
    return refusal({ error: errors.invalid_event.text, code: 'invalid_event', details });
  }
  const metadata = hookMetadata(text, limit, mapping.summary_keys);
  const name = valueAt(text, mapping.name_key);
  const { hooks, other } = mapping;
  const entry = typeof name === 'string' && Object.hasOwn(hooks, name) ? hooks[name]! : other;
  const { event_type, status = event_type === 'error' ? 'error' : 'success', same }: Entry = entry;
  const isOf = ({ hooks: of }: Source): boolean =>
    of === undefined || (entry !== other && of.includes(String(name)));
  // If several sources of a field have a value, the last one counts.
  const fields: Record<string, unknown> = {};
  for (const source of mapping.fields.filter(isOf)) {
    fields[source.field] = fieldOf(text, source) ?? fields[source.field] ?? null;
  }
  const row = wholeRow({
    event_id:
      same === undefined
        ? null
        : sameId([mapping.agent_type, fields.session_id, same.kind], valueAt(text, same.key)),
    agent_type: mapping.agent_type,
    source: mapping.source,
    event_type,
    status,
    ...fields,
    payload_truncated: metadata !== text.trim(),
    metadata: JSON.parse(metadata),
  });
  return { status: 200, body: '{}', stored: { row, metadata } };
}

/** Returns the id by rule OTL-09; null if the value cannot be used. */
function sameId(about: readonly unknown[], value: unknown): string | null {
  if (typeof value !== 'string' || value === '' || !value.isWellFormed() || value.includes('\0')) return null;
  return eventIdOf(JSON.stringify([...about, value]));
}

interface Source {
  readonly field: string;
  readonly key: string;
  readonly take?: string;
  readonly default?: string;
  readonly hooks?: readonly string[];
}

/** Returns a field's value by rules EVT-04, EVT-05, EVT-11 and EVT-12, otherwise its default, otherwise null. */
function fieldOf(payload: string, { field, key, take, default: otherwise = undefined }: Source): unknown {
  const value = valueAt(payload, key);
  if (field === 'duration_ms') {
    const isCount =
      Number.isInteger(value) && (value as number) >= 0 && (value as number) <= LIMITS.max_integer;
    return isCount ? Math.abs(value as number) : null;
  }
  const none = otherwise ?? null;
  if (typeof value !== 'string' || !value.isWellFormed() || value.includes('\0')) return none;
  const part = take === 'last_segment' ? value.replace(/[/\\]+$/, '').replace(/^.*[/\\]/s, '') : value;
  const most = (FIELDS.fields as Readonly<Record<string, { readonly bytes?: number }>>)[field]!.bytes!;
  const text = part.trim();
  return text === '' || Buffer.byteLength(text) > most ? none : text;
}

/** Returns the value of the last member of that name. */
function valueAt(object: string, key: string): unknown {
  const text = memberText(object, key);
  return text === undefined ? undefined : JSON.parse(text);
}

function refusal(body: object): HookOutcome {
  return { status: 400, body: JSON.stringify(body) };
}

function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** Returns whether a text is JSON by rule BOD-01. */
function isJson(text: string): boolean {
  try {
    JSON.parse(text);
  } catch {
    return false;
  }
  let [depth, deepest] = [0, 0];
  for (const [bracket] of text.replaceAll(/"(?:\\.|[^"\\])*"/g, '').matchAll(/[[\]{}]/g)) {
    depth += bracket === '[' || bracket === '{' ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest <= LIMITS.json_depth;
}
