/**
 * Reads the mappings of `contract/agents`, in the order of `otlp.json`, and finds the agent of a record (rule
 * OTL-05).
 *
 * Invariant: it shares no code with a server.
 */
import { readFileSync } from 'node:fs';
import OTLP from '../../contract/otlp.json' with { type: 'json' };
import { type Attributes, plainText } from './otlp-values.ts';

export interface FieldSource {
  readonly field: string;
  readonly keys: readonly string[];
  readonly plus?: readonly string[];
  readonly less?: readonly string[];
}

export interface Entry {
  readonly when?: Readonly<Record<string, string>>;
  readonly event_type: string;
  readonly status?: {
    readonly key: string;
    readonly error?: readonly string[];
    readonly error_unless?: readonly string[];
  };
  readonly same?: { readonly kind: string; readonly key: string };
  readonly fields?: readonly FieldSource[];
}

/** For each name, either `noise` or a list of entries. The first matching entry counts. */
export type Entries = Readonly<Record<string, 'noise' | readonly (Entry | 'noise')[]>>;

export interface Agent {
  readonly agent_type: string;
  readonly scopes: readonly string[];
  readonly services: readonly string[];
  readonly attribute_prefix?: string;
  readonly agent_type_keys?: readonly string[];
  readonly name_keys: readonly string[];
  readonly name_prefix: string;
  readonly dropped_keys: readonly string[];
  readonly fields: readonly FieldSource[];
  readonly event_id: readonly string[];
  readonly logs: Entries;
  readonly spans: Entries;
  /** Whether one of its keys belongs to a parent span. */
  readonly hasParentKeys: boolean;
}

/** The name in `/api/health` for records of unknown agents. */
export const UNKNOWN = 'unknown';

export const AGENTS: readonly Agent[] = OTLP.agents.map((name) => {
  const text = readFileSync(new URL(`../../contract/agents/${name}.json`, import.meta.url), 'utf8');
  return { ...(JSON.parse(text) as Agent), hasParentKeys: text.includes('"$parent.') };
});

/** Returns the agent of a record. `own` are the attributes of the record; a metric has none. */
export function agentOf(scope: string, shared: Attributes, own: Attributes): Agent | undefined {
  const service = shared.get('service.name');
  return AGENTS.find(
    ({ scopes, services, attribute_prefix: prefix }) =>
      scopes.some((one) => scope === one || scope.startsWith(`${one}.`) || scope.startsWith(`${one}:`)) ||
      (service?.startsWith('"') === true && services.includes(plainText(service))) ||
      (prefix !== undefined && [...own.keys()].some((key) => key.startsWith(prefix))),
  );
}
