/**
 * Holds the mappings of `contract/agents`, and finds the agent and the meaning of a record (rules OTL-05 and OTL-06).
 *
 * Pure. Invariant: a mapping that says what no event can have stops the start.
 */
import {
  AGENT_FILES,
  type AgentEntry,
  type AgentField,
  type AgentSpec,
  LIMITS,
  VOCABULARY,
} from '../contract.ts';
import { FIELD_SPECS, type FieldSpec } from '../field.ts';
import { byteLength } from '../text.ts';
import { AGENT_NAMES, type Signal } from './otlp.ts';
import type { Attributes, Group, Record } from './record.ts';

/** An agent and what its records mean. */
export interface Agent {
  /** Its place in `AGENTS`. */
  readonly place: number;
  readonly spec: AgentSpec;
  /** Attributes that are not kept. */
  readonly dropped: ReadonlySet<string>;
  readonly fields: readonly Source[];
  /** The entries of each signal by the names of records. */
  readonly meanings: Readonly<BySignal<readonly Entry[]>>;
  /** Every key of the mapping. */
  readonly keys: readonly string[];
}

/** What a record becomes: nothing that is kept, or an event. */
export type Meaning = 'noise' | EventMeaning;

/** The event that a record becomes. */
export interface EventMeaning {
  readonly entry: AgentEntry;
  readonly fields: readonly Source[];
}

/** Where a field of an event comes from. */
export interface Source extends Omit<AgentField, 'field'> {
  readonly field: FieldSpec;
}

interface Entry {
  readonly when: readonly (readonly [key: string, value: string])[];
  readonly meaning: Meaning;
}

type BySignal<Value> = { readonly [signal in Signal]: ReadonlyMap<string, Value> };

/** Any name of a record, and any value of a key. */
const ANY = '*';
/** Begins a key of the parent span. */
export const PARENT = '$parent.';

/** Every agent, in the order of `otlp.json`. */
export const AGENTS: readonly Agent[] = AGENT_NAMES.map(agentNamed);

const SERVICE = 'service.name';
/** The attributes of resources that a mapping may ask for. */
const SHARED_KEYS: ReadonlySet<string> = new Set([SERVICE, ...AGENTS.flatMap(({ keys }) => keys)]);
/** The attributes of parent spans that a mapping asks for. */
const PARENT_KEYS: ReadonlySet<string> = new Set(
  [...SHARED_KEYS].filter((key) => key.startsWith(PARENT)).map((key) => key.slice(PARENT.length)),
);

/** Whether an attribute of a resource is kept: many records may share it (rule OTL-07). */
export function isShared(key: string, json: string): boolean {
  return SHARED_KEYS.has(key) && byteLength(json) <= LIMITS.otlp_shared_value_bytes;
}

/** Whether an attribute of a span is kept for its children. */
export function isForChildren(key: string, json: string): boolean {
  return PARENT_KEYS.has(key) && byteLength(json) <= LIMITS.otlp_shared_value_bytes;
}

/** The agent of a group; without the records that it has, unless a record is given. */
export function agentOf(
  { scope, resource }: Pick<Group, 'scope' | 'resource'>,
  record?: Record,
): Agent | undefined {
  const service = resource.get(SERVICE);
  return AGENTS.find(({ spec }) => {
    if (spec.scopes.some((name) => isScope(scope, name))) return true;
    if (service !== undefined && spec.services.some((name) => JSON.stringify(name) === service)) return true;
    const { attribute_prefix: prefix } = spec;
    return prefix !== undefined && record !== undefined && hasPrefix(record.attributes, prefix);
  });
}

/** Whether records of a group may take attributes from their parents. */
export function wantsParents(group: Group): boolean {
  const agent = agentOf(group);
  return agent?.keys.some((key) => key.startsWith(PARENT)) === true;
}

/** What a record of this name means; nothing where the mapping does not say. `textAt` gives the text of a key. */
export function meaningOf(
  agent: Agent,
  signal: Signal,
  name: string,
  textAt: (key: string) => string | undefined,
): Meaning | undefined {
  const entries = agent.meanings[signal];
  const holds = ({ when }: Entry): boolean =>
    when.every(([key, value]) => {
      const text = textAt(key);
      return text !== undefined && (value === ANY || text === value);
    });
  return (entries.get(name)?.find(holds) ?? entries.get(ANY)?.find(holds))?.meaning;
}

/** A name, or one that goes on behind it with `.` or `:`. */
function isScope(scope: string, name: string): boolean {
  return scope.startsWith(name) && ['', '.', ':'].includes(scope.charAt(name.length));
}

function hasPrefix(attributes: Attributes, prefix: string): boolean {
  for (const key of attributes.keys()) if (key.startsWith(prefix)) return true;
  return false;
}

function agentNamed(name: string, place: number): Agent {
  const spec = AGENT_FILES[name];
  if (spec === undefined) throw new Error(`there is no mapping of the agent ${name}`);
  const fields = spec.fields.map(sourceOf);
  // An event without a session cannot be stored.
  if (!fields.some(({ field }) => field.name === 'session_id')) throw new Error(`${name} has no session_id`);
  const meanings = {
    logs: entriesOf(spec.logs),
    spans: entriesOf(spec.spans),
    metrics: new Map<string, readonly Entry[]>(),
  };
  const entries = [...meanings.logs.values(), ...meanings.spans.values()].flat();
  const sources = entries
    .flatMap(({ meaning }) => (meaning === 'noise' ? [] : meaning.fields))
    .concat(fields);
  const keys = [
    ...[spec.agent_type_keys ?? [], spec.name_keys, spec.event_id].flat(),
    ...sources.flatMap((source) => [...source.keys, ...(source.plus ?? []), ...(source.less ?? [])]),
    ...entries.flatMap(({ when, meaning }) => [
      ...when.map(([key]) => key),
      ...(meaning === 'noise' ? [] : [meaning.entry.status?.key, meaning.entry.same?.key]),
    ]),
  ].filter((key) => key !== undefined);
  return { place, spec, dropped: new Set(spec.dropped_keys), fields, meanings, keys };
}

function entriesOf(entries: AgentSpec['logs']): Map<string, readonly Entry[]> {
  return new Map(
    Object.entries(entries).map(([name, list]) => [
      name,
      (list === 'noise' ? [list] : list).map((entry) =>
        entry === 'noise'
          ? { when: [], meaning: entry }
          : { when: Object.entries(entry.when ?? {}), meaning: eventMeaning(entry) },
      ),
    ]),
  );
}

function eventMeaning(entry: AgentEntry): EventMeaning {
  if (!VOCABULARY.event_types.includes(entry.event_type))
    throw new Error(`telemetry cannot mean ${entry.event_type}`);
  return { entry, fields: (entry.fields ?? []).map(sourceOf) };
}

/** Metadata and what the mapping gives otherwise cannot come from a key. */
function sourceOf(source: AgentField): Source {
  const field = FIELD_SPECS.find(({ name }) => name === source.field);
  const isSum = source.plus !== undefined || source.less !== undefined;
  const isKnown =
    field !== undefined && (field.kind === 'text' || field.kind === 'dollars' || field.kind === 'integer');
  if (!isKnown || (isSum && field.kind !== 'integer'))
    throw new Error(`telemetry cannot give ${source.field}`);
  return { ...source, field };
}
