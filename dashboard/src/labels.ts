/** The labels of fields and figures. */
import { FIGURE_LABELS } from './figure-names.ts';

const LABELS: Readonly<Record<string, string>> = {
  ...FIGURE_LABELS,
  session_id: 'Session',
  agent_type: 'Agent',
  event_type: 'Type',
  source_event: 'Event',
  tool_name: 'Tool',
  created_at: 'Stored',
  client_timestamp: 'Client time',
  history: 'Arrived late',
  mcp_server: 'MCP server',
};

/** Returns `source_event` as "Source event", unless it has a label of its own. */
export function labelOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return LABELS[name] ?? `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
}
