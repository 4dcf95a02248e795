/**
 * Describes telemetry that the server could not store, as sentences (contract rules OTL-10 to OTL-12).
 *
 * Counts start with the server. Duplicates and noise are not losses, so they are not mentioned.
 */
import { agentText } from './agent-texts.ts';
import type { AgentTelemetry, Telemetry } from './api.ts';
import { counted, legible, short } from './format.ts';

/** The name for records of no known agent. */
const UNKNOWN = 'Telemetry';

/** The text after the count, by the reasons of `contract/otlp.json`. */
const REASONS: Readonly<Record<string, (count: number) => string>> = {
  unknown_agent: () => 'of an unknown agent',
  unknown_event: (count) => (count === 1 ? 'unknown event' : 'unknown events'),
  no_session: () => 'without a session',
  too_large: () => 'too large',
  invalid: () => 'invalid',
};

export const GRPC_REMEDY = 'OTEL_EXPORTER_OTLP_PROTOCOL=http/protobuf';

/** Returns one sentence for each agent with lost telemetry; empty when there is none. */
export function missingOf({ agents }: Pick<Telemetry, 'agents'>): string[] {
  return agents.flatMap((agent) => {
    const name = nameOf(agent.agent_type);
    return [...ignoredOf(agent), ...onlyMetricsOf(agent)].map((text) => `${name}: ${text}`);
  });
}

function nameOf(agentType: string): string {
  if (agentType === 'unknown') return UNKNOWN;
  return agentText(agentType)?.label ?? legible(agentType, 60);
}

function ignoredOf({ ignored }: AgentTelemetry): string[] {
  const reasons = Object.entries(ignored);
  if (reasons.length === 0) return [];
  const sum = reasons.reduce((all, [, count]) => all + count, 0);
  const parts = reasons.map(
    ([reason, count]) => `${short(count)} ${REASONS[reason]?.(count) ?? legible(reason, 60)}`,
  );
  return [`${counted(sum, 'record')} ignored: ${parts.join(', ')}.`];
}

function onlyMetricsOf({ logs, spans, points }: AgentTelemetry): string[] {
  if (logs + spans > 0 || points === 0) return [];
  return ['sends only metrics, which are not stored. Its logs are needed, too.'];
}
