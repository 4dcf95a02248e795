/**
 * Reads the mappings of telemetry in `contract/agents.json`, and finds the agent of a record (rule OTL-05).
 *
 * Invariant: it shares no code with a server.
 */
import FILE from '../../contract/agents.json' with { type: 'json' };
import type { Entries, Fields } from './mapped-value.ts';
import { type Attributes, plainText } from './otlp-values.ts';

interface Telemetry {
  readonly known_by: {
    readonly scopes?: readonly string[];
    readonly services?: readonly string[];
    readonly attribute_prefix?: string;
  };
  readonly name: { readonly from: readonly string[]; readonly prefix?: string };
  readonly id: readonly string[];
  readonly omit: readonly string[];
  readonly fields: Fields;
  readonly logs: Entries;
  readonly spans: Entries;
}

export interface Agent extends Telemetry {
  readonly agent_type: string;
  readonly scopes: readonly string[];
  readonly services: readonly string[];
  readonly prefix: string;
  /** Whether one of its paths belongs to a parent span. */
  readonly hasParentKeys: boolean;
}

/** The name in `/api/health` for records of unknown agents. */
export const UNKNOWN = 'unknown';

const AGENTS_OF_FILE = FILE as unknown as Readonly<
  Record<string, { readonly agent_type: string; readonly telemetry?: Telemetry }>
>;

export const AGENTS: readonly Agent[] = Object.values(AGENTS_OF_FILE).flatMap(({ agent_type, telemetry }) => {
  if (telemetry === undefined) return [];
  const { known_by, name } = telemetry;
  const { scopes = [], services = [] } = known_by;
  const hasParentKeys = JSON.stringify(telemetry).includes('"$parent/');
  return [{ ...telemetry, agent_type, scopes, services, prefix: name.prefix ?? '', hasParentKeys }];
});

/** Returns the agent of a record. `own` are the attributes of the record; a metric has none. */
export function agentOf(scope: string, shared: Attributes, own: Attributes): Agent | undefined {
  const service = shared.get('service.name');
  return AGENTS.find(
    ({ scopes, services, known_by: { attribute_prefix: prefix } }) =>
      scopes.some((one) => scope === one || scope.startsWith(`${one}.`) || scope.startsWith(`${one}:`)) ||
      (service?.startsWith('"') === true && services.includes(plainText(service))) ||
      (prefix !== undefined && [...own.keys()].some((key) => key.startsWith(prefix))),
  );
}
