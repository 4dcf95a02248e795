/**
 * Finds the agent of a record, and what its mapping reads (rules OTL-05 and OTL-07).
 *
 * Pure. The mappings are compiled once.
 */
import type { TelemetryMapping } from '@twin-ingest/mapping/mapping.ts';
import { PARENT_PREFIX, type Path } from '@twin-ingest/mapping/path.ts';
import { visitRulePaths } from '@twin-ingest/mapping/rule.ts';
import { type FieldRule, visitPaths } from '@twin-ingest/mapping/value.ts';
import { LIMITS } from '../contract.ts';
import { AGENTS as ALL_AGENTS } from '../mapping.ts';
import { byteLength } from '../text.ts';
import type { Attributes } from './record.ts';

const SERVICE = 'service.name';

/** An agent that sends telemetry. */
export class Agent {
  /** Its index in the list of agents. */
  readonly place: number;
  readonly spec: TelemetryMapping;
  /** The rule for `agent_type`, if the mapping is of several agents. */
  readonly typeRule: FieldRule | undefined;
  /** Every first key of the mapping. */
  readonly keys: ReadonlySet<string>;
  /** Whether its spans may take attributes from their parents. */
  readonly wantsParents: boolean;
  /** The names of its services as JSON text. */
  private readonly services: ReadonlySet<string>;

  constructor(spec: TelemetryMapping, place: number) {
    this.place = place;
    this.spec = spec;
    this.typeRule = spec.fields.find(({ field }) => field.name === 'agent_type');
    this.services = new Set(spec.services.map((service) => JSON.stringify(service)));
    this.keys = keysOf(spec);
    this.wantsParents = [...this.keys].some((key) => key.startsWith(PARENT_PREFIX));
  }

  /** Returns whether a record belongs to this agent; `attributes` are those of the record, if known. */
  knows(scope: string, resource: Attributes, attributes: Attributes | undefined): boolean {
    const { scopes, attributePrefix: prefix } = this.spec;
    if (scopes.some((name) => isScope(scope, name))) return true;
    if (this.services.has(resource.get(SERVICE) ?? '')) return true;
    if (prefix === undefined || attributes === undefined) return false;
    for (const key of attributes.keys()) if (key.startsWith(prefix)) return true;
    return false;
  }
}

/** The agents in the order in which records are matched. */
export const AGENTS: readonly Agent[] = ALL_AGENTS.flatMap(({ telemetry }) => telemetry ?? []).map(
  (spec, place) => new Agent(spec, place),
);

/** The resource attributes that a mapping may use. */
const SHARED_KEYS: ReadonlySet<string> = new Set([SERVICE, ...AGENTS.flatMap(({ keys }) => [...keys])]);
/** The parent-span attributes that a mapping uses. */
const PARENT_KEYS: ReadonlySet<string> = new Set(
  [...SHARED_KEYS]
    .filter((key) => key.startsWith(PARENT_PREFIX))
    .map((key) => key.slice(PARENT_PREFIX.length)),
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

function keysOf({ name, id, fields, logs, spans }: TelemetryMapping): ReadonlySet<string> {
  const keys = new Set<string>();
  const add = ({ key }: Path): void => void keys.add(key);
  for (const path of [...name, ...id]) add(path);
  for (const { value } of fields) visitPaths(value, add);
  for (const entry of [...logs.values(), ...spans.values()])
    if (entry !== 'noise') for (const rule of entry) visitRulePaths(rule, add);
  return keys;
}
