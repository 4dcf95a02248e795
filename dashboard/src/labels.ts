/** The labels of fields. */

const LABELS: Readonly<Record<string, string>> = {
  session_id: 'Session',
  agent_type: 'Agent',
  event_type: 'Type',
  source_event: 'Event',
  tool_name: 'Tool',
  created_at: 'Stored',
  client_timestamp: 'Client time',
  duration_ms: 'Took',
  cache_read_tokens: 'Read from cache',
  cache_write_tokens: 'Written to cache',
  cost_usd: 'Cost',
  computed_cost_usd: 'Computed cost',
};

/** Returns `source_event` as "Source event", unless it has a label of its own. */
export function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return LABELS[name] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
