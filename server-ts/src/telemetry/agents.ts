/**
 * Finds the agent and the meaning of a record, as `contract/agents` defines them (rules OTL-05 and OTL-06).
 *
 * Pure. The files are read once. Invariant: a file with a value that no event can have stops the start.
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
import type { Attributes } from './record.ts';

/** The handling of records with a name: counted but not stored, or events. */
export type Entry = 'noise' | Meaning;

/** The event that a record becomes. */
export interface Meaning {
  readonly entry: AgentEntry;
  /** Further fields in addition to those of the file. */
  readonly fields: readonly Source[];
}

/** The source of an event's field. */
export interface Source extends Omit<AgentField, 'field'> {
  readonly field: FieldSpec;
}

/** Matches any name of a record, and any value of a key. */
const ANY = '*';
const NOISE = 'noise';
/** Prefix of a key of the parent span. */
export const PARENT = '$parent.';
const SERVICE = 'service.name';

/** One file of `agents/`. */
export class Agent {
  /** Its index in the list of agents. */
  readonly place: number;
  readonly spec: AgentSpec;
  /** The attributes that metadata omits. */
  readonly droppedKeys: ReadonlySet<string>;
  /** The sources of the fields that every event of the agent has. */
  readonly fields: readonly Source[];
  /** Every key of the file. */
  readonly keys: readonly string[];
  /** Whether its spans may take attributes from their parents. */
  readonly wantsParents: boolean;
  /** The names of its services as JSON text. */
  private readonly services: ReadonlySet<string>;
  private readonly logs: ReadonlyMap<string, readonly Entry[]>;
  private readonly spans: ReadonlyMap<string, readonly Entry[]>;

  constructor(name: string, place: number) {
    const spec = AGENT_FILES[name];
    if (spec === undefined) throw new Error(`there is no mapping of the agent ${name}`);
    this.place = place;
    this.spec = spec;
    this.droppedKeys = new Set(spec.dropped_keys);
    this.fields = spec.fields.map(sourceOf);
    // The server cannot store an event without a session.
    if (!this.fields.some(({ field }) => field.name === 'session_id'))
      throw new Error(`the agent ${name} has no session_id`);
    this.services = new Set(spec.services.map((service) => JSON.stringify(service)));
    this.logs = entriesOf(spec.logs);
    this.spans = entriesOf(spec.spans);
    this.keys = this.allKeys();
    this.wantsParents = this.keys.some((key) => key.startsWith(PARENT));
  }

  /**
   * Returns the handling of records with this name; `undefined` when the file has none. `textAt` returns the text of
   * a key.
   */
  entryOf(signal: Signal, name: string, textAt: (key: string) => string | undefined): Entry | undefined {
    const entries = signal === 'spans' ? this.spans : this.logs;
    const holds = (entry: Entry): boolean =>
      entry === NOISE ||
      Object.entries(entry.entry.when ?? {}).every(([key, value]) => {
        const text = textAt(key);
        return text !== undefined && (value === ANY || text === value);
      });
    return entries.get(name)?.find(holds) ?? entries.get(ANY)?.find(holds);
  }

  /** Returns whether a record belongs to this agent; `attributes` are those of the record, if known. */
  knows(scope: string, resource: Attributes, attributes: Attributes | undefined): boolean {
    const { scopes, attribute_prefix: prefix } = this.spec;
    if (scopes.some((name) => isScope(scope, name))) return true;
    if (this.services.has(resource.get(SERVICE) ?? '')) return true;
    if (prefix === undefined || attributes === undefined) return false;
    for (const key of attributes.keys()) if (key.startsWith(prefix)) return true;
    return false;
  }

  private allKeys(): string[] {
    const { spec } = this;
    const meanings = [...this.logs.values(), ...this.spans.values()]
      .flat()
      .filter((entry) => entry !== NOISE);
    const sources = meanings.flatMap(({ fields }) => fields).concat(this.fields);
    const ofMeanings = meanings.flatMap(({ entry: { when = {}, status, same } }) => [
      ...Object.keys(when),
      status?.key,
      same?.key,
    ]);
    return [
      ...[spec.agent_type_keys ?? [], spec.name_keys, spec.event_id].flat(),
      ...sources.flatMap(({ keys, plus = [], less = [] }) => [...keys, ...plus, ...less]),
      ...ofMeanings.filter((key) => key !== undefined),
    ];
  }
}

/** The agents in the order of `otlp.json`. */
export const AGENTS: readonly Agent[] = AGENT_NAMES.map((name, place) => new Agent(name, place));

/** The resource attributes that a mapping may use. */
const SHARED_KEYS: ReadonlySet<string> = new Set([SERVICE, ...AGENTS.flatMap(({ keys }) => keys)]);
/** The parent-span attributes that a mapping uses. */
const PARENT_KEYS: ReadonlySet<string> = new Set(
  [...SHARED_KEYS].filter((key) => key.startsWith(PARENT)).map((key) => key.slice(PARENT.length)),
);

/** Returns whether a resource attribute is kept: many records may share it (rule OTL-07). */
export function isShared(key: string, json: string): boolean {
  return SHARED_KEYS.has(key) && byteLength(json) <= LIMITS.otlp_shared_value_bytes;
}

/** Returns whether a span attribute is kept for its children. */
export function isForChildren(key: string, json: string): boolean {
  return PARENT_KEYS.has(key) && byteLength(json) <= LIMITS.otlp_shared_value_bytes;
}

/** Returns the agent of a record; `attributes` are unknown for a record that is too large. */
export function agentOf(scope: string, resource: Attributes, attributes?: Attributes): Agent | undefined {
  return AGENTS.find((agent) => agent.knows(scope, resource, attributes));
}

/** Returns whether a scope is a name, or a longer name that continues with `.` or `:`. */
function isScope(scope: string, name: string): boolean {
  return scope.startsWith(name) && ['', '.', ':'].includes(scope.charAt(name.length));
}

function entriesOf(names: AgentSpec['logs']): Map<string, readonly Entry[]> {
  return new Map(
    Object.entries(names).map(([name, list]) => [name, (list === NOISE ? [list] : list).map(entryFrom)]),
  );
}

function entryFrom(entry: typeof NOISE | AgentEntry): Entry {
  if (entry === NOISE) return entry;
  if (!(VOCABULARY.event_types as readonly string[]).includes(entry.event_type))
    throw new Error(`telemetry cannot mean ${entry.event_type}`);
  return { entry, fields: (entry.fields ?? []).map(sourceOf) };
}

/** Returns the source of a field. Throws for metadata, and for members that the mapping supplies by other means. */
function sourceOf(source: AgentField): Source {
  const field = FIELD_SPECS.find(({ name }) => name === source.field);
  const isSum = source.plus !== undefined || source.less !== undefined;
  const isKnown =
    field !== undefined && (field.kind === 'text' || field.kind === 'dollars' || field.kind === 'integer');
  if (!isKnown || (isSum && field.kind !== 'integer'))
    throw new Error(`telemetry cannot give ${source.field}`);
  return { ...source, field };
}
