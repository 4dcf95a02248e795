/** Generated from `contract/fields.json` by `pnpm contract:update`: the filters that the dashboard offers. */

/** Names of `GET /api/events`, in the order of their checks (rule GET-03). */
export const FILTER_NAMES = [
  'session_id',
  'agent_type',
  'event_type',
  'tool_name',
  'status',
  'branch',
  'project',
  'model',
  'source',
  'source_event',
  'service_tier',
  'subagent',
  'skill',
  'mcp_server',
  'host',
] as const;
