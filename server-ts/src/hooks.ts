/**
 * Turns an agent's hook into an event by the mapping of its agent (rules HOK-01 to HOK-03).
 *
 * Pure. The agent defines its payload, so the server refuses no content. A value that breaks its field's rule counts as
 * absent, and the metadata keeps the whole object. Only a payload that is not an object is a problem.
 */
import { sameId } from '@twin-ingest/mapping/event-id.ts';
import { type FieldValue, fieldValue, SOURCE_EVENT } from '@twin-ingest/mapping/field.ts';
import type { HookMapping } from '@twin-ingest/mapping/mapping.ts';
import { type Path, type Source, valueAt } from '@twin-ingest/mapping/path.ts';
import { firstRule, firstState, type Rule, subjectOf, visitRulePaths } from '@twin-ingest/mapping/rule.ts';
import { putFields, visitPaths } from '@twin-ingest/mapping/value.ts';
import type { RoutePath } from './contract/routes.ts';
import { VOCABULARY } from './contract.ts';
import type { EventTable, FieldError, RawEvents } from './event.ts';
import { FIELD, INT_WIDTH, WAIT } from './field.ts';
import { Keys, visitMembers } from './json.ts';
import { AGENTS } from './mapping.ts';
import { OPEN_OBJECT, QUOTE } from './scanner.ts';
import { decodeToken, isWellFormed } from './text.ts';
import { truncatePayload } from './truncate.ts';
import { waitChange } from './waits.ts';

/** A mapping, and what a server needs to read payloads by it. */
export interface Mapping {
  readonly spec: HookMapping;
  /** Keys at the start of a payload's summary. */
  readonly summaryKeys: Keys;
  /** Every key of a payload that the mapping reads, and the place of each in `keys`. */
  readonly keys: Keys;
  readonly places: ReadonlyMap<string, number>;
}

const PREFIX = '/api/hooks/';
const MAPPINGS: ReadonlyMap<string, Mapping> = new Map(
  AGENTS.flatMap(({ name, hooks }) => (hooks === undefined ? [] : [[PREFIX + name, mappingFrom(hooks)]])),
);

const SUMMARY_KEYS: ReadonlyMap<string, Keys> = new Map(
  [...MAPPINGS.values()].map(({ spec, summaryKeys }) => [spec.agentType, summaryKeys]),
);

/** The paths of the routes of hooks. */
export const HOOK_PATHS = [...MAPPINGS.keys()] as readonly RoutePath[];

/** Returns the mapping of the route with this path. */
export function mappingOf(path: string): Mapping {
  return MAPPINGS.get(path)!;
}

/** Returns the keys at the start of the summary of a payload of this agent; `undefined` for an agent without hooks. */
export function summaryKeysOf(agentType: string): Keys | undefined {
  return SUMMARY_KEYS.get(agentType);
}

/**
 * Reads a scanned payload as one event, which becomes the next row of the table. A payload that is not an object is a
 * problem.
 */
export function readHook(
  mapping: Mapping,
  raw: RawEvents,
  table: EventTable,
  maxMetadataBytes: number,
): readonly FieldError[] | undefined {
  const item = raw.at(0);
  const start = raw.spans[item]!;
  if (table.body[start] !== OPEN_OBJECT) {
    return [{ field: 'body', message: VOCABULARY.field_messages.object }];
  }
  const { spec } = mapping;
  const payload = new Payload(mapping, table.body, start);
  const name = nameOf(spec, payload);
  // A mapping of hooks has a rule for every payload.
  const rule = firstRule(spec.records, name ?? '', payload) as Rule;
  const fields = new Map<string, FieldValue>();
  putFields(fields, spec.fields, { source: payload, digits: false });
  putFields(fields, rule.fields, { source: payload, digits: false });
  fields.set('agent_type', spec.agentType);
  const sourceEvent = name === undefined ? undefined : fieldValue(SOURCE_EVENT, spec.prefix + name, false);
  if (sourceEvent !== undefined) fields.set('source_event', sourceEvent);
  const subject = rule.same === undefined ? undefined : subjectOf(rule.same, payload);
  if (subject !== undefined && isWellFormed(subject))
    fields.set(
      'event_id',
      sameId(rule.same!.kind, spec.agentType, String(fields.get('session_id')), subject),
    );
  table.startRow(rule.eventType!, 'hook', fields);
  const int = table.count * INT_WIDTH;
  const end = raw.spans[item + 1]!;
  const summary = truncatePayload(table.body, start, end, maxMetadataBytes, mapping.summaryKeys);
  const metadata = int + FIELD.metadata.column;
  table.ints[metadata] = start;
  table.ints[metadata + 1] = end;
  if (summary !== undefined) table.summarise(int, summary);
  table.ints[int + WAIT] = waitChange(firstState(rule, payload));
  table.count++;
  return undefined;
}

/** The values of a scanned payload at the keys of a mapping; of equal keys the last counts. */
class Payload implements Source {
  private readonly mapping: Mapping;
  private readonly body: Buffer;
  /** A start and an end for each key. */
  private readonly spans: readonly number[];

  constructor(mapping: Mapping, body: Buffer, start: number) {
    const { keys } = mapping;
    const spans = Array.from({ length: 2 * keys.names.length }, () => 0);
    visitMembers(body, start, (keyStart, keyEnd, valueStart, valueEnd) => {
      const at = 2 * keys.find(body, keyStart, keyEnd);
      if (at < 0) return;
      spans[at] = valueStart;
      spans[at + 1] = valueEnd;
    });
    this.mapping = mapping;
    this.body = body;
    this.spans = spans;
  }

  get(key: string): unknown {
    const at = 2 * this.mapping.places.get(key)!;
    const [start, end] = [this.spans[at]!, this.spans[at + 1]!];
    if (start === 0) return undefined;
    if (this.body[start] === QUOTE) return decodeToken(this.body, start + 1, end - 1);
    return (JSON.parse(this.body.toString('utf8', start, end)) as unknown) ?? undefined;
  }
}

function mappingFrom(spec: HookMapping): Mapping {
  const names = new Set<string>();
  const add = ({ key }: Path): void => void names.add(key);
  spec.name.forEach(add);
  for (const { value } of spec.fields) visitPaths(value, add);
  for (const entry of spec.records.values())
    if (entry !== 'noise') for (const rule of entry) visitRulePaths(rule, add);
  const keys = [...names];
  return {
    spec,
    summaryKeys: new Keys(spec.summary),
    keys: new Keys(keys),
    places: new Map(keys.map((key, at) => [key, at])),
  };
}

/** Returns the first text; `undefined` for a payload without a name. */
function nameOf({ name, prefix }: HookMapping, payload: Payload): string | undefined {
  const text = name.map((path) => valueAt(payload, path)).find((one) => typeof one === 'string');
  return text?.startsWith(prefix) === true ? text.slice(prefix.length) : text;
}
