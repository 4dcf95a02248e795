/**
 * Computes the result of one hook payload: the answer and the row, by the mapping in `contract/agents.json` and rules
 * HOK-01 to HOK-03 and OTL-09.
 *
 * Invariant: it shares no code with a server, and reads the mapping from its file.
 */
import { memberText } from '@twin-ingest/testkit/events/metadata-span.ts';
import AGENTS from '../../contract/agents.json' with { type: 'json' };
import LIMITS from '../../contract/limits.json' with { type: 'json' };
import VOCABULARY from '../../contract/vocabulary.json' with { type: 'json' };
import { eventIdOf } from './event-id.ts';
import { hookMetadata } from './hook-metadata.ts';
import {
  checked,
  type Entries,
  type Fields,
  fieldsOf,
  type Reading,
  type Rule,
  ruleOf,
} from './mapped-value.ts';
import { wholeRow } from './stored-row.ts';

export interface HookOutcome {
  readonly status: number;
  readonly body: string;
  /** Absent if no row is stored. */
  readonly stored?: { readonly row: Readonly<Record<string, unknown>>; readonly metadata: string };
}

export type HookAgent = 'claude-code' | 'codex';

interface Mapping {
  readonly name: { readonly from: readonly string[] };
  readonly summary: string[];
  readonly fields: Fields;
  readonly records: Entries;
}

const MAPPINGS = AGENTS as unknown as Readonly<
  Record<HookAgent, { readonly agent_type: string; readonly hooks: Mapping }>
>;

const { errors, field_messages: messages } = VOCABULARY;

/** Returns the expected answer and row. `limit` is the value of `--max-metadata-bytes`. */
export function hookOutcome(agent: HookAgent, payload: Buffer, limit: number): HookOutcome {
  const { agent_type, hooks } = MAPPINGS[agent];
  const text = utf8(payload);
  if (text === undefined || !isJson(text)) {
    return refusal({ error: errors.invalid_json.text, code: 'invalid_json' });
  }
  if (!text.trim().startsWith('{')) {
    const details = [{ field: 'body', message: messages.object }];
    return refusal({ error: errors.invalid_event.text, code: 'invalid_event', details });
  }
  const metadata = hookMetadata(text, limit, hooks.summary);
  const nameText = jsonAt(text, hooks.name.from[0]!);
  const name = nameText?.startsWith('"') === true ? (JSON.parse(nameText) as string) : undefined;
  const reading: Reading = { at: (path) => jsonAt(text, path), hasDigits: false };
  const { event_type, fields = {}, same } = ruleOf(hooks.records, name ?? '', reading) as Rule;
  const values = fieldsOf([hooks.fields, fields], reading);
  const subject = same === undefined ? undefined : jsonAt(text, same.from);
  const row = wholeRow({
    event_id: same === undefined ? null : sameId([agent_type, values.session_id, same.kind], subject),
    agent_type,
    source: 'hook',
    source_event: checked('source_event', nameText, false),
    event_type,
    status: event_type === 'error' ? 'error' : 'success',
    ...values,
    payload_truncated: metadata !== text.trim(),
    metadata: JSON.parse(metadata),
  });
  return { status: 200, body: '{}', stored: { row, metadata } };
}

/** Returns the id by rule OTL-09; null if the value cannot be used. */
function sameId(about: readonly unknown[], json: string | undefined): string | null {
  const value: unknown = json === undefined ? null : JSON.parse(json);
  if (typeof value !== 'string' || value === '' || !value.isWellFormed() || value.includes('\0')) return null;
  return eventIdOf(JSON.stringify([...about, value]));
}

/** Returns the JSON text of the last member of that name; `undefined` for null. */
function jsonAt(object: string, key: string): string | undefined {
  const json = memberText(object, key);
  return json === 'null' ? undefined : json;
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
